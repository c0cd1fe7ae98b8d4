"""The last check before the motors: commands are clamped, silence holds the arm, and stop wins over everything."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.profile import RobotProfile
from fmrl_ros.robot.trajectory import JointTrajectory

Array = NDArray[np.float64]

VELOCITY_BURST = 0.06
"""Greatest time whose motion one command may ask for, s: a stream at 20 Hz with some jitter passes unchanged."""

_MOVING_FINGER_SPEED = 0.005
"""A finger faster than this moves freely and does not grip, m/s."""


_ARRIVAL_TOLERANCE = 1e-4
"""A trajectory is over when every joint's reference is this near its last point, rad."""

_EXTRA_TIME = 1.0
"""Longest time beyond twice its duration that a trajectory slowed by the limits may take, s."""


class CommandRejectedError(ValueError):
    """A command was not taken; the message says why and what is valid."""


class Mode(Enum):
    """What the arm is doing."""

    HOLDING = "holding"
    STREAMING = "streaming"
    TRAJECTORY = "trajectory"
    STOPPED = "stopped"


@dataclass
class GateCounts:
    """How many commands were taken, clamped and refused so far, and how often silence made the arm hold."""

    taken: int = 0
    position: int = 0
    velocity: int = 0
    workspace: int = 0
    rejected: int = 0
    held: int = 0


