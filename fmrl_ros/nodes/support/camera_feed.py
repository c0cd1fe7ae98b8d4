"""The pictures of one camera: colour and depth of the same stamp, with calibration and pose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header

from fmrl_ros.nodes.support import conversions
from fmrl_ros.nodes.support.transforms import Transforms
from fmrl_ros.perception.view import View
from fmrl_ros.robot.camera import CameraModel
from fmrl_ros.robot.kinematics import ForwardKinematics
from fmrl_ros.robot.profile import TF, CameraProfile, RobotProfile
from fmrl_ros.robot.state import RobotState

_WAITING = 4
"""Pictures that wait for their other half."""


class CameraFeed:
    """Takes ``<name>/color``, ``<name>/depth`` and ``<name>/camera_info``.

    Args:
      node: Subscribes.
      profile: Of the robot; its base frame is the one of every pose.
      camera: Of the profile.
      arrived: Called, in the executor, when a picture is complete.
    """

    def __init__(self, node: Any, profile: RobotProfile, camera: CameraProfile, arrived: Callable[[], None]) -> None:
        self.camera = camera
        self._came = self._shown = 0
        self._last: object | None = None
        self._on_base = camera.parent == profile.base_frame
        self._transforms = Transforms(node, profile.base_frame) if camera.parent == TF else None
        self._kinematics, self._arrived = ForwardKinematics(), arrived
        self._newest: tuple[Image, Image] | None = None
        self._halves: tuple[dict[tuple[int, int], Image], ...] = ({}, {})
        self._intrinsics: NDArray[np.float64] | None = None
        for kind, topic, take in (
            (Image, "color", lambda message: self._pair(message, 0)),
            (Image, "depth", lambda message: self._pair(message, 1)),
            (CameraInfo, "camera_info", self._calibrate),
        ):
            node.create_subscription(kind, f"{camera.name}/{topic}", take, qos_profile_sensor_data)

    @property
    def stamp(self) -> float | None:
        """ROS time of the newest picture in seconds; None if none has come."""
        return conversions.seconds(self._newest[0].header.stamp) if self._newest else None

    @property
    def fresh(self) -> bool:
        """True if the newest picture has not been looked at."""
        return self._newest is not self._last

    @property
    def dropped(self) -> int:
        """How many pictures were never looked at since newer ones came."""
        return self._came - self._shown - self.fresh

    def forget(self) -> None:
        """Be as before the first picture."""
        self._newest = self._last = None
        for waiting in self._halves:
            waiting.clear()

    def view(self, state_at: Callable[[float], RobotState]) -> View:
        """Return the newest picture; `state_at` says how the robot stood at a time.

        Raises ValueError if none has come, or on an encoding that is not known.
        """
        newest = self._newest
        if newest is None:
            raise ValueError(f"no picture from camera '{self.camera.name}'")
        color, depth = newest
        self._shown += newest is not self._last
        self._last = newest
        stamp = conversions.seconds(color.header.stamp)
        model = self._model(state_at(stamp), color.header)
        return View(conversions.color_from(color), conversions.depth_from(depth), model, self.camera.name, stamp)

    def picture(self) -> View:
        """Return the newest picture's colours alone. Raises as `view` does."""
        if self._newest is None:
            raise ValueError(f"no picture from camera '{self.camera.name}'")
        color = self._newest[0]
        stamp = conversions.seconds(color.header.stamp)
        return View(conversions.color_from(color), name=self.camera.name, stamp=stamp)

    def _model(self, robot: RobotState, header: Header) -> CameraModel:
        """Return the camera with the driver's calibration, where TF says it is or the profile mounts it."""
        if self._transforms is not None:
            parent: NDArray[np.float64] | None = self._transforms.pose(header.frame_id, header.stamp)
        else:
            parent = None if self._on_base else self._kinematics.link(robot.q, self.camera.parent)
        model = self.camera.model(parent)
        intrinsics = model.K if self._intrinsics is None else self._intrinsics
        return CameraModel(intrinsics, model.pose, model.width, model.height)

    def _calibrate(self, message: CameraInfo) -> None:
        self._intrinsics = np.array(message.k, np.float64).reshape(3, 3)

    def _pair(self, message: Image, half: int) -> None:
        """Bring colour and depth of the same stamp together."""
        stamp = (message.header.stamp.sec, message.header.stamp.nanosec)
        self._halves[half][stamp] = message
        if stamp in self._halves[1 - half]:
            self._newest = (self._halves[0].pop(stamp), self._halves[1].pop(stamp))
            self._came += 1
            self._arrived()
        for waiting in self._halves:
            while len(waiting) > _WAITING:
                del waiting[next(iter(waiting))]
