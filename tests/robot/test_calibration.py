from dataclasses import replace

import numpy as np
import pytest

from fmrl_ros.robot.calibration import Calibration, CalibrationError, Region
from fmrl_ros.robot.camera import CameraModel, scaled_intrinsics

K = np.array([[600.0, 0, 319.5], [0, 600, 239.5], [0, 0, 1]])
FULL = Calibration(K, 640, 480, np.zeros(5), "plumb_bob", np.eye(3), np.hstack([K, np.zeros((3, 1))]))
POINT = np.array([[0.05, -0.08, 1.0]])
"""In the optical frame, m."""


def pixel(K, width, height):
    """Where a picture shows the point."""
    return CameraModel(K, np.eye(4), width, height).project(POINT)[0]


def test_pictures_of_the_announced_size_have_the_announced_intrinsics():
    assert FULL.intrinsics(640, 480) == pytest.approx(K)


@pytest.mark.parametrize(("width", "height"), [(320, 240), (1280, 960), (160, 120), (427, 320)])
def test_pictures_of_another_size_have_scaled_intrinsics(width, height):
    scale = width / 640
    expected = (pixel(K, 640, 480) + 0.5) * scale - 0.5
    assert pixel(FULL.intrinsics(width, height), width, height) == pytest.approx(expected, abs=0.5)


def test_binned_pictures_show_a_point_where_the_big_pixel_is_that_holds_it():
    binned = replace(FULL, binning=(2, 2))
    assert pixel(binned.intrinsics(320, 240), 320, 240) == pytest.approx((pixel(K, 640, 480) - 0.5) / 2)
    wide = replace(FULL, binning=(2, 0))
    assert pixel(wide.intrinsics(320, 480), 320, 480)[1] == pytest.approx(pixel(K, 640, 480)[1])


def test_cropped_pictures_show_a_point_as_much_further_left_and_up_as_was_cut_off():
    cropped = replace(FULL, region=Region(100, 60, 400, 300))
    assert pixel(cropped.intrinsics(400, 300), 400, 300) == pytest.approx(pixel(K, 640, 480) - [100, 60])


def test_pictures_that_are_cropped_and_binned_are_cropped_first():
    both = replace(FULL, region=Region(100, 60, 401, 300), binning=(2, 2))
    assert pixel(both.intrinsics(200, 150), 200, 150) == pytest.approx((pixel(K, 640, 480) - [100, 60] - 0.5) / 2)


@pytest.mark.parametrize(
    ("calibration", "announced"),
    [
        (FULL, "640x480"),
        (replace(FULL, region=Region(100, 60, 400, 300)), r"640x480, cropped to 400x300 at \(100, 60\)"),
        (replace(FULL, region=Region(0, 0, 640, 400), binning=(2, 2)), ".*cropped to 640x400 .*, binned 2x2"),
    ],
)
def test_a_picture_of_another_shape_than_announced_is_refused(calibration, announced):
    with pytest.raises(CalibrationError, match=f"the picture is 320x180 but camera_info is for {announced}: publish"):
        calibration.intrinsics(320, 180)


def test_a_whole_picture_where_a_cropped_one_is_announced_is_refused():
    with pytest.raises(CalibrationError, match="the picture is 640x480"):
        replace(FULL, region=Region(160, 120, 320, 240)).intrinsics(640, 480)


@pytest.mark.parametrize(
    "calibration",
    [
        replace(FULL, D=np.array([-0.3, 0.1, 0, 0, 0])),
        replace(
            FULL, D=np.array([0.4, 0.2, 0, 0, 0.1, 0.7, 0.2, 0.1]), model="rational_polynomial", P=np.zeros((3, 4))
        ),
        replace(FULL, D=np.zeros(4), model="equidistant"),
        replace(FULL, P=FULL.P * [[0.9], [0.9], [1]]),
        replace(FULL, R=np.array([[0, -1.0, 0], [1, 0, 0], [0, 0, 1]])),
    ],
    ids=["plumb_bob", "rational_polynomial", "equidistant", "another P", "turned by R"],
)
def test_where_raw_and_rectified_pictures_differ_the_lens_is_refused(calibration):
    with pytest.raises(
        CalibrationError, match=r"raw and rectified picture differ by up to \d+ pixels.*publish rectified"
    ):
        calibration.intrinsics(640, 480)


def test_a_lens_that_hardly_distorts_is_used():
    assert replace(FULL, D=np.array([0.002, 0, 0, 0, 0])).intrinsics(640, 480) == pytest.approx(K)


def test_without_r_and_p_the_lens_is_as_k_and_d_say():
    bare = replace(FULL, R=np.zeros((3, 3)), P=np.zeros((3, 4)), D=np.zeros(0), model="")
    assert bare.intrinsics(640, 480) == pytest.approx(K)


def test_a_distortion_model_that_is_not_known_gets_the_valid_ones():
    with pytest.raises(CalibrationError, match="'thin_prism'; valid: plumb_bob, rational_polynomial, equidistant"):
        replace(FULL, D=np.ones(3), model="thin_prism").intrinsics(640, 480)


def test_the_second_camera_of_a_stereo_pair_is_refused():
    P = FULL.P.copy()
    P[0, 3] = -36.0
    with pytest.raises(CalibrationError, match="second camera of a stereo pair"):
        replace(FULL, P=P).intrinsics(640, 480)


@pytest.mark.parametrize("k", [np.zeros((3, 3)), np.full((3, 3), np.nan), -K])
def test_without_a_focal_length_a_camera_is_not_calibrated(k):
    with pytest.raises(CalibrationError, match="it is not calibrated"):
        replace(FULL, K=k).intrinsics(640, 480)


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_intrinsics_of_another_size_than_announced_are_refused(scale):
    with pytest.raises(CalibrationError, match=r"has its centre at .* not near the middle of 640x480: publish k"):
        replace(FULL, K=scaled_intrinsics(K, scale, scale)).intrinsics(640, 480)
