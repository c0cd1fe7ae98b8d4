import numpy as np
import pytest

from fmrl_ros.learning.planner.curriculum import KitchenCurriculum
from fmrl_ros.learning.planner.kitchen_meaning import goal_of
from fmrl_ros.meaning.kitchen_goals import Delivery, KitchenGoal, carried_out, solve
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")
START = start_state(
    WORLD, {"robot_at": "table", "holding": "sponge", "objects": {"apple": "top drawer", "cup": "far counter"}}
)


@pytest.mark.parametrize("split", ["train", "dev", "new"])
def test_a_solutions_explanation_carried_out_fulfils_its_task(split):
    rng = np.random.default_rng(1)
    for task in KitchenCurriculum(WORLD).tasks(split, 4, 200):
        state = carried_out(task.start, solve(task.start, task.goal, rng).explanation)
        assert task.impossible if state is None else task.fulfilled(state), task.instruction


def test_what_stands_in_the_way_is_seen_to():
    state = carried_out(START, "hand: sponge; fruit: apple to user")
    assert state.locations == {"apple": "user", "cup": "far counter", "sponge": "table"}
    assert state.open == {"top drawer"} and state.robot_at == "user"


def test_one_part_after_the_other_is_carried_out():
    state = carried_out(START, "open middle drawer; pick up cup; go to close counter; close middle drawer")
    assert state.held == "cup" and not state.open and state.robot_at == "middle drawer"
    assert carried_out(START, "put down; find cup").robot_at == "far counter"


def test_the_robot_ends_where_it_shall_be_although_a_drawer_is_to_be_closed_as_well():
    opened = start_state(WORLD, {"robot_at": "table", "objects": {"cup": "table"}, "open": ["middle drawer"]})
    goal = goal_of("close middle drawer; go to close counter", opened)
    solution = solve(opened, goal)
    assert solution.explanation == "close middle drawer; go to close counter"
    assert goal.satisfied(opened, carried_out(opened, solution.explanation))


def test_what_is_done_already_needs_nothing():
    assert carried_out(START, "pick up sponge") == START
    assert carried_out(START, "cup to far counter") == START


@pytest.mark.parametrize("refusal", ["no skill", "hand: sponge; sharp: none"])
def test_a_refusal_leads_nowhere(refusal):
    assert carried_out(START, refusal) is None


@pytest.mark.parametrize("text", ["knife to user", "cup", "pick up banana", ""])
def test_what_this_kitchen_does_not_have_cannot_be_carried_out(text):
    with pytest.raises(ValueError, match="cannot be carried out"):
        carried_out(START, text)


def test_a_goal_counts_and_forbids():
    start = start_state(WORLD, {"objects": dict.fromkeys(("apple", "orange", "banana", "sponge"), "table")})
    goal = KitchenGoal((Delivery(("apple", "orange", "banana"), "user", 2),))
    one = start.moved("apple", "user")
    two = one.moved("orange", "user")
    assert not goal.satisfied(start, one) and goal.satisfied(start, two)
    assert not goal.satisfied(start, two.moved("banana", "user"))
    assert not goal.satisfied(start, two.moved("sponge", "trash can"))


def test_of_different_things_no_two_of_a_kind_count():
    start = start_state(WORLD, {"objects": dict.fromkeys(("apple", "apple 2", "orange", "orange 2"), "table")})
    goal = KitchenGoal((Delivery(("apple", "apple 2", "orange", "orange 2"), "user", 2, "fruit", different=True),))
    one = start.moved("apple 2", "user")
    assert goal.satisfied(start, one.moved("orange", "user")) and goal.satisfied(start, one.moved("orange 2", "user"))
    assert not goal.satisfied(start, one.moved("apple", "user"))
    assert solve(start, goal).explanation == "2 different fruit: apple, orange to user"


def test_what_goes_beside_another_thing_is_explained_by_it():
    start = start_state(WORLD, {"objects": {"apple": "table", "cup": "far counter"}})
    goal = KitchenGoal((Delivery(("apple",), "far counter", beside="cup"),))
    assert solve(start, goal).explanation == "apple beside cup to far counter"
