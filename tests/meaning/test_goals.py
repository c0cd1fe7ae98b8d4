import numpy as np

from fmrl_ros.learning.planner.instructions import FAMILIES, InstructionGenerator
from fmrl_ros.meaning.goals import Goal, next_skills
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


def state(**where: str) -> SymbolicState:
    return SymbolicState.of(WORLD, {b: where.get(b.split()[0], "table") for b in WORLD.names_of_kind("block")})


def phrases(start: SymbolicState, goal: Goal) -> list[str]:
    return [s.phrase for s in next_skills(start, goal)]


def test_every_family_is_solved_by_its_own_expert_from_every_option_it_offers():
    rng = np.random.default_rng(0)
    generator = InstructionGenerator(WORLD, "train", 0)
    for family in FAMILIES:
        for _ in range(25):
            task = generator.draw(family)
            now, taken = task.start, []
            while not taken or taken[-1].name not in ("done", "refuse"):
                options = next_skills(now, task.goal)
                assert options and all(now.feasible(s) for s in options), task.instruction
                taken.append(options[int(rng.integers(len(options)))])
                now = now.after(taken[-1])
                assert len(taken) < 20, task.instruction
            assert task.goal.satisfied(now) or taken == next_skills(task.start, Goal(impossible=True))


def test_what_is_in_the_way_of_the_hand_is_put_down_first_and_not_where_it_will_disturb():
    goal = Goal({"red block": ("top left corner",)})
    assert "place it at the top left corner" not in phrases(state(green="hand"), goal)
    assert phrases(state(green="hand"), goal)[0] == "place it at the top right corner"


def test_an_occupied_place_is_freed_first():
    assert phrases(state(green="middle"), Goal({"red block": ("middle",)})) == ["pick up the green block"]


def test_a_block_under_another_waits_for_the_upper_one():
    assert phrases(state(green="red block"), Goal({"red block": ("middle",)})) == ["pick up the green block"]


def test_done_when_satisfied_and_never_for_the_impossible():
    assert phrases(state(red="blue bowl"), Goal({"red block": ("blue bowl",)})) == ["done"]
    assert phrases(state(), Goal(impossible=True)) == ["say that it cannot be done"]
    assert phrases(state(red="hand"), Goal(hold="red block")) == ["done"]
    assert phrases(state(red="hand"), Goal(release=True))[0].startswith("place it at")
