import numpy as np
import pytest

from fmrl_ros.perception.fitting import Surface, expected_area, fit_poses
from fmrl_ros.robot.camera import CameraModel, intrinsics_from_fovy, pose_matrix

BLOCK, BOWL = (0.04, 0.04, 0.04), (0.13, 0.13, 0.04)
AHEAD = np.array([100.0, 0.1])
POSE = pose_matrix(np.array([1.15, 0.06, 0.8]), np.array([0.65037466, 0.65037466, -0.2775118, -0.2775118]))
CAMERA = CameraModel(intrinsics_from_fovy(np.deg2rad(46), 320, 240), POSE, 320, 240)


def fit_block(points):
    return fit_poses([Surface("block", BLOCK, points, AHEAD)])[0]


def fit_bowl(points):
    return fit_poses([Surface("bowl", BOWL, points, AHEAD)])[0]


def block_surface(centre, yaw, spacing=0.003):
    """Points on the top and on the two sides that face the camera at +x."""
    steps = np.arange(-0.0199, 0.02, spacing)
    u, v = (g.ravel() for g in np.meshgrid(steps, steps))
    edge = np.full_like(u, 0.02)
    local = np.vstack([np.c_[u, v, edge], np.c_[edge, u, v], np.c_[u, edge if yaw <= 0 else -edge, v]])
    turn = np.array([[np.cos(yaw), np.sin(yaw), 0], [-np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    return local @ turn + centre


@pytest.mark.parametrize("yaw", [-0.7, -0.3, 0.0, 0.4, 0.78])
def test_a_block_is_found_at_any_yaw_through_a_sensors_noise(yaw):
    points = block_surface([0.5, 0.1, 0.02], yaw)
    fit = fit_block(points + np.random.default_rng(0).normal(0, 0.001, points.shape))
    assert fit.position == pytest.approx([0.5, 0.1, 0.02], abs=0.002)
    assert abs((fit.yaw - yaw + np.pi / 4) % (np.pi / 2) - np.pi / 4) < np.deg2rad(4)


def test_the_half_of_a_block_that_faces_the_camera_is_enough():
    points = block_surface([0.5, 0.1, 0.02], 0.3)
    fit = fit_block(points[points[:, 0] > 0.5])
    assert fit.position == pytest.approx([0.5, 0.1, 0.02], abs=0.004)


def test_strays_from_another_surface_do_not_move_a_block():
    points = block_surface([0.5, 0.1, 0.02], 0.3)
    strays = np.random.default_rng(0).uniform([0.46, 0.06, -0.001], [0.54, 0.14, 0.001], (30, 3))
    fit = fit_block(np.vstack([points, strays]))
    assert fit.position == pytest.approx([0.5, 0.1, 0.02], abs=0.002)


@pytest.mark.parametrize("share", [1.0, 0.4])
def test_a_bowl_is_found_from_a_part_of_its_rim(share):
    angle = np.linspace(0, 2 * np.pi * share, 120, endpoint=False)
    rim = np.c_[0.6 + 0.0615 * np.cos(angle), 0.1 + 0.0615 * np.sin(angle), np.full(120, 0.039)]
    fit = fit_bowl(rim)
    assert fit.position == pytest.approx([0.6, 0.1, 0.02], abs=0.002)


def test_the_expected_area_grows_with_size_and_nearness():
    block = expected_area("block", np.array([0.5, 0.0, 0.02]), 0.0, BLOCK, CAMERA)
    nearer = expected_area("block", np.array([0.7, 0.0, 0.02]), 0.0, BLOCK, CAMERA)
    bowl = expected_area("bowl", np.array([0.5, 0.0, 0.02]), 0.0, BOWL, CAMERA)
    assert block < nearer < bowl


def test_the_top_of_two_height_clusters_is_one_of_them():
    from fmrl_ros.perception.fitting import _top

    heights = np.concatenate([np.full(92, 0.004), np.full(8, 0.044)])
    assert _top(heights) in (0.004, 0.044)
