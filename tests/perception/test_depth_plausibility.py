"""A camera looks at a table with things on it: its depth image is computed, then spoilt as drivers spoil it."""

from dataclasses import replace

import numpy as np
import pytest

from fmrl_ros.perception.depth_plausibility import implausible, whole_metres
from fmrl_ros.robot.camera import CameraModel, intrinsics_from_fovy, pose_matrix
from fmrl_ros.worlds.world import load_world

TABLE = load_world("tabletop").table
POSE = pose_matrix(np.array([1.15, 0.06, 0.8]), np.array([0.65037466, 0.65037466, -0.2775118, -0.2775118]))
CAMERA = CameraModel(intrinsics_from_fovy(np.deg2rad(46), 320, 240), POSE, 320, 240)


def depth_of(camera, height=0.0):
    """Depth of an endless plane at a height, m; NaN where the camera does not see it."""
    slope = camera.height_map(np.ones((camera.height, camera.width), np.float32)) - camera.pose[2, 3]
    depth = (height - camera.pose[2, 3]) / slope
    return np.where((depth > 0) & (depth < 6), depth, np.nan).astype(np.float32)


def millimetres(depth):
    return np.nan_to_num(np.rint(depth * 1e3)).astype(np.uint16)


def metres(counts):
    """As a 16UC1 image is read."""
    return np.where(counts == 0, np.nan, counts * 1e-3).astype(np.float32)


DEPTH = depth_of(CAMERA)


def test_a_table_where_the_pose_says_is_plausible():
    assert implausible(DEPTH, CAMERA, TABLE) == ""


def test_things_on_the_table_and_noise_are_plausible():
    depth = DEPTH * np.random.default_rng(0).normal(1, 0.01, DEPTH.shape).astype(np.float32)
    depth[60:180, 40:200] = depth_of(CAMERA, 0.15)[60:180, 40:200]
    depth[::3] = np.nan
    assert implausible(depth, CAMERA, TABLE) == ""


def test_something_close_before_the_lens_is_plausible():
    hand = np.random.default_rng(0).uniform(0.15, 0.3, DEPTH.shape).astype(np.float32)
    assert implausible(hand, CAMERA, TABLE) == ""


@pytest.mark.parametrize(
    ("spoil", "cause"),
    [
        (lambda d: d * 1000, "depth is 1000 times too large: millimetres where metres are announced?"),
        (lambda d: d / 1000, "depth is 1000 times too small: metres where millimetres are announced?"),
        (lambda d: d.byteswap(), "the bytes of depth are in the wrong order"),
        (lambda d: metres(millimetres(d).byteswap()), "the bytes of depth are in the wrong order"),
        (lambda d: d * 100, "times what the camera's pose allows: check its unit"),
        (lambda d: d / 25, "times what the camera's pose allows: check its unit"),
        (lambda d: d * 4, "m below its place"),
    ],
    ids=["mm as m", "m as mm", "float bytes", "integer bytes", "cm as m", "inches", "a quarter of a millimetre"],
)
@pytest.mark.parametrize("size", [(320, 240), (640, 480), (1280, 960)])
def test_depth_that_cannot_be_true_is_named_with_the_likely_cause(spoil, cause, size):
    camera = CAMERA.resized(*size)
    with np.errstate(invalid="ignore"):
        spoilt = spoil(depth_of(camera))
        spoilt = np.where(np.isfinite(spoilt) & (spoilt > 0), spoilt, np.nan)  # as `checked_frame` gives it
    assert cause in implausible(spoilt, camera, TABLE)


@pytest.mark.parametrize(("lower", "said"), [(0.3, "below"), (-0.3, "above")])
def test_a_camera_that_is_not_where_its_pose_says_is_named(lower, said):
    elsewhere = CAMERA.pose.copy()
    elsewhere[2, 3] -= lower
    assert f"m {said} its place" in implausible(DEPTH, replace(CAMERA, pose=elsewhere), TABLE)


def test_a_pose_under_the_table_is_named():
    under = CAMERA.pose.copy()
    under[2, 3] = -0.2
    assert "its pose is at height -0.20 m" in implausible(DEPTH, replace(CAMERA, pose=under), TABLE)


@pytest.mark.parametrize("height", [0.4, 0.8, 2.0])
@pytest.mark.parametrize("rounded", [np.floor, np.rint, np.ceil])
def test_metres_sent_as_whole_numbers_of_millimetres_are_named(rounded, height):
    pose = CAMERA.pose.copy()
    pose[2, 3] = height
    depth = metres(np.nan_to_num(rounded(depth_of(replace(CAMERA, pose=pose)))).astype(np.uint16))
    said = f"16UC1 means millimetres, and values up to {1e3 * np.nanmax(depth):.0f} look like whole metres; publish"
    assert whole_metres(depth).startswith(said)


@pytest.mark.parametrize(
    "depth",
    [
        *(DEPTH, DEPTH / 1000, 1000 * DEPTH, metres(millimetres(DEPTH)), metres(millimetres(DEPTH).byteswap())),
        *(np.ones_like(DEPTH).byteswap(), np.full_like(DEPTH, np.nan), np.zeros_like(DEPTH)),
    ],
)
def test_other_depth_is_not_taken_for_whole_metres(depth):
    assert whole_metres(depth) == ""


def test_a_camera_that_looks_aside_is_not_judged():
    aside = CAMERA.pose.copy()
    aside[0, 3] += 5.0
    assert implausible(1000 * DEPTH, replace(CAMERA, pose=aside), TABLE) == ""


def test_where_the_table_is_not_measured_nothing_is_said():
    assert implausible(np.full_like(DEPTH, np.nan), CAMERA, TABLE) == ""
