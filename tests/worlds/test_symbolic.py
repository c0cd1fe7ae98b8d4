import numpy as np
import pytest

from fmrl_ros.worlds.symbolic import InfeasibleSkillError, SymbolicState, random_state
from fmrl_ros.worlds.world import DONE, load_world

WORLD = load_world("tabletop")


def state(**where: str) -> SymbolicState:
    return SymbolicState(WORLD, {b: where.get(b.split()[0], "table") for b in WORLD.names_of_kind("block")})


def test_skills_move_blocks():
    now = state().after(WORLD.skill("pick up the red block"))
    assert now.held == "red block"
    assert now.after(WORLD.skill("place it in the blue bowl")).at("blue bowl") == ("red block",)
    assert now.after(WORLD.skill("place it at the middle")).at("middle") == ("red block",)
    assert now.after(DONE) == now


def test_feasibility_of_every_option():
    def feasible(now):
        return {s.phrase for s in WORLD.options if now.defines(s) and now.feasible(s)} - {"done"}

    assert feasible(state()) == {f"pick up the {c} block" for c in ("red", "green", "blue", "yellow")}
    full = feasible(state(red="hand", green="middle"))
    assert "place it at the middle" not in full and "place it at the top left corner" in full
    assert not any(phrase.startswith("pick") for phrase in full)
    assert "pick up the red block" not in feasible(state(green="red block"))


def test_infeasible_skill_is_an_error_that_names_it():
    with pytest.raises(InfeasibleSkillError, match="place it at the middle"):
        state().after(WORLD.skill("place it at the middle"))


@pytest.mark.parametrize(
    "locations", [{"red block": "hand"}, {b: "hand" for b in WORLD.names_of_kind("block")},
                  {b: "moon" for b in WORLD.names_of_kind("block")}]
)  # fmt: skip
def test_impossible_states_are_refused(locations):
    with pytest.raises(ValueError):
        SymbolicState(WORLD, locations)


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
    assert all(len(s.at(p)) <= 1 for s in states for p in s.places)
