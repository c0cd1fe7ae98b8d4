import pytest

from fmrl_ros.loading import explained, in_one_line


class OwnError(Exception):
    pass


def test_a_long_message_is_one_line_of_a_certain_length():
    assert in_one_line(ValueError("size mismatch:\n\ta\n\tb.\n")) == "size mismatch: a b"
    assert in_one_line(ValueError("line\n" * 394), most=9) == "line line..."
    assert in_one_line(ValueError()) == "ValueError"


@pytest.mark.parametrize("error", [ValueError("it is torn\nin two."), ZeroDivisionError("it is torn in two")])
def test_whatever_is_raised_becomes_one_line_with_what_it_is_about_and_the_next_step(error):
    with pytest.raises(OwnError) as raised, explained(OwnError, "the model x", "copy it again"):
        raise error
    assert str(raised.value) == "the model x cannot be loaded: it is torn in two; copy it again"


@pytest.mark.parametrize("error", [OwnError("it is explained"), MemoryError()])
def test_what_is_explained_already_and_a_lack_of_memory_are_left_as_they_are(error):
    with pytest.raises(type(error)) as raised, explained(OwnError, "the model x", "copy it again"):
        raise error
    assert raised.value is error
