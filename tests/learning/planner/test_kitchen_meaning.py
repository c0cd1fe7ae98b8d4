import pytest

from fmrl_ros.learning.planner.kitchen_meaning import NotHereError, goal_of
from fmrl_ros.meaning.kitchen_goals import Delivery, KitchenGoal
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")
START = start_state(
    WORLD,
    {
        "holding": "sponge",
        "objects": {"coke can": "table", "coke can 2": "table", "tea": "far counter", "apple": "table", "cup": "table"},
    },
)

COKES = ("coke can", "coke can 2")
SHUT_IN = KitchenGoal((Delivery(("tea",), "top drawer"),), closed=("top drawer",))


@pytest.mark.parametrize(
    "meaning, goal",
    [
        ("caffeine, not sugary to user", KitchenGoal((Delivery(("tea",), "user", kind="caffeine, not sugary"),))),
        (
            "all coke can, also at table to trash can",
            KitchenGoal((Delivery(COKES, "trash can", None, "coke can, also at table"),)),
        ),
        ("2 different can|cup to user", KitchenGoal((Delivery((*COKES, "cup"), "user", 2, different=True),))),
        ("held to table", KitchenGoal((Delivery(("sponge",), "table", kind="held"),))),
        (
            "open top drawer; tea to top drawer",
            KitchenGoal((Delivery(("tea",), "top drawer"),), opened=("top drawer",)),
        ),
        ("pick up apple; go to user", KitchenGoal(hold=("apple",), robot_at="user")),
        ("put down", KitchenGoal(release=True)),
        ("open top drawer; tea to top drawer; close top drawer", SHUT_IN),
        ("tea beside apple", KitchenGoal((Delivery(("tea",), "table", beside="apple"),))),
        ("coke can to user", KitchenGoal((Delivery(COKES, "user"),))),
        ("all coke can to user", KitchenGoal((Delivery(COKES, "user", None, "coke can"),))),
        ("fork: none", KitchenGoal(impossible=True, missing="fork")),
        ("no skill", KitchenGoal(impossible=True)),
    ],
)
def test_meanings_are_read(meaning, goal):
    assert goal_of(meaning, START) == goal


@pytest.mark.parametrize(
    "meaning, named",
    [
        ("fork to user", "'fork'; here is coke can"),
        ("pick up fork", "'fork'; here is coke can"),
        ("apple to moon", "'apple to moon' does not end with 'to' and a place of the kitchen; valid: close counter"),
        ("open left drawer", "'left drawer'; valid: close counter"),
        ("go to moon", "'moon'; valid: close counter"),
        ("apple", "'apple' does not end with"),
        ("apple, nor tea to user", "'nor tea' begins neither with 'not' nor with 'also'"),
        ("apple beside sponge", "'sponge' is not at one place on which 'apple' could be put"),
    ],
)
def test_a_meaning_that_the_scene_has_not_is_named_with_what_there_is(meaning, named):
    with pytest.raises(ValueError, match=named):
        goal_of(meaning, START)


def test_only_what_may_be_elsewhere_is_told_from_what_is_no_meaning():
    with pytest.raises(NotHereError):
        goal_of("fork to user", START)
    with pytest.raises(ValueError, match="apple to moon") as raised:
        goal_of("apple to moon", START)
    assert not isinstance(raised.value, NotHereError)
