import hashlib
from dataclasses import replace

import numpy as np
import pytest

from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.worlds.symbolic import InfeasibleSkillError, SymbolicState, random_state
from fmrl_ros.worlds.world import DONE, Skill, load_world

WORLD = load_world("tabletop")
COLOURS = ("red", "green", "blue", "yellow")


def state(**where: str) -> SymbolicState:
    return SymbolicState.of(WORLD, {b: where.get(b.split()[0], "table") for b in WORLD.names_of_kind("block")})


def after(now: SymbolicState, *phrases: str) -> SymbolicState:
    for phrase in phrases:
        now = now.after(WORLD.skill(phrase))
    return now


def test_skills_move_blocks():
    now = state().after(WORLD.skill("pick up the red block"))
    assert now.held == "red block"
    assert now.after(WORLD.skill("place it in the blue bowl")).at("blue bowl") == ("red block",)
    assert now.after(WORLD.skill("place it at the middle")).at("middle") == ("red block",)
    assert now.after(DONE) == now


def feasible(now: SymbolicState) -> set[str]:
    return {option.phrase for option in WORLD.options if now.feasible(option)}


def test_with_an_empty_hand_blocks_are_picked_and_pushed_and_the_drawer_and_the_button_used():
    picks = {f"pick up the {c} block" for c in COLOURS}
    ways = WORLD.names_of_kind("way")
    pushes = {f"push the {c} block {way}" for c in COLOURS for way in ways}
    assert feasible(state()) == picks | pushes | {"open the drawer", "press the button", "done"}
    covered = feasible(state(green="red block", blue="red bowl"))
    assert "pick up the red block" not in covered and "push the red block away" not in covered
    assert "pick up the blue block" in covered and "push the blue block away" not in covered


def test_with_a_full_hand_things_are_placed_where_there_is_room():
    full = feasible(state(red="hand", green="middle", blue="yellow block"))
    assert "place it at the middle" not in full and "place it at the top left corner" in full
    assert "place it on the yellow block" not in full and "place it on the blue block" in full
    assert "place it on the red block" not in full and "place it left of the red block" not in full
    assert "place it in the drawer" not in full and "place it in the red bowl" in full
    assert not any(phrase.startswith(("pick", "push", "open", "press")) for phrase in full)


def test_what_lies_in_the_drawer_is_there_while_it_is_open():
    now = after(state(), "open the drawer", "pick up the red block", "place it in the drawer")
    assert now.at("drawer") == ("red block",) and "pick up the red block" in feasible(now)
    shut = after(now, "close the drawer")
    assert "pick up the red block" not in feasible(shut) and not shut.open
    assert shut.scene().holds("drawer", "closed") and now.scene().holds("drawer", "open")


def test_what_is_put_beside_something_is_there_until_it_is_moved():
    now = after(state(red="hand"), "place it left of the blue bowl")
    assert now.held is None and now.scene().holds("red block", "left of", "blue bowl")
    assert not after(now, "pick up the red block").scene().holds("red block", "left of", "blue bowl")
    assert not after(now, "push the red block away").scene().holds("red block", "left of", "blue bowl")


def test_a_skill_whose_purpose_is_met_need_not_be_done():
    def achieved(now):
        return {option.phrase for option in WORLD.options if now.achieved(option)}

    assert achieved(state(red="middle")) == {"close the drawer"}
    assert achieved(after(state(red="hand", blue="red bowl"))) == {"pick up the red block", "close the drawer"}
    assert achieved(after(state(), "open the drawer", "press the button")) == {"open the drawer", "press the button"}


def walked(now: SymbolicState, options: list[Skill], rng: np.random.Generator) -> str:
    """A digest of what is feasible, and of where everything is, along a walk of 60 steps."""
    said = []
    for _ in range(60):
        possible = [option for option in options if now.feasible(option)]
        said.append(", ".join([*(o.phrase for o in possible), *now.locations.values(), now.robot_at]))
        now = now.after(possible[int(rng.integers(len(possible)))])
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]


def test_walks_are_those_of_the_rules_that_were_written_in_python():
    rng, kitchen = np.random.default_rng(3), load_world("kitchen")
    places = kitchen.names_of_kind("surface|person|drawer")
    locations = {o.name: places[int(rng.integers(len(places)))] for o in kitchen.objects[::3]}
    start = SymbolicState.of(kitchen, locations, "table", ["top drawer"])
    assert walked(start, list(kitchen.options), rng) == "c88c28afed5ef3b6"
    kinds = {"pick": "block", "place_in": "bowl", "place_at": "place"}
    some = [o for o in WORLD.options if o.arguments in {(x,) for x in WORLD.names_of_kind(kinds.get(o.name, ""))}]
    assert walked(random_state(WORLD, rng), some, rng) == "5d64ae097c1aa076"


