import pytest

from fmrl_ros.worlds.names import checked_name, kind_of, numbered


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
    ],
)
def test_what_nothing_can_be_called_is_refused(name, defect):
    assert checked_name("salt", ["table"]) == "salt"
    with pytest.raises(ValueError, match=defect):
        checked_name(name, ["table"])
