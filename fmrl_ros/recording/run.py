"""The record of one instruction's execution. Plain values, collected while it happens, written out at its end."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone

from fmrl_ros.planning.monologue import MonologueLine, PlannerStep


@dataclass(frozen=True)
class TimedStep:
    """A planner's decision and the ROS time at which it was taken, in seconds."""

    stamp: float
    step: PlannerStep


@dataclass(frozen=True)
class TimedLine:
    """A line of the monologue and the ROS time at which it was said, in seconds."""

    stamp: float
    line: MonologueLine


@dataclass
class Run:
    """One instruction: the decisions, the monologue, and how it ended.

    Attributes:
      instruction: What the person said.
      world: Name of the world; empty if not known (a robot that somebody else started).
      planner: Name of the planner; empty for the graph's own default.
      model: Name of the language model; empty if not known.
      seed: Seed of the world's reset; None if there was none.
      steps: Decisions in the order taken.
      lines: The monologue.
      success: Whether it succeeded as far as the robot can tell; None if it was cut short.
      reason: Why, in words.
      exit_code: Of the command.
      times: Durations in wall seconds by name.
      started: Wall clock at the start, UTC.
    """

    instruction: str
    world: str = ""
    planner: str = ""
    model: str = ""
    seed: int | None = None
    steps: list[TimedStep] = field(default_factory=list)
    lines: list[TimedLine] = field(default_factory=list)
    success: bool | None = None
    reason: str = ""
    exit_code: int = 1
    times: dict[str, float] = field(default_factory=dict)
    started: datetime = field(default_factory=lambda: datetime.now(timezone.utc))

    @property
    def begun(self) -> bool:
        """True if the planner has said or decided anything for this instruction."""
        return bool(self.lines or self.steps)

    @property
    def reason_said(self) -> bool:
        """True if the monologue ends with the reason."""
        return bool(self.lines) and self.lines[-1].line.text.endswith(self.reason)

    def lines_after(self, index: int) -> list[TimedLine]:
        """Return the lines said after decision `index` and before the next; -1 for those before the first."""
        begin = self.steps[index].stamp if index >= 0 else float("-inf")
        end = self.steps[index + 1].stamp if index + 1 < len(self.steps) else float("inf")
        return [line for line in self.lines if begin <= line.stamp < end]

    def verdict(self, index: int) -> str:
        """Return what the success detector said after decision `index`; empty if it said nothing."""
        verdicts = [timed.line.text for timed in self.lines_after(index) if timed.line.speaker == "Success"]
        return verdicts[-1] if verdicts else ""
