"""How long it takes from pictures to a described scene, and what several robots save by sharing a model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import torch

from fmrl_ros.bench.perception.result import Look
from fmrl_ros.perception.backends.backend import Backend, load_backend
from fmrl_ros.perception.describer import SceneDescriber
from fmrl_ros.robot.kinematics import ForwardKinematics
from fmrl_ros.robot.state import RobotState
from fmrl_ros.simulation.robot import simulated_profile
from fmrl_ros.worlds.world import World

Timings = dict[str, dict[str, float]]
"""For each number of cameras or robots the quantities by name."""


def latency(world: World, backend: str, shown: Sequence[Look], threads: int = 2) -> Timings:
    """Return median and 99th percentile of the time from pictures to a described scene, ms, with one camera and two."""
    before, arm = torch.get_num_threads(), simulated_profile()
    robot = RobotState(0.0, arm.home, np.zeros(len(arm.home)), 0.08)
    found = {}
    try:
        for count in (1, 2):
            torch.set_num_threads(threads)
            describer = SceneDescriber(world, load_backend(backend, world), ForwardKinematics(arm).pose)
            times = []
            for i, look in enumerate(shown):
                views = [replace(scene.view, stamp=0.1 * (i + 1)) for scene in look[:count]]
                start = time.perf_counter()
                describer.describe(views, replace(robot, stamp=0.1 * (i + 1)))
                times.append(1e3 * (time.perf_counter() - start))
            warm = times[5:] or times
            found[f"{count} camera{'s' if count > 1 else ''}"] = {
                "median_ms": round(float(np.median(warm)), 2),
                "p99_ms": round(float(np.percentile(warm, 99)), 2),
                "frames": len(warm),
            }
    finally:
        torch.set_num_threads(before)
    return found


def several(backend: Backend, shown: Sequence[Look], counts: Sequence[int] = (2, 4)) -> Timings:
    """Return the time, ms, until pictures of several robots have all been looked at, and what sharing a pass saves.

    Args:
      backend: Is asked by one thread a robot at once, and by one thread for one robot after the other, in turns.
      shown: Pictures of one robot each.
      counts: Numbers of robots.
    """
    requests = [[scene.view for scene in look] for look in shown]
    found = {}
    for count in counts:
        times: list[tuple[float, float]] = []
        with ThreadPoolExecutor(count) as robots:
            for i in range(0, len(requests) - count + 1, count):
                starts = [time.perf_counter()]
                for run_in in (map, robots.map):
                    list(run_in(backend.detect, requests[i : i + count]))
                    starts.append(time.perf_counter())
                times.append((starts[1] - starts[0], starts[2] - starts[1]))
        apart, together = (1e3 * np.median(column) for column in zip(*(times[1:] or times), strict=True))
        found[f"{count} robots"] = {
            "one_after_the_other_ms": round(float(apart), 2),
            "together_ms": round(float(together), 2),
            "ratio": round(float(apart / together), 2),
        }
    return found
