"""Is a camera's picture fit to be looked at? A defective one is an error with a name, never a guess."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.perception.depth_plausibility import whole_metres

MIN_BRIGHTNESS = 8.0
"""Mean brightness in [0, 255] below which a picture shows nothing."""
MAX_BRIGHTNESS = 250.0
"""Mean brightness above which a picture is saturated."""
MIN_DEPTH_SHARE = 0.3
"""At least this share of the depth image must be measured."""


class PerceptionError(ValueError):
    """A picture that cannot be used; names the camera and what is wrong with it."""

    def __init__(self, camera: str, defect: str) -> None:
        self.camera, self.defect = camera, defect
        super().__init__(f"camera '{camera}': {defect}")


def checked_frame(
    camera: str, color: NDArray[Any], depth: NDArray[Any]
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Return colour and depth if they are usable; zero or infinite depth becomes NaN.

    Args:
      camera: The camera's name, for the error.
      color: Shall be uint8 [height, width, 3], RGB.
      depth: Shall be float32 or float64 [height, width], metres.

    Raises:
      PerceptionError: On a wrong shape or type, a black or saturated picture, or depth that is rounded to metres or
        mostly missing.
    """
    if color.ndim != 3 or color.shape[2] != 3 or color.dtype != np.uint8:
        raise PerceptionError(camera, f"colour must be uint8 [height, width, 3] (rgb8), not {_described(color)}")
    if depth.ndim != 2 or not np.issubdtype(depth.dtype, np.floating):
        raise PerceptionError(camera, f"depth must be float [height, width] in metres (32FC1), not {_described(depth)}")
    if color.shape[:2] != depth.shape:
        raise PerceptionError(camera, f"colour is {_described(color)} but depth is {_described(depth)}")
    brightness = float(color[::4, ::4].mean())
    if brightness < MIN_BRIGHTNESS:
        raise PerceptionError(camera, "the picture is black")
    if brightness > MAX_BRIGHTNESS:
        raise PerceptionError(camera, "the picture is saturated")
    return color, _measured(camera, depth)


def _measured(camera: str, depth: NDArray[Any]) -> NDArray[np.float32]:
    """Return depth with NaN where nothing is measured. Raises PerceptionError if it is rounded or mostly missing."""
    if rounded := whole_metres(depth[::4, ::4]):
        raise PerceptionError(camera, rounded)
    measured = np.isfinite(depth) & (depth > 0)
    share = float(measured.mean())
    if share < MIN_DEPTH_SHARE:
        raise PerceptionError(camera, f"only {100 * share:.0f} % of the depth image is measured")
    return np.asarray(depth if share == 1.0 else np.where(measured, depth, np.nan), np.float32)


def _described(image: NDArray[Any]) -> str:
    return f"{image.dtype} {list(image.shape)}"
