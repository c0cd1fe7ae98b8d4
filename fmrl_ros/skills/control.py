"""From a policy's action to a joint command: the tool moves by a bounded step, the hand opens or closes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.cartesian import CartesianController
from fmrl_ros.robot.kinematics import ToolPose
from fmrl_ros.robot.state import JointCommand
from fmrl_ros.skills.observation import SkillMemory

CONTROL_PERIOD = 0.05
"""Seconds between two actions."""

ACTION_SIZE = 4
"""(dx, dy, dz, hand), each in [-1, 1]; the hand is open above 0."""

STEP = 0.03
"""Tool motion of a full action, m."""

MAX_TURN = 0.15
"""Turn of the hand about the vertical in one control period at most, rad."""

MAX_YAW = 1.0
"""Most that the hand is turned away from facing straight ahead, rad: a little more than any square needs."""

MAX_LEAD = 0.05
"""Most that the commanded tool position may run ahead of the measured one on each axis, m."""

_TRAIL_STEPS = 12
"""Control steps that the tool's way is remembered for."""

REGION = np.array([[0.21, -0.48, 0.018], [0.76, 0.50, 0.45]])
"""Where a policy may send the tool, [low, high], m, base frame, as far as the robot's workspace goes."""


def region(controller: CartesianController) -> NDArray[np.float64]:
    """Return the part of `REGION` that a robot's workspace has, [low, high], m, base frame."""
    low, high = controller.workspace.T
    return np.array([np.maximum(REGION[0], low), np.minimum(REGION[1], high)])


class ToolStepper:
    """Turns actions into joint commands and remembers the last one."""

    def __init__(self, controller: CartesianController, q: NDArray[np.float64], holding: bool) -> None:
        """Start from posture `q`, shape [n], rad, with the hand closed on something or open."""
        self._controller = controller
        self._region = region(controller)
        self._q = q
        self._yaw = controller.forward(q).yaw
        self.memory = SkillMemory(controller.forward(q).position, not holding, holding)

    def note(self, stamp: float, measured: ToolPose) -> None:
        """Remember where the tool is at `stamp`, s."""
        self.memory = replace(self.memory, trail=(*self.memory.trail[1 - _TRAIL_STEPS :], (stamp, measured.position)))

    def act(self, action: NDArray[np.float32], measured: ToolPose, facing: float | None = None) -> JointCommand:
        """Return the joint command for an action, shape [4], in [-1, 1]; see `move` for `facing`."""
        target = self.memory.tool + STEP * np.clip(action[:3], -1, 1)
        return self.move(target, bool(action[3] > 0), measured, facing)

    def move(
        self, target: NDArray[np.float64], hand_open: bool, measured: ToolPose, facing: float | None = None
    ) -> JointCommand:
        """Return the joint command that brings the tool towards `target`, shape [3], m, at most `MAX_LEAD` ahead.

        With `facing`, rad, the hand turns until its fingers face the sides of a square of that yaw; any of its four
        sides will do. Without, it keeps its orientation.
        """
        target = np.clip(target, measured.position - MAX_LEAD, measured.position + MAX_LEAD)
        self.memory = replace(self.memory, tool=np.clip(target, *self._region), open=hand_open)
        if facing is not None:
            turn = (facing - self._yaw + np.pi / 4) % (np.pi / 2) - np.pi / 4
            self._yaw += float(np.clip(turn, -MAX_TURN, MAX_TURN))
            self._yaw = float(np.clip(self._yaw, -MAX_YAW, MAX_YAW))
        self._q = self._controller.solve(self._q, ToolPose(self.memory.tool, self._yaw))
        return JointCommand(self._q, 0.04 if hand_open else 0.0)
