"""Carries out one instruction on a graph that runs: sends it, shows it, records it, notices when somebody dies."""

from __future__ import annotations

import time
from collections.abc import Callable

from fmrl_ros.cli.exits import FAILED, SUCCEEDED
from fmrl_ros.cli.instruction_client import InstructionClient, News, Status, wait_until
from fmrl_ros.cli.live_view import LiveView
from fmrl_ros.recording.run import Run, TimedStep

GRACE = 3.0
"""After a death the planner has so many seconds to end the instruction itself."""

LAG = 1.0
"""The result may be faster than the topics, by so many seconds at most."""

Trouble = Callable[[], str | None]
"""Names a part of the graph that has died, or returns None."""


def carry_out(
    run: Run,
    client: InstructionClient,
    view: LiveView,
    trouble: Trouble,
    planner: str = "",
    typed: Callable[[], str] = lambda: "",
) -> None:
    """Execute ``run.instruction`` and complete the run.

    Args:
      run: Filled while it happens, so that what was said so far survives an interruption.
      client: Connected to the planner.
      view: Shows it.
      trouble: Asked ten times a second.
      planner: Which planner; empty for the graph's default.
      typed: What somebody has typed, who answers the planner's questions; asked ten times a second.

    Raises:
      NoPlannerError: If the planner does not take the instruction.
    """
    began = time.monotonic()
    client.send(run.instruction, planner)
    dead, noticed = None, 0.0
    while client.outcome is None:
        for news in client.news(0.1):
            _take(news, run, view)
        if said := typed():
            client.answer(said)
        if dead is None:
            dead, noticed = trouble(), time.monotonic()
            if dead is not None:
                view.alarm(dead)
        elif time.monotonic() - noticed > GRACE or client.planner_gone():
            break
    if dead is None and client.outcome is not None and not client.outcome.success:
        dead = _late_death(trouble, view)
    _conclude(run, client, view, dead)
    run.times["execution"] = time.monotonic() - began
    stamps = [timed.stamp for timed in run.lines] + [timed.stamp for timed in run.steps]
    run.times["robot"] = max(stamps) - min(stamps) if stamps else 0.0


def interrupt(run: Run, client: InstructionClient, view: LiveView) -> None:
    """End the instruction because the person wants it, and keep what was said so far."""
    view.status("stopping the robot")
    client.cancel()
    wait_until(lambda: client.outcome is not None, 2.0)
    for news in client.news(0.05):
        _take(news, run, view)
    run.success, run.exit_code, run.reason = None, FAILED, "interrupted by the person"


def _take(news: News, run: Run, view: LiveView) -> None:
    if isinstance(news, Status):
        view.status(news.text)
    elif isinstance(news, TimedStep):
        run.steps.append(news)
        view.step(news)
    else:
        run.lines.append(news)
        view.line(news)


def _late_death(trouble: Trouble, view: LiveView) -> str | None:
    """Return who has died: the planner may know it a moment before the process has ended."""
    deadline = time.monotonic() + LAG
    while (dead := trouble()) is None and time.monotonic() < deadline:
        time.sleep(0.05)
    if dead is not None:
        view.alarm(dead)
    return dead


def _conclude(run: Run, client: InstructionClient, view: LiveView, dead: str | None) -> None:
    outcome = client.outcome
    if outcome is None:
        run.success, run.exit_code, run.reason = False, FAILED, str(dead)
        return
    deadline = time.monotonic() + LAG
    while len(run.lines) < len(outcome.lines) or len(run.steps) < len(outcome.steps):
        for news in client.news(0.05):
            _take(news, run, view)
        if time.monotonic() > deadline:
            break
    late: list[News] = [*outcome.steps[len(run.steps) :], *outcome.lines[len(run.lines) :]]
    for news in late:
        _take(news, run, view)
    run.success, run.reason = outcome.success, outcome.reason
    if dead is not None:
        run.success, run.reason = False, f"{dead} ({outcome.reason})" if outcome.reason else dead
    run.exit_code = SUCCEEDED if run.success else FAILED
