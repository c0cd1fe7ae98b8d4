"""The pictures of one camera: colour and depth taken together, with calibration and pose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import CameraInfo, Image

from fmrl_ros.nodes.support import conversions
from fmrl_ros.nodes.support.transforms import Transforms
from fmrl_ros.perception.view import View
from fmrl_ros.robot.calibration import Calibration, Region
from fmrl_ros.robot.camera import CameraModel
from fmrl_ros.robot.kinematics import ForwardKinematics
from fmrl_ros.robot.profile import TF, CameraProfile, RobotProfile
from fmrl_ros.robot.state import RobotState

_WAITING = 4
"""Pictures that wait for their other half."""
MAX_APART = 0.01
"""Colour and depth whose stamps differ by no more than this are of one picture, s."""


class CameraFeed:
    """Takes ``<name>/color``, ``<name>/depth`` and ``<name>/camera_info``.

    Args:
      node: Subscribes.
      profile: Of the robot; its base frame is the one of every pose.
      camera: Of the profile.
      arrived: Called, in the executor, when a picture is complete.

    Attributes:
      unpaired: Why colour and depth that have come since the last picture make none; empty if none have.
    """

    def __init__(self, node: Any, profile: RobotProfile, camera: CameraProfile, arrived: Callable[[], None]) -> None:
        self.camera = camera
        self.unpaired = ""
        self._came = self._shown = 0
        self._last: object | None = None
        self._on_base = camera.parent == profile.base_frame
        self._transforms = Transforms(node, profile.base_frame) if camera.parent == TF else None
        self._kinematics, self._arrived = ForwardKinematics(profile), arrived
        self._newest: tuple[Image, Image] | None = None
        self._halves: tuple[dict[float, Image], ...] = ({}, {})
        self._calibration: Calibration | None = None
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
        self.unpaired = ""
        for waiting in self._halves:
            waiting.clear()

    def view(self, state_at: Callable[[float], RobotState]) -> View:
        """Return the newest picture; `state_at` says how the robot stood at a time.

        Waits for TF, so it is not for the executor's thread.

        Raises ValueError if none has come, on an encoding that is not known, on a ``camera_info`` that does not fit, or
        if TF does not know where the camera was.
        """
        newest = self._newest
        if newest is None:
            raise ValueError(f"no picture from camera '{self.camera.name}'")
        color, depth = newest
        self._shown += newest is not self._last
        self._last = newest
        pixels, metres = conversions.color_from(color), conversions.depth_from(depth)
        stamp = conversions.seconds(color.header.stamp)
        model = self._model(state_at(stamp), color)
        return View(pixels, metres, model, self.camera.name, stamp)

    def picture(self) -> View:
        """Return the newest picture's colours alone. Raises as `view` does."""
        if self._newest is None:
            raise ValueError(f"no picture from camera '{self.camera.name}'")
        color = self._newest[0]
        stamp = conversions.seconds(color.header.stamp)
        return View(conversions.color_from(color), name=self.camera.name, stamp=stamp)

    def _model(self, robot: RobotState, color: Image) -> CameraModel:
        """Return the camera with the driver's calibration, where TF says it is or the profile mounts it."""
        calibration = self._calibration
        size = (self.camera.width, self.camera.height) if calibration is None else (color.width, color.height)
        K = self.camera.K if calibration is None else calibration.intrinsics(*size)
        if self._transforms is not None:
            parent: NDArray[np.float64] | None = self._transforms.pose(color.header.frame_id, color.header.stamp)
        else:
            parent = None if self._on_base else self._kinematics.link(robot.q, self.camera.parent)
        return CameraModel(K, self.camera.model(parent).pose, *size)

    def _calibrate(self, message: CameraInfo) -> None:
        """Keep the driver's calibration; it is for the profile's size if the message has none."""
        roi = message.roi
        self._calibration = Calibration(
            K=np.array(message.k, np.float64).reshape(3, 3),
            width=message.width or self.camera.width,
            height=message.height or self.camera.height,
            D=np.array(message.d, np.float64),
            model=message.distortion_model,
            R=np.array(message.r, np.float64).reshape(3, 3),
            P=np.array(message.p, np.float64).reshape(3, 4),
            binning=(message.binning_x, message.binning_y),
            region=Region(roi.x_offset, roi.y_offset, roi.width, roi.height),
        )

    def _pair(self, message: Image, half: int) -> None:
        """Bring colour and depth of about the same stamp together."""
        stamp = conversions.seconds(message.header.stamp)
        others = self._halves[1 - half]
        self._halves[half][stamp] = message
        nearest = min(others, key=lambda other: abs(other - stamp), default=None)
        if nearest is not None and abs(nearest - stamp) <= MAX_APART:
            halves = (message, others[nearest])
            self._newest = (halves[half], halves[1 - half])
            self._drop_halves(max(stamp, nearest))
            self.unpaired = ""
            self._came += 1
            self._arrived()
            return
        for waiting in self._halves:
            while len(waiting) > _WAITING:
                del waiting[next(iter(waiting))]
        self.unpaired = self._why_unpaired()

    def _why_unpaired(self) -> str:
        """Say why what waits makes no picture; empty if it may just be on its way."""
        color, depth = self._halves
        if color and depth:
            apart = min(abs(one - other) for one in color for other in depth)
            return (
                f"its colour and depth are {apart:.3f} s apart, at most {MAX_APART} s are taken for one picture; "
                "synchronise the driver's streams"
            )
        if len(color) > 1 or len(depth) > 1:
            return "only colour comes, no depth" if color else "only depth comes, no colour"
        return ""

    def _drop_halves(self, stamp: float) -> None:
        """Give up the halves of pictures up to a time: later ones have come."""
        for waiting in self._halves:
            for old in [old for old in waiting if old <= stamp]:
                del waiting[old]
