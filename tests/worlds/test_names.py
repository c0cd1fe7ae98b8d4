import pytest

from fmrl_ros.worlds.names import checked_name, checked_word, goal_word, kind_of, numbered


def test_several_of_a_kind_are_numbered_from_the_second():
    assert [numbered("coke can", n) for n in (1, 2, 12)] == ["coke can", "coke can 2", "coke can 12"]
    names = ("coke can", "coke can 2", "coke can 12", "7up can")
    assert [kind_of(name) for name in names] == ["coke can", "coke can", "coke can", "7up can"]


@pytest.mark.parametrize(
    ("name", "defect"),
    [
        ("", "has no name"),
        ("robot", "because the robot or its hand is"),
        ("table", "because a place is"),
        ("a: b", "has a ':' in it"),
        ("all", "'all' reads like the 'all' of goals; call it otherwise; valid: all but all, different, "),
        ("2", "'2' reads like the '2' of goals"),
        ("Nothing", "reads like the 'nothing' of goals"),
        ("if lid", "reads like the 'if' of goals"),
    ],
)
def test_what_nothing_can_be_called_is_refused(name, defect):
    assert checked_name("salt", ["table"]) == "salt"
    with pytest.raises(ValueError, match=defect):
        checked_name(name, ["table"])


@pytest.mark.parametrize(
    "word", ["nothing at all", "stop sign", "allen key", "notebook", "3 mm drill", "question mark"]
)
def test_what_only_begins_like_a_word_of_goals_is_a_name(word):
    assert checked_word(word) == word and goal_word(word) == ""


@pytest.mark.parametrize("word", ["a, b", "a; b", "a: b", "not metal", "also metal", "no skill", "unclear", "held"])
def test_kinds_and_tags_are_held_to_the_same(word):
    with pytest.raises(ValueError, match=f"'{word}' "):
        checked_word(word)
