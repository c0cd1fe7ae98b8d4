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

LIMIT = 600.0
"""Seconds after which a run is ended and counts as failed; starting may take half of them."""


def run_graph(
    world: str,
    planner: str,
    todo: Iterable[LoopTask],
    on_episode: Callable[[LoopEpisode], None] = lambda episode: None,
) -> list[LoopEpisode]:
    """Run ``fmrl demo`` once a task, in a process of its own, and judge each run by its ``truth.json``."""
    episodes = []
    for task in todo:
        with tempfile.TemporaryDirectory(prefix="fmrl-bench-") as folder:
            episode = _run(world, planner, task, Path(folder))
        episodes.append(episode)
        on_episode(episode)
    return episodes


def _run(world: str, planner: str, task: LoopTask, folder: Path) -> LoopEpisode:
    command = [sys.executable, "-m", "fmrl_ros.cli.main", "demo", task.instruction]
    command += ["--world", world, "--seed", str(task.seed), "--planner", planner, "--out", str(folder)]
    began = time.monotonic()
    said = ""
    try:
        said = subprocess.run(command, check=False, capture_output=True, text=True, timeout=LIMIT).stderr
        result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
        block = truth["objects"][task.block]
        there = block["in"] if task.relation == "in" else block["place"]
        outcome = result["believed_outcome"]
        success, steps, reason = bool(outcome["success"]), len(result["steps"]), str(outcome["reason"])
    except (subprocess.TimeoutExpired, OSError, ValueError, KeyError) as error:
        last = (said.strip().splitlines() or [str(error)])[-1]
        return LoopEpisode(task, False, False, 0, time.monotonic() - began, f"no outcome: {last}")
    return LoopEpisode(task, success, there == task.target, steps, time.monotonic() - began, reason)
