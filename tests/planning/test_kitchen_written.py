import pytest

from fmrl_ros.planning.curriculum import KitchenCurriculum
from fmrl_ros.planning.kitchen_goals import Delivery, KitchenGoal, solve
from fmrl_ros.planning.kitchen_written import goal_of, written_tasks
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


@pytest.mark.parametrize("split", ["dev", "test"])
def test_every_written_request_has_a_plan_and_is_not_met_by_doing_nothing_unless_void(split):
    tasks = written_tasks(WORLD, split)
    assert len(tasks) >= 60
    for task in tasks:
        skills = solve(task.start, task.goal).skills
        state = task.start
        for skill in skills[:-1]:
            state = state.after(skill)
        assert task.fulfilled(state), task.instruction
        assert task.impossible or task.void == (len(skills) == 1), task.instruction


def test_the_splits_share_no_request_and_are_the_same_for_any_seed():
    curriculum = KitchenCurriculum(WORLD)
    test = curriculum.tasks("written", 3, 1000)
    assert not {t.instruction for t in test} & {t.instruction for t in curriculum.tasks("written_dev", 3, 1000)}
    assert curriculum.tasks("written", 4, 10) == test[:10]


COKES = ("coke can", "coke can 2")


@pytest.mark.parametrize(
    "meaning, goal",
    [
        ("caffeine, not sugary to user", KitchenGoal((Delivery(("tea",), "user"),))),
        ("all coke can, also at table to trash can", KitchenGoal((Delivery(COKES, "trash can", None),))),
        ("2 different can|cup to user", KitchenGoal((Delivery((*COKES, "cup"), "user", 2, different=True),))),
        ("held to table", KitchenGoal((Delivery(("sponge",), "table"),))),
        (
            "open top drawer; tea to top drawer",
            KitchenGoal((Delivery(("tea",), "top drawer"),), opened=("top drawer",)),
        ),
        ("pick up apple; go to user", KitchenGoal(hold=("apple",), robot_at="user")),
        ("put down", KitchenGoal(release=True)),
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
        ("apple to moon", "'moon'; valid: close counter"),
        ("open left drawer", "'left drawer'; valid: close counter"),
        ("go to moon", "'moon'; valid: close counter"),
        ("apple", "'apple' does not end with"),
    ],
)
def test_a_meaning_that_the_scene_has_not_is_named_with_what_there_is(meaning, named):
    with pytest.raises(ValueError, match=named):
        goal_of(meaning, START)
