import numpy as np
import pytest

from fmrl_ros.perception.view import View
from fmrl_ros.robot.camera import CameraModel


@pytest.fixture
def view() -> View:
    """A picture of nothing in particular, from a metre above the table."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = np.diag([1, -1, -1]), (0.5, 0.0, 1.0)
    camera = CameraModel(np.array([[300.0, 0, 160], [0, 300, 120], [0, 0, 1]]), pose, 320, 240)
    color = np.random.default_rng(0).integers(0, 255, (240, 320, 3), np.uint8)
    return View(color, np.full((240, 320), 0.98, np.float32), camera)
