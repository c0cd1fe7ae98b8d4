"""Carries out one instruction on a graph that runs: sends it, shows it, records it, notices when somebody dies."""

from __future__ import annotations

import time
from collections.abc import Callable

from fmrl_ros.cli.exits import FAILED, SUCCEEDED
from fmrl_ros.cli.instruction_client import InstructionClient, News, Outcome, Status, wait_until
from fmrl_ros.cli.interruption import INTERRUPTED
from fmrl_ros.cli.live_view import LiveView
from fmrl_ros.recording.run import Run, TimedLine, TimedStep
from fmrl_ros.refusal import Refusal

PLANNER_GRACE = 3.0
"""Seconds in which the planner may end the instruction itself after a part of the graph has died."""

TOPIC_LAG = 1.0
"""Seconds by which the result may arrive before the topics, at most."""

FindDeadPart = Callable[[], Refusal | None]
"""Says which part of the graph has died, or returns None."""


def carry_out(
    run: Run,
    client: InstructionClient,
    view: LiveView,
    find_dead_part: FindDeadPart,
    planner: str = "",
    typed: Callable[[], str] = lambda: "",
) -> None:
    """Execute ``run.instruction`` and complete the run.

    Args:
      run: Filled while it happens, so that what was said so far survives an interruption.
      client: Connected to the planner.
      view: Shows it.
      find_dead_part: Asked ten times a second.
      planner: Which planner; empty for the graph's default.
      typed: Returns what a person has typed to answer the planner's question; asked ten times a second.

    Raises:
      NoPlannerError: If the planner does not take the instruction.
    """
    began = time.monotonic()
    client.send(run.instruction, planner)
    watch = _Watch(find_dead_part, view)
    while client.outcome is None:
        for news in client.news(0.1):
            _take(news, run, view)
        if answer := typed():
            client.answer(answer)
        if watch.given_up(client):
            break
        watch.look()
    if client.outcome is not None and not client.outcome.success:
        watch.look_for(TOPIC_LAG)
    _conclude(run, client, view, watch.dead)
    run.times["execution"] = time.monotonic() - began
    run.times["robot"] = _robot_time(run)


class _Watch:
    """Notices when a part of the graph has died, and says so once.

    Attributes:
      dead: The part that has died; None while all live.
    """

    def __init__(self, find_dead_part: FindDeadPart, view: LiveView) -> None:
        self.dead: Refusal | None = None
        self._find_dead_part, self._view = find_dead_part, view
        self._noticed = 0.0

    def look(self) -> None:
        """Ask which part has died, unless that is known."""
        if self.dead is not None:
            return
        self.dead, self._noticed = self._find_dead_part(), time.monotonic()
        if self.dead is not None:
            self._view.status(self.dead)

    def look_for(self, seconds: float) -> None:
        """Ask for some seconds which part has died: the planner may notice before the process has ended."""
        deadline = time.monotonic() + seconds
        self.look()
        while self.dead is None and time.monotonic() < deadline:
            time.sleep(0.05)
            self.look()

    def given_up(self, client: InstructionClient) -> bool:
        """True if a part has died, and the planner is gone or has had `PLANNER_GRACE` seconds to end the run."""
        return self.dead is not None and (time.monotonic() - self._noticed > PLANNER_GRACE or client.planner_gone())


def _robot_time(run: Run) -> float:
    """Return the time between a run's first and last word or step, s, by the robot's clock."""
    stamps = [line.stamp for line in run.lines] + [step.stamp for step in run.steps]
    return max(stamps) - min(stamps) if stamps else 0.0


def interrupt(run: Run, client: InstructionClient, view: LiveView) -> None:
    """End the instruction because the person wants it, and keep what was said so far."""
    view.status("stopping the robot")
    client.cancel()
    wait_until(lambda: client.outcome is not None, 2.0)
    for news in client.news(0.05):
        _take(news, run, view)
    run.success, run.exit_code, run.reason = None, INTERRUPTED, "interrupted by the person"


def _take(news: News, run: Run, view: LiveView) -> None:
    if isinstance(news, Status):
        view.status(news.text)
    elif isinstance(news, TimedStep):
        run.steps.append(news)
        view.step(news)
    else:
        run.lines.append(news)
        view.line(news)


def _conclude(run: Run, client: InstructionClient, view: LiveView, dead: Refusal | None) -> None:
    """Complete the run: its decisions and lines are those of its result, which has no other instruction's."""
    outcome = client.outcome
    if outcome is None:
        run.success, run.exit_code, run.reason = False, FAILED, str(dead)
        return
    deadline = time.monotonic() + TOPIC_LAG
    while (late := _missing(run, outcome)) and time.monotonic() < deadline:
        for news in client.news(0.05):
            _take(news, run, view)
    for said in late:
        _take(said, run, view)
    run.steps[:], run.lines[:] = outcome.steps, outcome.lines
    run.success, run.reason = outcome.success, outcome.reason
    if dead is not None:
        run.success, run.reason = False, dead
    run.exit_code = SUCCEEDED if run.success else FAILED


def _missing(run: Run, outcome: Outcome) -> list[TimedStep | TimedLine]:
    """Return the decisions and lines of a result that have not been taken yet, in the order of their time."""
    steps = [step for step in outcome.steps if step not in run.steps]
    lines = [line for line in outcome.lines if line not in run.lines]
    return sorted([*steps, *lines], key=lambda timed: timed.stamp)
