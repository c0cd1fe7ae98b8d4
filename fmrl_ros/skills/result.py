"""How a skill ended."""

from __future__ import annotations

from dataclasses import dataclass

PREEMPTED = "preempted by another skill"
"""The reason of a skill that had to give way to a newer one."""


@dataclass(frozen=True)
class SkillResult:
    """How one execution of a skill ended.

    Attributes:
      finished: True if the skill reached its own termination condition; whether it succeeded is for cameras to judge.
      reason: Why it ended, in words.
      value: The last affordance, in [0, 1].
      steps: Control steps taken.
    """

    finished: bool
    reason: str
    value: float = 0.0
    steps: int = 0
