"""Benchmark of `fmrl demo` itself: the ROS graph, one process a node, judged by the truth that the bridge leaves."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from fmrl_ros.bench.demo_run import THIS, run_demo
from fmrl_ros.bench.loop import LoopEpisode, LoopTask
from fmrl_ros.bench.true_state import reached
from fmrl_ros.simulation.tabletop import sample_layout
from fmrl_ros.worlds.world import World, load_world


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
    named = str(Path(world).resolve()) if Path(world).is_file() else world
    arguments = [task.instruction, "--world", named, "--seed", str(task.seed), "--planner", planner]
    run = run_demo(THIS, arguments, folder)
    true = holds(load_world(world), task, folder / "truth.json")
    return LoopEpisode(task, run.success, true, run.steps, run.prompt, run.reason)


def holds(world: World, task: LoopTask, file: Path) -> bool:
    """Return whether the task's goal is reached at the end; False if the simulation left no truth."""
    try:
        truth = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return reached(task.goal, world, sample_layout(world, np.random.default_rng(task.seed)), truth)
