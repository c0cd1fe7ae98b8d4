"""Whether an arm stands, by where its joints are.

Not by their speeds: where a hand grips, contacts make measured speeds tremble while the arm stays where it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.stop_switch import STANDSTILL_SPEED

STANDING_TIME = 0.1
"""An arm stands whose joints have moved by no more than `STANDSTILL_SPEED` allows for so long, s."""


class Standing:
    """Follows an arm's joint positions."""

    def __init__(self) -> None:
        self._place: NDArray[np.float64] | None = None
        self._since = self._now = 0.0

    def note(self, stamp: float, q: NDArray[np.float64]) -> None:
        """Take joint positions, shape [n], rad, measured at `stamp`, s."""
        left = self._place is None or np.abs(q - self._place).max() > STANDSTILL_SPEED * STANDING_TIME
        if left or stamp < self._now:
            self._place, self._since = q.copy(), stamp
        self._now = stamp

    @property
    def stands(self) -> bool:
        """True if no joint has left its place for `STANDING_TIME`."""
        return self._place is not None and self._now - self._since >= STANDING_TIME
