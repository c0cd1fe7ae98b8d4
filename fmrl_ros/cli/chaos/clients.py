"""Faults of the command that says an instruction: ``fmrl tell`` as a process of its own."""

from __future__ import annotations

import math
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from fmrl_ros.bench.chaos.deliveries import Delivery
from fmrl_ros.bench.chaos.fault import Ending, Trial
from fmrl_ros.cli.chaos.graph import ChaosGraph
from fmrl_ros.cli.chaos.trial import BRAKING, OVERTIME, STANDING_TIME, is_true
from fmrl_ros.cli.exits import SUCCEEDED

LARGEST_FILE = 100_000
"""Where files may not grow, they have at most so many bytes; a recording is longer."""
BEGINNING = 60.0
"""The first decision of an instruction is taken after so long at most, s."""


def run_client_trial(graph: ChaosGraph, trial: Trial, task: Delivery, folder: Path) -> Ending:
    """Return how an instruction ended whose command has the trial's fault; `Ending.recovery` is left open."""
    graph.arm.forget()
    graph.watch_planner()
    name = trial.fault.name
    limited = name == "files may not grow"
    process = _tell(task.instruction, folder, _limit_files if limited else None)
    try:
        if not graph.wait(lambda: graph.decisions > 0 or process.poll() is not None, BEGINNING):
            return Ending(math.nan, False, None, "the instruction did not begin")
        time.sleep(trial.delay)
        begun = time.monotonic()
        _break(process, name)
        ended = graph.wait_for_idle_planner(trial.fault.limit + OVERTIME)
        seconds = time.monotonic() - begun if ended else math.nan
        return _ending(graph, task, process, seconds)
    finally:
        process.kill()
        process.wait()


def _tell(instruction: str, folder: Path, prepare: Callable[[], None] | None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "fmrl_ros.cli.entry", "tell", instruction, "--out", str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        preexec_fn=prepare,
    )


def _limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))


def _break(process: subprocess.Popen[str], fault: str) -> None:
    signals = {
        "fmrl tell killed": signal.SIGKILL,
        "fmrl tell held by SIGSTOP": signal.SIGSTOP,
        "fmrl tell ended by SIGTERM": signal.SIGTERM,
        "Ctrl-C": signal.SIGINT,
    }
    if fault in signals:
        process.send_signal(signals[fault])
    elif fault == "the output is closed" and process.stdout is not None:
        process.stdout.close()


def _ending(graph: ChaosGraph, task: Delivery, process: subprocess.Popen[str], seconds: float) -> Ending:
    time.sleep(BRAKING)
    since = graph.arm.count
    time.sleep(STANDING_TIME)
    went_on = graph.arm.travel(since)
    claimed = _exit_code(process) == SUCCEEDED
    true = is_true(graph, task) if claimed else None
    return Ending(seconds, claimed, true, graph.planner_said, graph.arm.travel(), went_on, graph.arm.excess)


def _exit_code(process: subprocess.Popen[str]) -> int | None:
    """Return the exit code of a command that ends of itself; None if it is held."""
    try:
        if process.stdout is not None and not process.stdout.closed:
            process.communicate(timeout=OVERTIME)
        return process.wait(OVERTIME)
    except subprocess.TimeoutExpired:
        return None
