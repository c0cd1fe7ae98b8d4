import json

import numpy as np
import pytest
import torch

from fmrl_ros.learning.perception.recipe import LocaliserTraining
from fmrl_ros.learning.perception.training import fit, load_pictures, render_pictures, train_localiser
from fmrl_ros.perception.localiser import KINDS, Localiser
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
TINY = LocaliserTraining(scenes=8, epochs=1, batch=4, calibration_scenes=4, evaluation_scenes=4, workers=1, threads=1)


def test_a_training_in_miniature_leaves_all_that_a_localiser_needs(tmp_path):
    shares = []
    train_localiser(tmp_path, TINY, lambda share, text: shares.append(share))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert Localiser.load(WORLD, tmp_path).specification.kinds == ("block", "bowl")
    assert {f.name for f in tmp_path.iterdir()} == {
        "localiser.safetensors", "noise.json", "results.json", "README.md"
    }  # fmt: skip
    assert "colour thresholds" in (tmp_path / "README.md").read_text()
    assert "dropout" in json.loads((tmp_path / "noise.json").read_text())


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    render_pictures(TINY, folder, lambda share, text: None)
    return load_pictures(folder)


def test_pictures_are_rendered_with_every_pixels_object_and_height(pictures):
    assert pictures.color.shape == (8, 240, 320, 3) and pictures.height.shape == pictures.classes.shape == (8, 240, 320)
    assert pictures.declared.shape == (8, len(WORLD.objects), 3)
    assert pictures.classes.max() <= len(WORLD.objects)
    on_objects = pictures.height[:][pictures.classes[:] > 0]
    assert np.nanmedian(on_objects) == pytest.approx(0.03, abs=0.03)


def test_the_same_seed_gives_the_same_network(pictures):
    kinds = np.array([KINDS.index(entry.kind) for entry in WORLD.objects])
    one, two = (fit(pictures, kinds, TINY, lambda share, text: None).state_dict() for _ in range(2))
    assert all(torch.equal(one[name], two[name]) for name in one)
