import numpy as np
import pytest

from fmrl_ros.learning.perception.evaluation import (
    Sighting,
    calibrate,
    compare,
    looks,
    noise_figures,
    scenes,
    summary,
    visible_fraction,
)
from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.localiser import Localiser
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


def sighting(error: float = 0.0, visible: float = 1.0, detected: bool = True, kind: str = "block", yaw: float = 0.1):
    position = np.array([error, 0.0, 0.0]) if detected else np.full(3, np.nan)
    return Sighting(kind, visible, detected, position, yaw if detected else np.nan, 0.9 if detected else 0.0)


def test_errors_are_summed_up_over_what_must_be_found():
    seen = [sighting(0.001), sighting(0.003), sighting(0.002), sighting(detected=False), sighting(0.5, visible=0.1)]
    figures = summary(seen)
    assert figures["position_median_mm"] == 2.0 and figures["yaw_median_deg"] == pytest.approx(5.73)
    assert figures["presence_recall"] == 0.75 and figures["presence_precision"] == 0.75


def test_errors_are_told_apart_by_kind_and_by_how_much_can_be_seen():
    bands = summary([sighting(0.001), sighting(0.004, visible=0.4), sighting(0.002, kind="bowl", yaw=np.nan)])["bands"]
    rows = {(row["kind"], row["visible"]): row for row in bands if row["objects"]}
    assert set(rows) == {("block", "90 to 100 %"), ("block", "30 to 60 %"), ("bowl", "90 to 100 %")}
    assert rows["block", "30 to 60 %"]["position_median_mm"] == 4.0
    assert rows["bowl", "90 to 100 %"]["yaw_median_deg"] is None


def test_without_sightings_there_are_no_figures():
    figures = summary([])
    assert figures.pop("bands") and not any(figures.values())


@pytest.fixture(scope="module")
def look():
    (look,) = looks(WORLD, 3, 1, randomise=False)
    return look


def shown(look):
    """Return the index of a block that can be seen whole, its entry, and its truth."""
    for index, entry in enumerate(WORLD.objects):
        if entry.kind == "block" and visible_fraction(look[0], entry, index) > 0.8:
            return index, entry, look[0].truth[entry.name]
    raise AssertionError("no block in view")


def test_a_quarter_turn_of_a_block_is_no_error(look):
    index, entry, truth = shown(look)
    position = tuple(np.add(truth.position, [0.0, 0.003, 0.0]))
    found = compare(look, entry, index, Detection(entry.name, position, truth.yaw + np.pi / 2, 0.8))
    assert found.detected and found.distance == pytest.approx(0.003) and found.confidence == 0.8
    assert found.yaw_error == pytest.approx(0.0, abs=1e-9)


def test_what_was_not_found_has_no_error(look):
    index, entry, _ = shown(look)
    missed = compare(look, entry, index, None)
    assert not missed.detected and np.isnan(missed.distance) and missed.confidence == 0.0


def test_what_lies_nowhere_is_not_visible(look):
    index, entry, _ = shown(look)
    nothing = np.zeros_like(look[0].classes)
    gone = type(look[0])(**{**vars(look[0]), "classes": nothing})
    assert visible_fraction(gone, entry, index) == 0.0


def test_a_seed_gives_the_same_scenes_again():
    one, two = ([scene.frame.color for scene in scenes(WORLD, 5, 2)] for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


@pytest.fixture(scope="module")
def localiser():
    return Localiser.load(WORLD)


def test_the_noise_that_skills_train_with_is_what_is_measured(localiser):
    figures = noise_figures(localiser, WORLD, scenes(WORLD, 31_337, 8, randomise=False, cameras=("front",)), seed=1)
    assert set(figures) == {"bias_xy", "bias_z", "jitter_xy", "jitter_z", "jitter_yaw", "dropout"}
    assert 0 < figures["bias_xy"] < 0.005 and 0 < figures["jitter_xy"] < 0.005 and figures["dropout"] < 0.05


def test_calibration_has_weights_for_every_kind(localiser):
    weights = calibrate(localiser, WORLD, scenes(WORLD, 31_340, 6))
    assert len(weights) == len(localiser.specification.kinds) and np.isfinite(weights).all()
