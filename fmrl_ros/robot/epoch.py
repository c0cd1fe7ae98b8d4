"""Which measurements are of the world as it is now: a simulated one may be put back, and its clock, too."""

from __future__ import annotations

import math

_AHEAD = 1.0
"""A stamp that is so far ahead of the time was given before the clock jumped back, s."""


class Epoch:
    """The time since the world was put back last.

    Attributes:
      count: How often it was.
      since: ROS time from which on measurements are of the world as it is now, s; -inf if it was never put back.
    """

    def __init__(self) -> None:
        self.count, self.since = 0, -math.inf

    def begin(self, since: float) -> None:
        """Note that the world was put back: only what is stamped `since`, s, or later is of it as it is now."""
        self.since = since
        self.count += 1

    def includes(self, stamp: float, now: float) -> bool:
        """Return whether what was measured at a time, s, is of the world as it is; `now` is the time by that clock."""
        return not self.count or self.since <= stamp <= now + _AHEAD