class CommandGate:
    """Stands between every commander and the joint controllers of one arm.

    A streamed command is clamped to the position limits, then to what the velocity limits allow since the last one,
    then to the workspace box of the tool. When commands stop for `profile.watchdog` seconds the arm holds where it
    was measured. After `stop` every command is refused until `resume`. Times are those of the robot's own clock, s.
    Not thread-safe: one thread, or a lock around it.
    """

    def __init__(self, profile: RobotProfile, tool_position: Callable[[Array], Array]) -> None:
        """Create a gate that holds at the profile's home.

        Args:
          profile: The robot's limits.
          tool_position: Forward kinematics, arm posture [n] to tool centre point [3] in the base frame.
        """
        self.profile = profile
        self.counts = GateCounts()
        self.mode = Mode.HOLDING
        self._tool_position = tool_position
        self._reference = profile.home.copy()
        self._finger = profile.gripper_range[1]
        self._allowance = np.zeros(len(profile.joints))
        self._last = -math.inf
        self._trajectory: tuple[JointTrajectory, float, Array] | None = None

    @property
    def reference(self) -> Array:
        """Joint positions that the controllers should track now, shape [n], rad."""
        return self._reference.copy()

    @property
    def finger(self) -> float:
        """Finger joint position that the hand should track now, m."""
        return self._finger

    def hold(self, measured: Array, finger: float | None = None) -> None:
        """Hold the arm where it was measured, forgetting every command; `finger` sets the hand too if given.

        A joint or a finger whose measurement is not a finite number holds where it was commanded to last.
        """
        if self.mode is not Mode.STOPPED:
            self.mode = Mode.HOLDING
        self._trajectory = None
        measured = np.asarray(measured, np.float64)
        self._reference = self._within_limits(np.where(np.isfinite(measured), measured, self._reference))
        if finger is not None and math.isfinite(finger):
            self._finger = float(np.clip(finger, *self.profile.gripper_range))

    def stop(self, measured: Array, finger: float, finger_speed: float) -> None:
        """Stop now and refuse commands until `resume`.

        Args:
          measured: Arm posture, shape [n], rad.
          finger: Measured finger joint position, m.
          finger_speed: Its speed, m/s. A moving hand stops where it is, a hand at rest keeps its grip.
        """
        self.hold(measured, finger if abs(finger_speed) > _MOVING_FINGER_SPEED else None)
        self.mode = Mode.STOPPED

    def resume(self, measured: Array) -> None:
        """Take commands again; the arm holds until one comes."""
        if self.mode is Mode.STOPPED:
            self.mode = Mode.HOLDING
            self.hold(measured)

    def stream(self, command: Sequence[float] | Array, now: float) -> None:
        """Take one joint position command of a stream.

        Args:
          command: Joint positions, shape [n], rad.
          now: Time, s.

        Raises:
          CommandRejectedError: If the robot is stopped, or the command has the wrong length or is not finite.
        """
        self._refuse_if_stopped()
        target = self._checked(command)
        self._trajectory = None
        elapsed = min(now - self._last, VELOCITY_BURST) if self._last <= now else VELOCITY_BURST
        self._allowance = np.minimum(
            self._allowance + self.profile.velocity_limits * elapsed, self.profile.velocity_limits * VELOCITY_BURST
        )
        self._last = now
        self.mode = Mode.STREAMING
        self.counts.taken += 1
        self._move(target)

    def follow(self, trajectory: JointTrajectory, now: float) -> None:
        """Take a joint trajectory that starts now; it replaces what the arm was doing.

        Raises:
          CommandRejectedError: If the robot is stopped, or the trajectory is malformed.
        """
        self._refuse_if_stopped()
        times, points = trajectory.times, trajectory.points
        if len(times) == 0 or points.shape != (len(times), len(self.profile.joints)):
            self._reject(f"trajectory needs points of {len(self.profile.joints)} joints, got shape {points.shape}")
        if not np.isfinite(times).all() or not np.isfinite(points).all():
            self._reject("trajectory holds a number that is not finite")
        if times[0] < 0 or (np.diff(times) <= 0).any():
            self._reject("trajectory times must increase and not be negative")
        self._trajectory = (trajectory, now, self._reference.copy())
        self._allowance = np.zeros(len(self.profile.joints))
        self._last = now
        self.mode = Mode.TRAJECTORY
        self.counts.taken += 1

    def grip(self, command: Sequence[float] | Array) -> None:
        """Take a gripper command: one finger joint position, m.

        Raises:
          CommandRejectedError: If the robot is stopped, or the command is not one finite number.
        """
        self._refuse_if_stopped()
        values = np.asarray(command, np.float64).reshape(-1)
        low, high = self.profile.gripper_range
        if values.shape != (1,) or not np.isfinite(values).all():
            self._reject(f"gripper command must be one finger joint position in [{low}, {high}] m, got {command!r}")
        self._finger = float(np.clip(values[0], low, high))

    def update(self, measured: Array, now: float) -> None:
        """Advance to time `now`, s: follow the trajectory, or hold if the stream has fallen silent.

        Args:
          measured: Arm posture, shape [n], rad.
          now: Time, s.
        """
        if self._trajectory is not None:
            trajectory, start, origin = self._trajectory
            self._allowance = self.profile.velocity_limits * max(now - self._last, 0.0)
            self._last = now
            self._move(trajectory.sample(now - start, origin))
            arrived = np.abs(self._reference - trajectory.points[-1]).max() < _ARRIVAL_TOLERANCE
            if now - start >= trajectory.duration and (arrived or now - start > 2 * trajectory.duration + _EXTRA_TIME):
                self.hold(self._reference)
        elif self.mode is Mode.STREAMING and now - self._last > self.profile.watchdog:
            self.counts.held += 1
            self.hold(measured)

    def _refuse_if_stopped(self) -> None:
        if self.mode is Mode.STOPPED:
            self._reject("the robot is stopped; call the service resume first")

    def _reject(self, reason: str) -> None:
        self.counts.rejected += 1
        raise CommandRejectedError(reason)

    def _checked(self, command: Sequence[float] | Array) -> Array:
        target = np.asarray(command, np.float64).reshape(-1)
        joints = self.profile.joints
        if len(target) != len(joints):
            self._reject(f"command has {len(target)} values, the arm has {len(joints)} joints ({', '.join(joints)})")
        broken = [joint for joint, value in zip(joints, target, strict=True) if not np.isfinite(value)]
        if broken:
            self._reject(f"command is not finite at {', '.join(broken)}")
        return target

    def _within_limits(self, target: Array) -> Array:
        return np.clip(target, self.profile.position_limits[:, 0], self.profile.position_limits[:, 1])

    def _move(self, target: Array) -> None:
        """Bring the reference as near to `target` as the limits, the allowance and the workspace let it come."""
        limited = self._within_limits(target)
        self.counts.position += bool((limited != target).any())
        slowed = self._reference + np.clip(limited - self._reference, -self._allowance, self._allowance)
        self.counts.velocity += bool((np.abs(slowed - limited) > 1e-9).any())
        admitted = self._inside_workspace(slowed)
        self.counts.workspace += admitted is not slowed
        self._allowance = self._allowance - np.abs(admitted - self._reference)
        self._reference = admitted

    def _inside_workspace(self, target: Array) -> Array:
        """Return `target`, or the last posture on the way to it with the tool in its box.

        From outside the box every posture that leads no further out is admitted, so that the arm can come back.
        """
        bound = max(self._excess(self._reference), 0.0) + 1e-6
        if self._excess(target) <= bound:
            return target
        inside, outside = 0.0, 1.0
        for _ in range(8):
            middle = (inside + outside) / 2
            if self._excess(self._reference + middle * (target - self._reference)) <= bound:
                inside = middle
            else:
                outside = middle
        return self._reference + inside * (target - self._reference)

    def _excess(self, q: Array) -> float:
        """How far the tool is outside its box at posture `q`, m; negative inside."""
        tool = self._tool_position(q)
        low, high = self.profile.workspace.T
        return float(np.maximum(low - tool, tool - high).max())
