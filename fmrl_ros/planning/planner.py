"""The planner role: an instruction and a robot in, steps and lines out as they happen, a result at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from fmrl_ros.planning.embodiment import Embodiment
from fmrl_ros.planning.monologue import DETAILS, MonologueLine, PlannerStep, PlanResult
from fmrl_ros.refusal import Refusal, RefusalError
from fmrl_ros.worlds.world import DONE, REFUSE

OnStep = Callable[[PlannerStep], None]
OnLine = Callable[[MonologueLine], None]
ShouldStop = Callable[[], bool]


class Person(Protocol):
    """Somebody who may be asked. The question itself is a line of the monologue, spoken by ``Question``."""

    def listens(self) -> bool:
        """True if somebody would hear a question now; what was said before is no answer to it."""

    def answer(self) -> str:
        """Wait for the answer to the question that was just said; empty if none comes in time."""


class Planner(Protocol):
    """A strategy: everything from a sentence to the end of its execution."""

    def run(
        self,
        instruction: str,
        embodiment: Embodiment,
        on_step: OnStep | None = None,
        on_line: OnLine | None = None,
        should_stop: ShouldStop | None = None,
        person: Person | None = None,
    ) -> PlanResult:
        """Carry out an instruction.

        Args:
          instruction: What the person said.
          embodiment: The robot.
          on_step: Called with every decision, before it is executed.
          on_line: Called with every line of the monologue.
          should_stop: Asked before every step; True ends the run.
          person: Asked what the robot cannot tell.

        Returns:
          How it ended. A part of the robot that fails ends it too, with the part named in the reason.

        Raises:
          SentenceError: If the instruction has no word, or is a whole text.
        """


class Journal:
    """Collects a run's steps and lines and hands each on as it happens.

    Attributes:
      check: Called before a success is claimed; what it raises prevents that.
      goal: What the instruction asks for, in the goal language; empty while nobody knows, or if for nothing.
    """

    def __init__(self, on_step: OnStep | None, on_line: OnLine | None) -> None:
        self._on_step, self._on_line = on_step, on_line
        self.steps: list[PlannerStep] = []
        self.check: Callable[[], None] = lambda: None
        self.goal = ""
        self._earlier = 0
        self.lines: list[MonologueLine] = []

    @property
    def decisions(self) -> int:
        """Number of decisions since the run began, or began anew."""
        return len(self.steps) - self._earlier

    @property
    def moved(self) -> bool:
        """True if a skill was chosen since the run began, or began anew."""
        return any(step.chosen not in (None, DONE, REFUSE) for step in self.steps[self._earlier :])

    def begin_anew(self, why: str) -> None:
        """Note that all that was decided so far has come to nothing."""
        self._earlier, self.goal = len(self.steps), ""
        self.say("Planner", f"{why}; I begin anew with what I see")

    def step(self, step: PlannerStep) -> None:
        """Record a decision; those of a run that began anew are numbered on."""
        step = replace(step, index=len(self.steps))
        self.steps.append(step)
        if self._on_step is not None:
            self._on_step(step)

    def say(self, speaker: str, text: str) -> None:
        """Record a line."""
        line = MonologueLine(speaker, text)
        self.lines.append(line)
        if self._on_line is not None:
            self._on_line(line)

    def succeed(self, reason: str) -> PlanResult:
        """Say that all is done, and return the result. Raises what `check` does."""
        self.check()
        self.say("Planner", f"Done: {reason}")
        return self._result(True, reason)

    def give_up(self, why: Refusal) -> PlanResult:
        """Say why the run ends short of what was asked, and return the result."""
        self.say("Planner", f"I stop: {why}")
        return self._result(False, why)

    def refuse(self, why: Refusal, details: str = "") -> PlanResult:
        """Decline, and return the result; `details`, which may be long, is a line that is shown on request only."""
        if details:
            self.say(DETAILS, details)
        return replace(self.give_up(why), refused=True)

    def break_off(self, error: RefusalError) -> PlanResult:
        """End a run because something did not answer; what its refusal has no room for is a line of its own."""
        whole = str(error)
        details = "" if whole in error.refusal else whole
        return replace(self.refuse(error.refusal, details), refused=False, broken=True)

    def reply(self, text: str) -> PlanResult:
        """Answer a question and return the result: nothing else was to be done."""
        self.say("Planner", text)
        return self._result(True, text)

    def _result(self, success: bool, reason: str) -> PlanResult:
        return PlanResult(success, reason, tuple(self.steps), tuple(self.lines))
