"""The tabletop world is what its YAML says, and a reset leaves it at rest and free of collisions."""

import itertools

import numpy as np
import pytest

from fmrl_ros.simulation.tabletop import BLOCK_GAP, BOWL_BLOCK_GAP, BOWL_GAP, sample_layout
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


@pytest.fixture(scope="module")
def simulation():
    return TabletopSimulation(WORLD)


@pytest.mark.parametrize("seed", range(5))
def test_a_reset_world_stays_where_it_was_put(simulation, seed):
    layout = sample_layout(WORLD, np.random.default_rng(seed))
    simulation.reset(layout)
    simulation.step(1.0)
    for name, pose in layout.items():
        assert np.linalg.norm(simulation.pose(name)[:3] - pose[:3]) < 0.003, name
    assert np.abs(simulation.robot_state.dq).max() < 0.01


@pytest.mark.parametrize("seed", range(20))
def test_layouts_keep_their_distances(seed):
    layout = sample_layout(WORLD, np.random.default_rng(seed))
    gaps = {("block", "block"): BLOCK_GAP, ("bowl", "bowl"): BOWL_GAP, ("block", "bowl"): BOWL_BLOCK_GAP}
    for one, other in itertools.combinations(WORLD.objects, 2):
        distance = np.linalg.norm(layout[one.name][:2] - layout[other.name][:2])
        assert distance >= gaps[tuple(sorted((one.kind, other.kind)))]  # type: ignore[index]


def test_a_seed_gives_the_same_layout_again():
    first, again, other = (sample_layout(WORLD, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not all(np.array_equal(first[name], other[name]) for name in first)


def test_an_object_that_the_layout_lacks_is_put_away(simulation):
    layout = sample_layout(WORLD, np.random.default_rng(0))
    del layout["red block"]
    simulation.reset(layout)
    assert simulation.pose("red block")[2] < -0.1


def test_a_closed_hand_holds_a_block_and_an_open_one_does_not(simulation):
    from fmrl_ros.robot.model import HOME
    from fmrl_ros.robot.state import JointCommand

    layout = sample_layout(WORLD, np.random.default_rng(0))
    simulation.reset(layout)
    layout["red block"] = np.array([*simulation.tcp, 0.0])
    simulation.reset(layout, HOME, finger=0.0205)
    simulation.command(JointCommand(HOME, 0.0))
    simulation.step(1.0)
    assert simulation.held("red block")
    assert simulation.pose("red block")[2] > 0.25
    simulation.command(JointCommand(HOME, 0.04))
    simulation.step(1.0)
    assert not simulation.held("red block")
    assert simulation.pose("red block")[2] < 0.1
