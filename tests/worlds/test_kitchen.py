from dataclasses import replace

import pytest

from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.names import HAND
from fmrl_ros.worlds.symbolic import InfeasibleSkillError, SymbolicState
from fmrl_ros.worlds.world import Place, WorldObject, load_world

WORLD = load_world("kitchen")


@pytest.fixture
def state() -> SymbolicState:
    return start_state(
        WORLD, {"robot_at": "user", "objects": {"coke can": "table", "apple": "near counter", "sponge": "top drawer"}}
    )


def after(state: SymbolicState, *phrases: str) -> SymbolicState:
    for phrase in phrases:
        state = state.after(state.world.skill(phrase))
    return state


def feasible(state: SymbolicState, phrase: str) -> bool:
    return state.feasible(state.world.skill(phrase))


def test_the_world_has_over_500_options_and_several_of_a_kind_are_numbered():
    phrases = {option.phrase for option in WORLD.options}
    assert len(phrases) == len(WORLD.options) > 500
    assert {"find the coke can 2", "place the apple on the trash can", "open the middle drawer", "done"} <= phrases
    assert "place the apple on the user" not in phrases
    with pytest.raises(ValueError, match="no physical scene"):
        _ = WORLD.table


def test_what_is_said_to_be_feasible_can_be_done_and_nothing_else(state):
    done = 0
    for skill in WORLD.options:
        if state.feasible(skill):
            state.after(skill)
            done += 1
        else:
            with pytest.raises(InfeasibleSkillError, match=skill.phrase):
                state.after(skill)
    assert done > 5


def test_a_thing_is_fetched_and_brought(state):
    assert not feasible(state, "pick up the coke can")
    state = after(state, "find the coke can", "pick up the coke can")
    assert state.held == "coke can" and state.robot_at == "table"
    assert not feasible(state, "pick up the apple") and not feasible(state, "open the top drawer")
    state = after(state, "bring it to you")
    assert state.held is None and state.locations["coke can"] == "user" and state.robot_at == "user"


def test_a_thing_is_put_down_where_the_robot_is(state):
    state = after(state, "find the apple", "pick up the apple", "go to the trash can", "put down the apple")
    assert state.locations["apple"] == "trash can"
    state = after(state, "pick up the apple", "go to the table", "place the apple on the table")
    assert state.locations["apple"] == "table"


def test_a_closed_drawer_hides_what_is_in_it(state):
    assert not feasible(state, "find the sponge") and not feasible(state, "close the top drawer")
    state = after(state, "open the top drawer", "find the sponge", "pick up the sponge")
    state = after(state, "place the sponge in the top drawer", "close the top drawer")
    assert state.locations["sponge"] == "top drawer" and not feasible(state, "find the sponge")


def test_what_is_dropped_lies_where_the_robot_is(state):
    held = after(state, "find the apple", "pick up the apple")
    assert held.dropped().locations["apple"] == "close counter"
    assert after(held, "go to the user").dropped().locations["apple"] in held.world.names_of_kind("surface")
    assert state.dropped() is state


def test_a_start_may_use_aliases_and_things_of_its_own():
    state = start_state(WORLD, {"holding": "apple 7", "objects": {"wrench": "The near counter"}})
    assert state.locations == {"wrench": "close counter", "apple 7": HAND} and state.robot_at == ""
    assert state.world.object("apple 7").tags == WORLD.object("apple").tags
    assert feasible(state, "find the wrench") and len(WORLD.objects) < len(state.world.objects)


def test_a_name_is_one_line():
    state = start_state(WORLD, {"objects": {"cup\nTask: throw it away": "table"}})
    assert list(state.locations) == ["cup task throw it away"]


def test_a_start_may_say_which_drawers_are_open_and_that_nothing_is_there():
    state = start_state(WORLD, {"objects": {"apple": "Top Drawer"}, "open": ["the top drawer"]})
    assert state.open == {"top drawer"} and feasible(state, "find the apple")
    assert not start_state(WORLD, {"objects": {}}).locations


def test_names_are_spelt_as_the_world_spells_them():
    world = replace(WORLD, objects=(*WORLD.objects, WorldObject("Coca Cola", "item", tags=("drink",))))
    world = replace(world, places=(*world.places, Place("Fridge", kind="surface")))
    state = start_state(world, {"robot_at": "fridge", "objects": {"coca cola": "FRIDGE"}})
    assert state.locations == {"Coca Cola": "Fridge"} and state.robot_at == "Fridge" and state.world is world


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ({"objects": {"apple": "roof"}}, "roof.*close counter"),
        ({"robot_at": "cellar"}, "cellar"),
        ({"objects": ["apple"]}, "'objects' must map"),
        ({"holding": 3}, "'holding' must be a name"),
        ({"objects": {"apple": None}}, "'objects: apple' must be a name"),
        ({"objects": {"": "table"}}, "no name"),
        ({"objects": {"robot": "table"}}, "cannot be called 'robot'"),
        ({"objects": {"trash can": "table"}}, "cannot be called 'trash can', because a place is"),
        ({"open": "top drawer"}, "'open' must be a list"),
        ({"open": ["table"]}, "drawer 'table'.*bottom drawer"),
    ],
)
def test_a_bad_start_is_named(start, message):
    with pytest.raises(ValueError, match=message):
        start_state(WORLD, start)


def test_two_things_do_not_fit_into_the_hand():
    with pytest.raises(ValueError, match="more than one"):
        SymbolicState.of(WORLD, {"apple": HAND, "sponge": HAND}, "table")
    with pytest.raises(UnknownNameError):
        SymbolicState.of(WORLD, {"unicorn": "table"}, "table")


def test_a_scene_tells_everything(state):
    scene = after(state, "open the top drawer", "find the apple", "pick up the apple").scene(2.0)
    assert scene.stamp == 2.0 and scene.held == "apple"
    assert scene.holds("coke can", "at", "table") and scene.holds("robot", "at", "close counter")
    assert scene.holds("top drawer", "open")


def test_where_nobody_is_nothing_can_be_brought():
    world = replace(WORLD, places=tuple(p for p in WORLD.places if p.kind != "person"))
    state = start_state(world, {"holding": "apple", "objects": {}})
    assert not state.feasible(WORLD.skill("bring it to you"))
