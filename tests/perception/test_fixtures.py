"""Drawer and lamp are read off rendered pictures; a hidden one is not guessed."""

import numpy as np
import pytest

from fmrl_ros.learning.skills.camera_detections import half_covered
from fmrl_ros.perception.fixtures import FixtureDetector
from fmrl_ros.simulation.rendering import CameraRenderer, camera_model
from fmrl_ros.simulation.tabletop import sample_layout
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


@pytest.fixture(scope="module")
def look():
    simulation = TabletopSimulation(WORLD)
    renderer = CameraRenderer(simulation.model)
    detector = FixtureDetector(WORLD)

    def look(drawer=0.0, lamp=False, seed=0, cover=False, half=None, camera="front"):
        simulation.reset(sample_layout(WORLD, np.random.default_rng(seed)), drawer=drawer, lamp=lamp)
        frame = renderer.frame(simulation.data, camera)
        if cover:
            frame.depth[:] = 0.3
        if half is not None:
            bodies = [i for i in range(simulation.model.nbody) if simulation.model.body(i).name.startswith(half)]
            frame = half_covered(frame, np.isin(renderer.bodies(simulation.data, camera), bodies))
        model = camera_model(simulation.model, simulation.data, camera)
        return {d.name: d for d in detector.detect(frame.color, frame.depth, model)}

    yield look
    renderer.close()


@pytest.mark.parametrize("drawer", [0.0, 0.05, 0.09, 0.14])
def test_a_drawer_is_seen_where_it_is(look, drawer):
    handle = look(drawer=drawer)["drawer"].position
    assert handle == pytest.approx((WORLD.fixture("drawer").position[0] - drawer, 0.47, 0.06), abs=0.006)


@pytest.mark.parametrize("lamp", [True, False])
def test_a_lamp_is_seen_lit_or_dark(look, lamp):
    for seed in range(3):
        assert (look(lamp=lamp, seed=seed)["button"].state > 0.5) == lamp


@pytest.mark.parametrize("drawer", [0.0, 0.09, 0.14])
def test_half_of_a_drawer_tells_how_far_it_is_open(look, drawer):
    handle = look(drawer=drawer, half="drawer")["drawer"].position
    assert handle == pytest.approx((WORLD.fixture("drawer").position[0] - drawer, 0.47, 0.06), abs=0.008)


@pytest.mark.parametrize("lamp", [True, False])
def test_half_of_a_lamp_tells_whether_it_is_lit(look, lamp):
    assert (look(lamp=lamp, half="button", camera="side")["button"].state > 0.5) == lamp


def test_what_is_hidden_is_not_reported(look):
    assert look(drawer=0.14, cover=True) == {}
