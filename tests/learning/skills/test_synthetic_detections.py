from dataclasses import fields

import numpy as np
import pytest

from fmrl_ros.learning.skills.synthetic_detections import DetectionNoise, SyntheticDetector
from fmrl_ros.simulation.tabletop import sample_layout
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
NONE = DetectionNoise().scaled(0.0)


@pytest.fixture(scope="module")
def simulation():
    simulation = TabletopSimulation(WORLD)
    simulation.reset(sample_layout(WORLD, np.random.default_rng(0)))
    simulation.settle(0.3)
    return simulation


def test_without_noise_everything_is_found_exactly_where_it_is(simulation):
    found = SyntheticDetector(simulation, NONE, np.random.default_rng(0)).detect(clear_view=True)
    names = {*(o.name for o in WORLD.objects), *(f.name for f in WORLD.fixtures)}
    assert {detection.name for detection in found} == names
    for detection in found:
        if detection.name in {o.name for o in WORLD.objects}:
            assert detection.position == pytest.approx(simulation.pose(detection.name)[:3])


def test_a_bias_stays_for_an_episode_and_jitter_does_not(simulation):
    noise = DetectionNoise(bias_xy=0.01, bias_z=0.0, jitter_xy=0.001, jitter_z=0.0, jitter_yaw=0.0, dropout=0.0)
    detector = SyntheticDetector(simulation, noise, np.random.default_rng(2))
    frames = [{d.name: np.array(d.position) for d in detector.detect(clear_view=True)} for _ in range(50)]
    errors = np.array([frame["red block"] - simulation.pose("red block")[:3] for frame in frames])[:, :2]
    assert np.abs(errors.mean(0)).max() > 0.003 and 0 < errors.std(0).max() < 0.003


def test_dropout_is_the_share_of_frames_in_which_an_object_is_missed(simulation):
    noise = DetectionNoise(dropout=0.5)
    detector = SyntheticDetector(simulation, noise, np.random.default_rng(3))
    found = [len(detector.detect(clear_view=True)) for _ in range(100)]
    assert np.mean(found) == pytest.approx(0.5 * (len(WORLD.objects) + len(WORLD.fixtures)), rel=0.15)


def test_skills_are_judged_with_the_errors_that_were_measured_and_trained_with_larger_ones():
    measured, trained = DetectionNoise.measured(), DetectionNoise()
    assert measured != trained
    assert all(getattr(measured, f.name) <= getattr(trained, f.name) for f in fields(measured) if f.name != "dropout")
    assert trained.scaled(2.0).bias_xy == 2 * trained.bias_xy
