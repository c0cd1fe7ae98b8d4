"""The shipped planner model on everyday instructions. Needs the base model's weights (cache or package index)."""

import pytest

from fmrl_ros.planning.by_name import load_planner_model, make_planner
from fmrl_ros.planning.symbolic_embodiment import Imperfection, SymbolicEmbodiment
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import load_world

pytestmark = pytest.mark.slow
WORLD = load_world("tabletop")
ASKED = [
    ("put the red block in the blue bowl", "red block", "blue bowl"),
    ("put the green block in the yellow bowl", "green block", "yellow bowl"),
    ("move the yellow block to the top left corner", "yellow block", "top left corner"),
    ("Please put the blue cube into the red dish.", "blue block", "red bowl"),
    ("could you place the red block in the middle", "red block", "middle"),
    ("bring the green block to the bottom right corner", "green block", "bottom right corner"),
]


@pytest.fixture(scope="module")
def planner():
    return make_planner("inner_monologue", load_planner_model("tuned", WORLD, threads=2), WORLD)


def robot(**imperfection: float) -> SymbolicEmbodiment:
    start = SymbolicState.of(WORLD, {b: "table" for b in WORLD.names_of_kind("block")})
    return SymbolicEmbodiment(start, Imperfection(**imperfection), seed=1)


@pytest.mark.parametrize(("instruction", "block", "location"), ASKED)
def test_everyday_instruction_is_carried_out(planner, instruction, block, location):
    arm = robot()
    result = planner.run(instruction, arm)
    assert result.success, result.reason
    assert arm.state.locations[block] == location
    assert len(arm.executed) == 2


def test_a_block_that_slips_away_is_picked_again(planner):
    arm = robot(failure=0.4)
    result = planner.run(ASKED[0][0], arm)
    assert result.success and arm.state.locations["red block"] == "blue bowl"
    assert len(arm.executed) > 2


@pytest.mark.parametrize(
    ("instruction", "goal"),
    [
        ("open the drawer", "drawer open"),
        ("put the red block in the drawer", "red block in drawer"),
        ("stack the green block on the red block", "green block on red block"),
        ("push the blue block away from you", "blue block pushed away"),
        ("press the button", "button lit"),
        ("put the yellow block behind the blue bowl", "yellow block behind blue bowl"),
        ("pick up the yellow block", "yellow block in hand"),
    ],
)
def test_every_skill_can_be_asked_for(planner, instruction, goal):
    result = planner.run(instruction, robot())
    assert result.success, result.reason
    assert goal in [line.text for line in result.monologue]


def test_what_is_not_there_is_named_and_nothing_moves(planner):
    arm = robot()
    result = planner.run("put the purple cube in the blue bowl", arm)
    assert result.refused and not arm.executed
    assert "purple" in result.reason


@pytest.mark.parametrize("instruction", ["juggle with the bowls", "don't touch the red block", "stop it at once"])
def test_what_cannot_or_shall_not_be_done_moves_nothing(planner, instruction):
    arm = robot()
    planner.run(instruction, arm)
    assert not arm.executed
