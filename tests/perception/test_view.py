from dataclasses import replace

import numpy as np
import pytest

from fmrl_ros.perception.frame import PerceptionError
from fmrl_ros.perception.view import View, checked_view, rgbd
from fmrl_ros.robot.camera import CameraModel

CAMERA = CameraModel(np.array([[300.0, 0, 32], [0, 300, 24], [0, 0, 1]]), np.eye(4), 64, 48)
VIEW = View(np.full((48, 64, 3), 120, np.uint8), np.ones((48, 64), np.float32), CAMERA, "wrist", 3.0)


def test_a_view_with_depth_and_calibration_can_be_located_in():
    color, depth, camera = rgbd(VIEW)
    assert color is VIEW.color and depth is VIEW.depth and camera is CAMERA


@pytest.mark.parametrize(
    ("view", "lack"), [(replace(VIEW, depth=None), "no depth"), (replace(VIEW, camera=None), "no calibration")]
)
def test_what_a_camera_lacks_is_said_with_its_name(view, lack):
    for check in (rgbd, checked_view):
        with pytest.raises(PerceptionError, match=f"camera 'wrist': it has {lack}"):
            check(view)


def test_a_usable_view_stays_as_it_is_but_for_unknown_depth():
    depth = VIEW.depth.copy()
    depth[0, :2] = 0.0, np.inf
    checked = checked_view(replace(VIEW, depth=depth))
    assert np.isnan(checked.depth[0, :2]).all() and (checked.depth[1:] == 1).all()
    assert np.array_equal(checked.color, VIEW.color)
    assert (checked.camera, checked.name, checked.stamp) == (CAMERA, "wrist", 3.0)


@pytest.mark.parametrize(
    ("camera", "defect"),
    [
        (replace(CAMERA, K=np.full((3, 3), np.nan)), "not calibrated"),
        (replace(CAMERA, K=np.zeros((3, 3))), "not calibrated"),
        (replace(CAMERA, pose=np.full((4, 4), np.inf)), "not calibrated"),
        (replace(CAMERA, width=320, height=240), "the picture is 64x48 but its calibration is for 320x240"),
    ],
)
def test_a_camera_whose_calibration_does_not_fit_is_named(camera, defect):
    with pytest.raises(PerceptionError, match=f"camera 'wrist': .*{defect}"):
        checked_view(replace(VIEW, camera=camera))


def test_a_defective_picture_is_named():
    with pytest.raises(PerceptionError, match="camera 'wrist': the picture is black"):
        checked_view(replace(VIEW, color=np.zeros_like(VIEW.color)))
