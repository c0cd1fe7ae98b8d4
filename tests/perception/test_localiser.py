"""The committed model on fresh pictures, neither trained nor reported on."""

import time
from dataclasses import replace

import numpy as np
import pytest

from fmrl_ros.perception.evaluation import noise_figures, scenes, sightings, summary
from fmrl_ros.perception.localiser import Localiser, LocaliserError
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


@pytest.fixture(scope="module")
def localiser():
    return Localiser.load(WORLD)


@pytest.fixture(scope="module")
def own_looks():
    return list(scenes(WORLD, seed=31_337, count=20, randomise=False))


@pytest.fixture(scope="module")
def randomised():
    return list(scenes(WORLD, seed=31_338, count=20))


@pytest.mark.parametrize("looks", ["own_looks", "randomised"])
def test_finds_what_is_there_where_it_is(localiser, looks, request):
    figures = summary(sightings(localiser, WORLD, request.getfixturevalue(looks)))
    assert figures["position_median_mm"] < 4
    assert figures["position_p95_mm"] < 10
    assert figures["yaw_median_deg"] < 4
    assert figures["presence_recall"] > 0.95
    assert figures["presence_precision"] > 0.97


def test_works_on_pictures_of_another_size(localiser, own_looks):
    scene = own_looks[0]
    small = {d.name: d for d in localiser.detect(scene.frame.color, scene.frame.depth, scene.camera)}
    color, depth = (np.repeat(np.repeat(image, 2, 0), 2, 1) for image in (scene.frame.color, scene.frame.depth))
    large = localiser.detect(color, depth, scene.camera.resized(640, 480))
    assert {d.name for d in large} == set(small)
    for detection in large:
        assert detection.position == pytest.approx(small[detection.name].position, abs=0.005)


def test_the_noise_that_skills_train_with_is_what_is_measured(localiser, own_looks):
    figures = noise_figures(localiser, WORLD, lambda: own_looks, seed=1)
    assert set(figures) == {"bias_xy", "bias_z", "jitter_xy", "jitter_z", "jitter_yaw", "dropout"}
    assert figures["bias_xy"] < 0.005
    assert figures["dropout"] < 0.05


def test_missing_depth_costs_no_more_than_what_it_hides(localiser, own_looks):
    scene = own_looks[1]
    depth = scene.frame.depth.copy()
    depth[np.random.default_rng(0).random(depth.shape) < 0.05] = np.nan
    whole = {d.name for d in localiser.detect(scene.frame.color, scene.frame.depth, scene.camera)}
    holes = {d.name for d in localiser.detect(scene.frame.color, depth, scene.camera)}
    assert len(whole - holes) <= 1


def test_an_empty_table_has_no_objects(localiser, own_looks):
    scene = own_looks[0]
    depth = np.full_like(scene.frame.depth, 1.0)
    color = np.full_like(scene.frame.color, 180)
    assert localiser.detect(color, depth, scene.camera) == ()


def test_takes_less_than_a_camera_period(localiser, own_looks):
    """A frame every 100 ms; the time is the processor's own, which other work does not lengthen much."""
    start = time.process_time()
    for scene in own_looks[:10]:
        localiser.detect(scene.frame.color, scene.frame.depth, scene.camera)
    assert (time.process_time() - start) / 10 < 0.06


def test_weights_survive_saving(localiser, own_looks, tmp_path):
    localiser.save(tmp_path)
    scene = own_looks[0]
    again = Localiser.load(WORLD, tmp_path)
    assert again.specification == localiser.specification
    assert again.detect(scene.frame.color, scene.frame.depth, scene.camera) == localiser.detect(
        scene.frame.color, scene.frame.depth, scene.camera
    )


def test_weights_of_another_world_are_refused(tmp_path, localiser):
    localiser.save(tmp_path)
    fewer = replace(WORLD, objects=WORLD.objects[1:])
    with pytest.raises(LocaliserError, match="trained for world 'tabletop'"):
        Localiser.load(fewer, tmp_path)


def test_a_missing_model_is_named_with_the_command_that_makes_it(tmp_path):
    with pytest.raises(FileNotFoundError, match="fmrl train localiser"):
        Localiser.load(WORLD, tmp_path)
