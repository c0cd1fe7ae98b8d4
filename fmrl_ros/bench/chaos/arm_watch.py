"""Whether an arm stayed within its limits, and how far it moved."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.kinematics import ForwardKinematics
from fmrl_ros.robot.profile import RobotProfile

Array = NDArray[np.float64]

POSITION_TOLERANCE = 0.02
"""A joint may swing so far beyond its limit, rad."""
SPEED_WINDOW, SPEED_TOLERANCE = 0.25, 1.3
"""Speeds are means over so much time, s, and at most so many times the limit: commands that come 20 times a second are
steps, to which a joint answers with a peak that is faster, and the gate lets a burst pass."""
WORKSPACE_TOLERANCE = 0.01
"""The tool may be so far outside its box, m: the arm lags and swings."""


class ArmWatch:
    """Collects an arm's true joint states. All methods may be called from any thread.

    Attributes:
      peak: The fastest that a joint was at any moment, in multiples of its limit.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._profile = profile
        self._tool = ForwardKinematics(profile)
        self._lock = threading.Lock()
        self._positions: list[Array] = []
        self._excess = ""
        self._window: deque[tuple[float, Array]] = deque()
        self._heeds = True
        self.peak = 0.0

    def forget(self) -> None:
        """Begin anew."""
        with self._lock:
            self._positions.clear()
            self._window.clear()
            self._excess = ""

    @contextmanager
    def unwatched(self) -> Iterator[None]:
        """Heed no limit inside: the simulator puts the arm elsewhere, which is no motion."""
        with self._lock:
            self._heeds = False
        try:
            yield
        finally:
            with self._lock:
                self._window.clear()
                self._heeds = True

    def take(self, stamp: float, positions: Array, velocities: Array) -> None:
        """Take a joint state: its stamp, s, positions, shape [n], rad, and velocities, shape [n], rad/s."""
        with self._lock:
            if self._window and stamp < self._window[-1][0]:
                self._window.clear()
            self._window.append((stamp, positions))
            while stamp - self._window[0][0] > SPEED_WINDOW:
                self._window.popleft()
            self._positions.append(positions)
            if not self._heeds:
                return
            self._excess = self._excess or self._beyond(positions, velocities)
            self.peak = max(self.peak, float((np.abs(velocities) / self._profile.velocity_limits).max()))

    @property
    def excess(self) -> str:
        """Which limit the arm was beyond first; empty if none."""
        return self._excess

    @property
    def count(self) -> int:
        """How many states have come."""
        return len(self._positions)

    def travel(self, since: int = 0) -> float:
        """Return how far the joint that moved furthest was from where it was at state `since`, rad, at most."""
        with self._lock:
            positions = np.array(self._positions[since:])
        return float(np.abs(positions - positions[0]).max()) if len(positions) else 0.0

    def _mean_speeds(self) -> Array:
        """Return the joints' mean speeds in the window, shape [n], rad/s; zeros until it is full."""
        (begin, first), (end, last) = self._window[0], self._window[-1]
        if end - begin < 0.8 * SPEED_WINDOW:
            return np.zeros(len(last))
        return np.abs(last - first) / (end - begin)

    def _beyond(self, positions: Array, velocities: Array) -> str:
        profile = self._profile
        if not (np.isfinite(positions).all() and np.isfinite(velocities).all()):
            return "a joint is no finite number"
        low, high = profile.position_limits.T
        for joint, excess in zip(profile.joints, np.maximum(low - positions, positions - high), strict=True):
            if excess > POSITION_TOLERANCE:
                return f"{joint} {excess:.3f} rad beyond its limits"
        for joint, speed, limit in zip(profile.joints, self._mean_speeds(), profile.velocity_limits, strict=True):
            if speed > SPEED_TOLERANCE * limit:
                return f"{joint} at {speed:.2f} rad/s for {SPEED_WINDOW} s, limit {limit:.2f}"
        tool = self._tool.tool(positions)
        lower, upper = profile.workspace.T
        outside = float(np.maximum(lower - tool, tool - upper).max())
        return f"the tool {1000 * outside:.0f} mm outside its box" if outside > WORKSPACE_TOLERANCE else ""
