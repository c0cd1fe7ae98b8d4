import numpy as np
import pytest

from fmrl_ros.bench.true_state import reached, true_scene
from fmrl_ros.simulation.tabletop import sample_layout
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.simulation.truth import truth
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


@pytest.fixture(scope="module")
def simulation():
    return TabletopSimulation(WORLD)


def after(simulation, drawer=0.0, lamp=False, **moved):
    """Start and truth where some blocks are elsewhere than at the start."""
    start = sample_layout(WORLD, np.random.default_rng(3))
    poses = {name.replace("_", " "): np.array([*pose, 0.0]) for name, pose in moved.items()}
    simulation.reset({**start, **poses}, drawer=drawer, lamp=lamp)
    return start, truth(simulation)


def test_what_is_true_is_seen_as_cameras_would(simulation):
    start, _ = after(simulation)
    x, y = start["blue bowl"][:2]
    start, true = after(simulation, drawer=0.14, lamp=True, red_block=(x, y, 0.03))
    scene = true_scene(WORLD, true)
    assert (
        scene.holds("red block", "in", "blue bowl") and scene.holds("drawer", "open") and scene.holds("button", "lit")
    )
    assert reached("red block in blue bowl; drawer open; button lit", WORLD, start, true)
    assert not reached("red block in red bowl", WORLD, start, true)


def test_a_push_is_how_far_a_block_has_come(simulation):
    start, _ = after(simulation)
    x, y = start["red block"][:2]
    start, true = after(simulation, red_block=(x + 0.1, y, 0.02))
    assert reached("red block pushed away", WORLD, start, true)
    assert not reached("red block pushed closer", WORLD, start, true)
