"""One camera's picture, with what is known of the camera."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.perception.frame import PerceptionError, checked_frame
from fmrl_ros.robot.camera import CameraModel

Picture = tuple[NDArray[np.uint8], NDArray[np.float32], CameraModel]
"""Colour, depth and camera of one picture; shapes and units as in `View`."""


@dataclass(frozen=True)
class View:
    """One camera's picture.

    Attributes:
      color: RGB, uint8 [height, width, 3].
      depth: Metres along the optical axis, float [height, width]; NaN, 0 or infinity where unknown; None from a camera
        without depth.
      camera: Calibration and pose; None if it is unknown.
      name: The camera's name.
      stamp: ROS time in seconds.
    """

    color: NDArray[np.uint8]
    depth: NDArray[np.float32] | None = None
    camera: CameraModel | None = None
    name: str = "front"
    stamp: float = 0.0


def rgbd(view: View) -> Picture:
    """Return colour, depth and camera of a view that has all three.

    Raises PerceptionError, which names the camera and what it lacks.
    """
    if view.depth is None or view.camera is None:
        raise PerceptionError(view.name, f"it has no {'depth' if view.depth is None else 'calibration'}")
    return view.color, view.depth, view.camera


def checked_view(view: View) -> View:
    """Return a view if it is usable; unknown depth becomes NaN.

    Raises PerceptionError on a defective picture, missing depth or calibration, or one of another size.
    """
    color, depth, camera = rgbd(view)
    picture, metres = checked_frame(view.name, color, depth)
    if not (np.isfinite(camera.K).all() and np.isfinite(camera.pose).all() and camera.K[0, 0] > 0):
        raise PerceptionError(view.name, "it is not calibrated: K or pose is not finite")
    if metres.shape != (camera.height, camera.width):
        expected = f"{camera.width}x{camera.height}"
        raise PerceptionError(
            view.name, f"the picture is {metres.shape[1]}x{metres.shape[0]} but its calibration is for {expected}"
        )
    return replace(view, color=picture, depth=metres)
