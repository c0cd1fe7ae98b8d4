"""Where the links of the arm are for given joint positions."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.robot.kinematic_model import kinematic_model
from fmrl_ros.robot.profile import RobotProfile

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ToolPose:
    """Pose of the tool centre point, its z axis down.

    Attributes:
      position: (x, y, z), shape [3], metres, base frame.
      yaw: Rotation of the hand about the base z axis, rad; at 0 the fingers open along base y.
    """

    position: Array
    yaw: float


class ForwardKinematics:
    """Forward kinematics of an arm with its hand, about 5 microseconds a call. One object serves one thread."""

    def __init__(self, profile: RobotProfile) -> None:
        """Read the model that the robot's profile names. Raises ModelError."""
        kinematics = kinematic_model(profile)
        self._model, self._arm = kinematics.model, kinematics.arm
        self._data = mujoco.MjData(self._model)
        self._tool = self._model.site(kinematics.tool).id

    def tool(self, q: Array) -> Array:
        """Return the position of the tool centre point, shape [3], m, base frame, at arm posture `q`, shape [n]."""
        self._update(q)
        return self._data.site_xpos[self._tool].copy()

    def pose(self, q: Array) -> ToolPose:
        """Return the tool's pose at arm posture `q`, shape [n], rad."""
        position = self.tool(q)
        rotation = self._data.site_xmat[self._tool].reshape(3, 3)
        return ToolPose(position, float(np.arctan2(rotation[1, 0], rotation[0, 0])))

    def link(self, q: Array, name: str) -> Array:
        """Return the pose of a link in the base frame, shape [4, 4]. Raises UnknownNameError."""
        body = mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_BODY, name)
        if body < 0:
            raise UnknownNameError("link", name, [self._model.body(i).name for i in range(self._model.nbody)])
        self._update(q)
        pose = np.eye(4)
        pose[:3, :3] = self._data.xmat[body].reshape(3, 3)
        pose[:3, 3] = self._data.xpos[body]
        return pose

    def _update(self, q: Array) -> None:
        self._data.qpos[self._arm] = q
        mujoco.mj_kinematics(self._model, self._data)
