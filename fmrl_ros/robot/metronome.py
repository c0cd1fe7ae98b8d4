"""Spreads commands evenly: a driver gets the next one a control period after the last, however long it took to make."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

_GAIN = 0.05
"""Share of the difference between the beat and what the measured states call for that is made up with each beat."""
_WINDOW = 40
"""States over which the robot's clock is compared with the wall's; from a fifth of them on the result is used."""


class Metronome:
    """Beats with a robot's clock, some milliseconds after the state that a command is made from.

    The states arrive unevenly, and so does the processor's time. The beat follows them slowly; a command that is ready
    before its beat waits for it, one that is late goes at once.

    Args:
      period: Between two beats, robot seconds.
      delay: From a state's arrival to its beat, on average, wall seconds: time to make the command, and a margin.
    """

    def __init__(
        self,
        period: float,
        delay: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._period, self._delay = period, delay
        self._clock, self._sleep = clock, sleep
        self._beat = float("-inf")
        self._seen: deque[tuple[float, float]] = deque(maxlen=_WINDOW)
        self._rate = 1.0

    def wait(self, arrival: float, stamp: float) -> None:
        """Wait for the beat of the command that was made from a state.

        Args:
          arrival: When the state came, by `clock`, s.
          stamp: When it was measured, by the robot's clock, s.
        """
        wanted = arrival + self._delay
        elapsed = stamp - self._seen[-1][1] if self._seen else float("inf")
        if not 0 < elapsed < 3 * self._period:
            self._seen.clear()
            self._beat = wanted
        else:
            expected = self._beat + max(1, round(elapsed / self._period)) * self._period * self._rate
            out_of_step = abs(wanted - expected) > self._period * self._rate / 2
            self._beat = wanted if out_of_step else expected + _GAIN * (wanted - expected)
        self._seen.append((arrival, stamp))
        first, last = self._seen[0], self._seen[-1]
        if len(self._seen) > _WINDOW / 5:
            self._rate = min(max((last[0] - first[0]) / (last[1] - first[1]), 0.1), 10.0)
        ahead = self._beat - self._clock()
        if ahead > 0:
            self._sleep(min(ahead, self._period * self._rate))
