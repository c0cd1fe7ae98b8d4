import numpy as np
import pytest

from fmrl_ros.perception.frame import PerceptionError, checked_frame

COLOR = np.full((240, 320, 3), 120, np.uint8)
DEPTH = np.ones((240, 320), np.float32)


def test_passes_a_good_frame_and_marks_missing_depth():
    depth = DEPTH.copy()
    depth[0, 0], depth[0, 1] = 0.0, np.inf
    _, metres = checked_frame("front", COLOR, depth)
    assert np.isnan(metres[0, :2]).all()
    assert np.isfinite(metres[1:]).all()


@pytest.mark.parametrize(
    ("color", "depth", "defect"),
    [
        (COLOR[..., :1], DEPTH, "colour must be uint8"),
        (COLOR.astype(np.float32), DEPTH, "colour must be uint8"),
        (COLOR, (1000 * DEPTH).astype(np.uint16), "depth must be float"),
        (COLOR, DEPTH[:100], "but depth is"),
        (np.zeros_like(COLOR), DEPTH, "the picture is black"),
        (np.full_like(COLOR, 255), DEPTH, "the picture is saturated"),
        (COLOR, np.where(np.arange(320) < 40, DEPTH / 1000, np.nan), "values up to 1 look like whole metres"),
        (COLOR, np.full_like(DEPTH, np.nan), "only 0 % of the depth image is measured"),
    ],
)
def test_names_the_camera_and_the_defect(color, depth, defect):
    with pytest.raises(PerceptionError, match="camera 'front'") as error:
        checked_frame("front", color, depth)
    assert defect in str(error.value)
