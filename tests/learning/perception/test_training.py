import json

import numpy as np
import pytest

from fmrl_ros.learning.perception.recipe import LocaliserTraining
from fmrl_ros.learning.perception.training import train_localiser
from fmrl_ros.learning.perception.training_scenes import SceneSampler
from fmrl_ros.perception.localiser import Localiser
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


@pytest.fixture(scope="module")
def sampler():
    sampler = SceneSampler(WORLD, seed=3)
    yield sampler
    sampler.close()


def test_a_training_in_miniature_leaves_all_that_a_localiser_needs(tmp_path):
    tiny = LocaliserTraining(scenes=8, epochs=1, batch=4, calibration_scenes=4, evaluation_scenes=4, workers=1)
    shares = []
    train_localiser(tmp_path, tiny, lambda share, text: shares.append(share))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert Localiser.load(WORLD, tmp_path).specification.kinds == ("block", "bowl")
    assert {f.name for f in tmp_path.iterdir()} == {
        "localiser.safetensors", "noise.json", "results.json", "README.md"
    }  # fmt: skip
    assert "colour thresholds" in (tmp_path / "README.md").read_text()
    assert "dropout" in json.loads((tmp_path / "noise.json").read_text())


def test_the_pixels_of_an_object_lie_where_its_truth_says(sampler):
    for _ in range(5):
        scene = sampler.sample()
        points = scene.camera.deproject(scene.frame.depth)
        for index, entry in enumerate(WORLD.objects):
            seen = points[scene.classes == index + 1]
            if len(seen):
                away = np.linalg.norm(seen - scene.truth[entry.name].position, axis=1)
                assert away.max() < 0.62 * np.linalg.norm(entry.size)


def test_scenes_vary_in_what_matters(sampler):
    drawn = [sampler.sample() for _ in range(25)]
    assert any(s.held for s in drawn)
    assert any(len(s.truth) < len(WORLD.objects) for s in drawn)
    heights = [t.position[2] for s in drawn for n, t in s.truth.items() if n != s.held and "block" in n]
    assert any(0.05 < h < 0.07 for h in heights)  # stacked
    assert any(0.023 < h < 0.04 for h in heights)  # in bowls
    assert np.std([s.camera.pose[0, 3] for s in drawn]) > 0.005


def test_every_camera_sees_the_same_scene(sampler):
    front, side = sampler.sample_all()
    assert (front.name, side.name) == ("front", "side")
    assert front.truth.keys() == side.truth.keys()
    assert all(np.array_equal(front.truth[name].position, side.truth[name].position) for name in front.truth)
    assert not np.array_equal(front.frame.color, side.frame.color)


def test_a_seed_gives_the_same_scene_again():
    pictures = []
    for _ in range(2):
        sampler = SceneSampler(WORLD, seed=11)
        pictures.append(sampler.sample().frame.color)
        sampler.close()
    assert np.array_equal(*pictures)
