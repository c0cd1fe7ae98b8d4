"""Where a camera is, from TF: for cameras that are calibrated there and not in the robot profile."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.camera import pose_matrix


class Transforms:
    """Listens to TF. Raises ValueError without tf2: it comes with ROS 2, not from a Python package.

    Args:
      node: Listens.
      base: The frame of every pose.
    """

    def __init__(self, node: Any, base: str) -> None:
        try:
            import tf2_ros
        except ImportError as error:
            raise ValueError(
                "a camera's parent is 'tf', but tf2_ros is not installed (Debian: ros-DISTRO-tf2-ros); install it, or "
                "give the camera's parent link, position and orientation in the robot profile"
            ) from error
        self._lookup_error: type[Exception] = tf2_ros.TransformException
        self._base = base
        self._buffer = tf2_ros.Buffer()
        self._listener = tf2_ros.TransformListener(self._buffer, node)

    def pose(self, frame: str, stamp: Any) -> NDArray[np.float64]:
        """Return where a frame is, shape [4, 4], base frame, at a time (a ``builtin_interfaces/Time``).

        Raises ValueError if TF does not know.
        """
        try:
            found = self._buffer.lookup_transform(self._base, frame, stamp).transform
        except self._lookup_error as error:
            raise ValueError(f"TF does not know where '{frame}' is in '{self._base}': {error}") from error
        p, q = found.translation, found.rotation
        return pose_matrix(np.array([p.x, p.y, p.z]), np.array([q.x, q.y, q.z, q.w]))
