"""Where a camera is, from TF: for cameras that are calibrated there and not in the robot profile."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.camera import pose_matrix

PATIENCE = 0.2
"""A transform may come so much later than the picture that it is for, s of wall time."""
_INTERVAL = 0.005
"""TF is asked so often, s of wall time."""


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
        self._not_at_that_time: type[Exception] = tf2_ros.ExtrapolationException
        self._base = base
        self._buffer = tf2_ros.Buffer()
        self._listener = tf2_ros.TransformListener(self._buffer, node)

    def pose(self, frame: str, stamp: Any) -> NDArray[np.float64]:
        """Return where a frame is, shape [4, 4], base frame, at a time (a ``builtin_interfaces/Time``).

        A picture often comes before the transform of its time, so this waits; another thread has to spin the node. A
        frame of which nothing is known is not waited for: it would hold up the pictures of other cameras.

        Raises ValueError if TF does not know, or not within `PATIENCE`.
        """
        deadline = time.monotonic() + PATIENCE
        while (found := self._lookup(frame, stamp, last=time.monotonic() >= deadline)) is None:
            time.sleep(_INTERVAL)
        p, q = found.translation, found.rotation
        return pose_matrix(np.array([p.x, p.y, p.z]), np.array([q.x, q.y, q.z, q.w]))

    def _lookup(self, frame: str, stamp: Any, last: bool) -> Any:
        """Return the transform; None if TF may know it soon, unless this is the `last` time. Raises ValueError."""
        try:
            return self._buffer.lookup_transform(self._base, frame, stamp).transform
        except self._lookup_error as error:
            if isinstance(error, self._not_at_that_time) and not last:
                return None
            raise ValueError(f"TF does not know where '{frame}' is in '{self._base}': {error}") from error
