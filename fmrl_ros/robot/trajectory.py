"""A joint trajectory as a trajectory controller takes it, sampled in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class JointTrajectory:
    """Joint positions over time, linear between points.

    Attributes:
      times: Seconds after the start, shape [k], increasing.
      points: Joint positions, shape [k, n], rad.
    """

    times: Array
    points: Array

    @property
    def duration(self) -> float:
        """Time of the last point, s."""
        return float(self.times[-1])

    def sample(self, elapsed: float, start: Array) -> Array:
        """Return the joint positions, shape [n], `elapsed` seconds after starting from posture `start`."""
        times = np.concatenate([[0.0], self.times])
        points = np.vstack([start, self.points])
        return np.array([np.interp(elapsed, times, column) for column in points.T])


def ordered(names: Sequence[str], joints: Sequence[str], points: Array) -> Array:
    """Return the columns of `points` [k, n], named by `names`, in the order of `joints`.

    Raises:
      ValueError: If the names are not exactly the arm's joints.
    """
    if sorted(names) != sorted(joints):
        raise ValueError(f"trajectory is for joints {', '.join(names) or 'none'}; the arm has {', '.join(joints)}")
    return points[:, [list(names).index(joint) for joint in joints]]