def test_what_a_scene_shows_is_a_state():
    now = after(state(green="middle", blue="red bowl", yellow="green block"), "open the drawer", "press the button")
    assert SymbolicState.seen(WORLD, now.scene()) == now
    beside = after(state(red="hand"), "place it left of the blue bowl")
    assert SymbolicState.seen(WORLD, beside.scene()) == beside
    kitchen = load_world("kitchen")
    apple = SymbolicState.of(kitchen, {o.name: "table" for o in kitchen.objects} | {"apple": "hand"}, "user")
    assert SymbolicState.seen(kitchen, apple.scene()) == apple
    with pytest.raises(ValueError, match="none of its things"):
        SymbolicState.seen(kitchen, now.scene())


def test_states_in_which_the_same_holds_are_equal_and_have_one_hash():
    there_and_back = after(state(), "pick up the red block").moved("red block", "table")
    assert there_and_back == state() and hash(there_and_back) == hash(state())
    assert state() != state(red="middle")


def test_of_what_is_not_there_nothing_is_feasible():
    only = SymbolicState.of(WORLD, {"green block": "table"})
    assert "pick up the green block" in feasible(only) and "pick up the red block" not in feasible(only)
    assert not only.achieved(WORLD.skill("pick up the red block"))


def test_a_skill_of_which_the_world_says_nothing_is_named():
    dance = Skill("dance", (), "dance")
    assert not state().defines(dance) and not state().achieved(dance)
    with pytest.raises(ValueError, match="the world 'tabletop' does not say what 'dance' requires"):
        state().feasible(dance)


def test_a_fact_that_cannot_be_is_named():
    assert state().with_fact(("open", "drawer")).with_fact(("open", "drawer"), holds=False) == state()
    with pytest.raises(UnknownNameError, match="unknown open 'button'; valid: drawer"):
        state().with_fact(("open", "button"))


def test_infeasible_skill_is_an_error_that_names_it():
    with pytest.raises(InfeasibleSkillError, match="place it at the middle"):
        state().after(WORLD.skill("place it at the middle"))


@pytest.mark.parametrize(
    "locations",
    [
        {"red block": "moon"},
        {"red block": "red block"},
        {"red bowl": "table"},
        {b: "hand" for b in WORLD.names_of_kind("block")},
    ],
)
def test_impossible_states_are_refused(locations):
    with pytest.raises(ValueError):
        SymbolicState.of(WORLD, locations)


def test_scene_says_what_the_state_says():
    scene = state(red="hand", green="middle", blue="red bowl", yellow="green block").scene()
    assert scene.held == "red block"
    assert scene.holds("green block", "at", "middle") and scene.holds("blue block", "in", "red bowl")
    assert scene.holds("yellow block", "on", "green block") and scene.holds("blue bowl", "empty")
    assert not scene.holds("red bowl", "empty") and scene.holds("top left corner", "clear")


def test_random_states_are_valid_and_repeatable():
    drawn = [random_state(WORLD, np.random.default_rng(5), holding=0.5) for _ in range(2)]
    assert drawn[0].locations == drawn[1].locations
    rng = np.random.default_rng(0)
    states = [random_state(WORLD, rng, holding=0.5) for _ in range(200)]
    assert 60 < sum(s.held is not None for s in states) < 140
    assert all(len(s.at(p)) <= 1 for s in states for p in WORLD.names_of_kind("place"))


def test_the_option_towards_a_fact_is_the_first_that_makes_it_hold():
    def towards(now, *fact):
        return now.towards(fact).phrase

    assert towards(state(), "held", "red block") == "pick up the red block"
    assert towards(state(red="hand"), "in", "red block", "blue bowl") == "place it in the blue bowl"
    kitchen = load_world("kitchen")
    now = SymbolicState.of(kitchen, {"apple": "hand"}, "table", ["top drawer"])
    assert towards(now, "at", "apple", "table") == "put down the apple"
    assert towards(now, "at", "apple", "user") == "bring it to you"
    assert towards(now, "at", "apple", "top drawer") == "place the apple in the top drawer"
    with pytest.raises(InfeasibleSkillError, match="put down the apple"):
        now.towards(("at", "apple", "far counter"))
    with pytest.raises(KeyError, match=r"held\(red bowl\)"):
        state().towards(("held", "red bowl"))


def test_a_scene_of_a_world_in_which_nothing_is_carried_is_seen():
    world = replace(WORLD, objects=tuple(thing for thing in WORLD.objects if thing.kind != "block"))
    state = SymbolicState(world, (), frozenset({("open", "drawer")}))
    assert SymbolicState.seen(world, state.scene()).facts == state.facts
