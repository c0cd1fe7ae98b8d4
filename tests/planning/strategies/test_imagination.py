import numpy as np
import pytest
from kitchen_models import FETCH, Preferring

from fmrl_ros.meaning.intention import Explained
from fmrl_ros.planning.choice import ChoiceRule
from fmrl_ros.planning.embodiment import EmbodimentError
from fmrl_ros.planning.prompt import Transcript
from fmrl_ros.planning.strategies.imagination import (
    IMPOSSIBLE,
    MAX_SKILLS,
    POSSIBLE,
    draft,
    state_key,
    symbolic_state,
)
from fmrl_ros.worlds.names import HAND
from fmrl_ros.worlds.symbolic import TABLE, SymbolicState
from fmrl_ros.worlds.world import DONE, load_world

WORLD = load_world("kitchen")


def test_a_drawn_plan_has_no_skill_that_a_careful_one_leaves_out(robot):
    model, rng = (
        Preferring("find the tea", "pick up the tea", "done", instead="find the apple"),
        np.random.default_rng(0),
    )
    start = Transcript("bring me the apple")
    for _ in range(5):
        drawn = draft(model, start, robot.state, ChoiceRule(), rng=rng, aim=Explained("apple to user", WORLD))
        assert all(affordance > 0.5 for affordance in drawn.affordances)
        assert "tea" not in " ".join(skill.phrase for skill in drawn.steps)
        assert drawn.ending is None or drawn.fulfilled


def test_the_state_of_a_tabletop_is_what_the_cameras_see():
    world = load_world("tabletop")
    locations = dict.fromkeys(world.names_of_kind("block"), TABLE) | {"red block": HAND, "blue block": "green bowl"}
    state = SymbolicState.of(world, locations)

    class Eyes:
        def describe_scene(self):
            return state.scene()

    assert symbolic_state(Eyes(), world) == state
    with pytest.raises(EmbodimentError, match="kitchen"):
        symbolic_state(Eyes(), WORLD)


def test_how_things_lie_to_each_other_does_not_tell_states_apart():
    world = load_world("tabletop")
    state = SymbolicState.of(world, dict.fromkeys(world.names_of_kind("block"), TABLE))
    beside = state.with_fact(("beside", "red block", "left of", "blue bowl"))
    assert beside != state and state_key(beside) == state_key(state)
    assert state_key(state.with_fact(("open", "drawer"))) != state_key(state)
    assert state_key(state.moved("red block", "drawer")) != state_key(state)


def test_a_plan_is_written_to_its_end_with_the_states_that_are_predicted(robot):
    plan = draft(Preferring(*FETCH), Transcript("bring me the apple"), robot.state)
    assert tuple(skill.phrase for skill in plan.skills) == FETCH and plan.ending == DONE
    assert plan.states[0] == robot.state and plan.states[-1].locations["apple"] == "user"
    assert plan.affordances == (POSSIBLE,) * 3 and plan.fulfilled is None and not robot.executed


def test_an_impossible_skill_is_predicted_to_change_nothing(robot):
    plan = draft(Preferring("pick up the apple", "done"), Transcript("take the apple"), robot.state)
    assert plan.affordances == (IMPOSSIBLE,) and plan.states == (robot.state, robot.state)
    assert plan.affordance == pytest.approx(IMPOSSIBLE)


def test_a_plan_ends_as_soon_as_the_predicted_state_is_what_was_asked_for(robot):
    model = Preferring(*FETCH[:3], "go to the table")
    plan = draft(model, Transcript("bring me the apple"), robot.state, aim=Explained("apple to user", WORLD))
    assert plan.fulfilled and tuple(skill.phrase for skill in plan.skills) == FETCH


def test_a_plan_without_an_end_is_cut(robot):
    places = robot.state.world.names_of_kind("surface|person")
    rounds = [*places * 3, *places[::-1] * 3]
    model = Preferring(*(f"go to the {place}" for place in rounds))
    plan = draft(model, Transcript("walk"), robot.state)
    assert plan.ending is None and len(plan.steps) == MAX_SKILLS
