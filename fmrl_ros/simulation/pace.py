"""Keeps a simulation at a multiple of real time and measures how well."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass

_MAX_LATENESS = 0.1
"""A loop later than this does not try to catch up: it starts its schedule anew, s."""


@dataclass(frozen=True)
class PaceReport:
    """How the loop has kept its schedule over the last seconds.

    Attributes:
      real_time_factor: Simulated seconds a wall second.
      jitter_mean: Mean lateness of a step against its schedule, s of wall time.
      jitter_p99: 99th percentile of the same, s.
      jitter_max: Greatest lateness, s.
    """

    real_time_factor: float
    jitter_mean: float
    jitter_p99: float
    jitter_max: float


class Pace:
    """Wall-clock schedule of a stepped simulation."""

    def __init__(self, factor: float, window: int = 1000) -> None:
        """Create a schedule.

        Args:
          factor: Simulated seconds a wall second; 0 for as fast as possible.
          window: Number of steps that a report looks back on.
        """
        if not 0 <= factor < float("inf"):
            raise ValueError(f"real-time factor must be 0 (as fast as possible) or greater, not {factor}")
        self.factor = factor
        self._late: deque[float] = deque(maxlen=window)
        self._stamps: deque[tuple[float, float]] = deque(maxlen=window)
        self.restart(0.0)

    def restart(self, simulated: float) -> None:
        """Start the schedule at simulated time `simulated`, s, now; what was measured before is forgotten."""
        self._origin = (time.monotonic(), simulated)
        self._late.clear()
        self._stamps.clear()

    def wait(self, simulated: float) -> None:
        """Sleep until simulated time `simulated`, s, is due, and note how late it came."""
        if self.factor > 0:
            wall, start = self._origin
            due = wall + (simulated - start) / self.factor
            ahead = due - time.monotonic()
            if ahead > 0:
                time.sleep(ahead)
            late = time.monotonic() - due
            self._late.append(max(late, 0.0))
            if late > _MAX_LATENESS:
                self._origin = (time.monotonic(), simulated)
        self._stamps.append((time.monotonic(), simulated))

    def report(self) -> PaceReport:
        """Return what was measured over the window."""
        stamps, late = list(self._stamps), sorted(self._late)
        factor = 0.0
        if len(stamps) > 1 and stamps[-1][0] > stamps[0][0]:
            factor = (stamps[-1][1] - stamps[0][1]) / (stamps[-1][0] - stamps[0][0])
        if not late:
            return PaceReport(factor, 0.0, 0.0, 0.0)
        return PaceReport(factor, sum(late) / len(late), late[int(0.99 * (len(late) - 1))], late[-1])
