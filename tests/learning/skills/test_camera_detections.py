import numpy as np
import pytest

from fmrl_ros.learning.skills.camera_detections import CameraDetector, half_covered
from fmrl_ros.simulation.rendering import Frame
from fmrl_ros.simulation.tabletop import FIXED_CAMERAS, sample_layout
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


@pytest.fixture(scope="module")
def detector():
    simulation = TabletopSimulation(WORLD)
    simulation.reset(sample_layout(WORLD, np.random.default_rng(1)))
    simulation.settle(0.3)
    detector = CameraDetector(simulation, FIXED_CAMERAS)
    detector.simulation = simulation
    yield detector
    detector.close()


def test_half_of_what_is_shown_is_covered_by_something_nearer():
    shown = np.zeros((20, 30), bool)
    shown[8:12, 10:20] = True
    frame = Frame(np.zeros((20, 30, 3), np.uint8), np.ones((20, 30), np.float32))
    covered = half_covered(frame, shown)
    hidden = (covered.depth < 1) & shown
    assert hidden.sum() == pytest.approx(shown.sum() / 2, abs=4)
    assert (covered.color[hidden] == 120).all()
    assert (frame.depth == 1).all()


def test_what_the_cameras_show_is_found_where_it_is(detector):
    detector.hidden = None
    found = {detection.name: detection for detection in detector.detect()}
    assert len(found) >= 8 and [view.name for view in detector.views] == list(FIXED_CAMERAS)
    for entry in WORLD.objects:
        if entry.name in found:
            away = np.linalg.norm(found[entry.name].position - detector.simulation.pose(entry.name)[:3])
            assert away < 0.02, entry.name


@pytest.mark.parametrize("hidden", ["red bowl", "drawer"])
def test_an_object_or_a_fixture_is_covered_in_every_picture(detector, hidden):
    detector.hidden = None
    detector.detect()
    plain = [view.color for view in detector.views]
    detector.hidden = hidden
    detector.detect()
    covered = [view.color for view in detector.views]
    changed = [(one != other).any(-1) for one, other in zip(plain, covered, strict=True)]
    assert any(mask.any() for mask in changed) and all(mask.mean() < 0.2 for mask in changed)
