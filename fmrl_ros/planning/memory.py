"""What the last instructions asked for, so that the next one can speak of it: "now put it in the green bowl"."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

KEPT = 2
"""Goals that are remembered at most, the last ones."""


class Memory:
    """The goals of the last instructions since the world was put back, as texts in the goal language.

    Args:
      goals: What was asked for before the first instruction, the older first.
    """

    def __init__(self, goals: Sequence[str] = ()) -> None:
        self._goals = deque(goals, maxlen=KEPT)
        self._resets: int | None = None

    def goals(self, resets: int) -> tuple[str, ...]:
        """Return what was asked for, the older first.

        Args:
          resets: How often the world was put back so far; what was asked for before the last time is forgotten.
        """
        if self._resets not in (None, resets):
            self._goals.clear()
        self._resets = resets
        return tuple(self._goals)

    def note(self, goal: str, resets: int) -> None:
        """Remember what an instruction asked for that has ended; for `resets` see `goals`."""
        self.goals(resets)
        self._goals.append(goal)
