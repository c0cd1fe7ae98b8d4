"""Benchmark of `fmrl demo` itself: the ROS graph, one process a node, judged by the truth that the bridge leaves."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from fmrl_ros.bench.loop import LoopEpisode, LoopTask

LIMIT = 300.0
"""Seconds after which a run is ended and counts as failed."""


def run_graph(
    todo: Iterable[LoopTask], planner: str, on_episode: Callable[[LoopEpisode], None] = lambda episode: None
) -> list[LoopEpisode]:
    """Run ``fmrl demo`` once a task, in a process of its own, and judge each run by its ``truth.json``."""
    episodes = []
    for task in todo:
        with tempfile.TemporaryDirectory(prefix="fmrl-bench-") as folder:
            episode = _run(task, planner, Path(folder))
        episodes.append(episode)
        on_episode(episode)
    return episodes


def _run(task: LoopTask, planner: str, folder: Path) -> LoopEpisode:
    command = [sys.executable, "-m", "fmrl_ros.cli.main", "demo", task.instruction]
    command += ["--seed", str(task.seed), "--planner", planner, "--out", str(folder)]
    began = time.monotonic()
    try:
        subprocess.run(command, check=False, capture_output=True, timeout=LIMIT)
        result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    except (subprocess.TimeoutExpired, OSError, ValueError) as error:
        return LoopEpisode(task, False, False, 0, time.monotonic() - began, f"no outcome: {error}")
    block = truth["objects"][task.block]
    there = block["in"] if task.relation == "in" else block["place"]
    outcome = result["believed_outcome"]
    seconds = time.monotonic() - began
    return LoopEpisode(
        task, bool(outcome["success"]), there == task.target, len(result["steps"]), seconds, str(outcome["reason"])
    )
