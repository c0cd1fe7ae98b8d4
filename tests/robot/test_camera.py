import numpy as np
import pytest

from fmrl_ros.robot.camera import CameraModel, intrinsics_from_fovy, pose_matrix, scaled_intrinsics

POSE = pose_matrix(np.array([1.15, 0.06, 0.8]), np.array([0.65037466, 0.65037466, -0.2775118, -0.2775118]))
CAMERA = CameraModel(intrinsics_from_fovy(np.deg2rad(46), 320, 240), POSE, 320, 240)


def depth_of(points):
    return (points - POSE[:3, 3]) @ POSE[:3, 2]


def test_deprojection_undoes_projection():
    points = np.array([[0.5, 0.0, 0.0], [0.4, -0.2, 0.1], [0.65, 0.25, 0.04]])
    pixels = np.rint(CAMERA.project(points)).astype(int)
    depth = np.full((240, 320), np.nan, np.float32)
    depth[pixels[:, 1], pixels[:, 0]] = depth_of(points)
    found = CAMERA.deproject(depth)[pixels[:, 1], pixels[:, 0]]
    assert np.abs(found - points).max() < 0.004  # half a pixel at a metre
    flat = pixels[:, 1] * 320 + pixels[:, 0]
    assert CAMERA.deproject_pixels(flat, depth) == pytest.approx(found, abs=1e-5)


def test_height_map_is_the_z_of_the_points():
    depth = np.random.default_rng(0).uniform(0.5, 1.5, (240, 320)).astype(np.float32)
    assert CAMERA.height_map(depth) == pytest.approx(CAMERA.deproject(depth)[..., 2], abs=1e-5)


def test_a_resized_camera_sees_the_same_ray_at_the_same_share_of_the_picture():
    point = np.array([[0.5, 0.1, 0.0]])
    assert CAMERA.resized(640, 480).project(point) == pytest.approx(2 * CAMERA.project(point) + 0.5)


def test_a_quaternion_of_length_zero_is_refused():
    with pytest.raises(ValueError, match="length zero"):
        pose_matrix(np.zeros(3), np.zeros(4))


def test_intrinsics_are_scaled_about_the_picture_s_corner():
    K = np.array([[100.0, 0, 9.5], [0, 100, 4.5], [0, 0, 1]])
    assert scaled_intrinsics(K, 0.5, 2.0) == pytest.approx(np.array([[50, 0, 4.5], [0, 200, 9.5], [0, 0, 1]]))
