"""Cartesian control of the arm: forward kinematics, and differential inverse kinematics with mink."""

from __future__ import annotations

import mink
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.kinematic_model import kinematic_model
from fmrl_ros.robot.kinematics import ForwardKinematics, ToolPose
from fmrl_ros.robot.profile import RobotProfile


class CartesianController:
    """Keeps the tool pointing down and moves it to a position, one control step at a time.

    The inverse kinematics is mink's quadratic programme: a frame task for the tool, a posture task of low weight
    that picks the elbow where the arm leaves a choice, and the joint limits.

    Attributes:
      home: The arm's home posture, shape [n], rad.
      workspace: Box for the tool in the base frame, shape [3, 2], m.
      joint_range: Lower and upper limits that it keeps, shape [n, 2], rad.
    """

    def __init__(self, profile: RobotProfile, iterations: int = 2) -> None:
        """Create the controller. Raises ModelError.

        Args:
          profile: Names the model, and the home posture that redundancy is resolved towards.
          iterations: Newton-like iterations of the programme a call.
        """
        kinematics = kinematic_model(profile)
        self._model, self._arm, self._rest = kinematics.model, kinematics.arm, kinematics.home
        self._configuration = mink.Configuration(self._model)
        self._tool = mink.FrameTask(kinematics.tool, "site", position_cost=1.0, orientation_cost=0.5, lm_damping=1e-4)
        self._posture = mink.PostureTask(self._model, cost=1e-3)
        self._limits = [mink.ConfigurationLimit(self._model)]
        self._posture.set_target(self._rest)
        self._kinematics = ForwardKinematics(profile)
        self._iterations = iterations
        self.home: NDArray[np.float64] = profile.home.copy()
        self.workspace: NDArray[np.float64] = profile.workspace.copy()
        self.joint_range = np.array([self._model.joint(name).range for name in profile.model.joints])

    def _full(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the positions of all joints, the hand open."""
        full = self._rest.copy()
        full[self._arm] = q
        return full

    def forward(self, q: NDArray[np.float64]) -> ToolPose:
        """Return the tool's pose at arm posture `q`, shape [n], rad."""
        return self._kinematics.pose(q)

    def solve(self, q: NDArray[np.float64], pose: ToolPose) -> NDArray[np.float64]:
        """Return the arm posture, shape [n], rad, that brings the tool from posture `q` towards `pose`."""
        half = pose.yaw / 2
        rotation = mink.SO3(np.array([np.cos(half), 0, 0, np.sin(half)])) @ mink.SO3(np.array([0.0, 1, 0, 0]))
        self._tool.set_target(mink.SE3.from_rotation_and_translation(rotation, pose.position))
        self._configuration.update(self._full(q))
        for _ in range(self._iterations):
            velocity = mink.solve_ik(
                self._configuration, [self._tool, self._posture], dt=1.0, solver="daqp", limits=self._limits
            )
            self._configuration.integrate_inplace(velocity, 1.0)
        return self._configuration.q[self._arm]
