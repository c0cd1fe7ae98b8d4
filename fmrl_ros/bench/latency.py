"""How long the skills' own computations take, on one thread: an observation, an action, hundreds of affordances."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.table import Table

from fmrl_ros.bench.report import Figure, Report
from fmrl_ros.robot.kinematics import ToolPose
from fmrl_ros.robot.state import RobotState
from fmrl_ros.simulation.robot import simulated_profile
from fmrl_ros.simulation.tabletop import sample_layout
from fmrl_ros.skills.library import SkillLibrary
from fmrl_ros.skills.observation import SkillMemory, observe
from fmrl_ros.skills.policy import Policy
from fmrl_ros.skills.task import Goal
from fmrl_ros.worlds.scene import Scene, SceneObject
from fmrl_ros.worlds.world import World


@dataclass(frozen=True)
class Timing:
    """Seconds that one call takes: median and 99th percentile of `calls`."""

    what: str
    median: float
    p99: float
    calls: int


def measure(world: World, library: SkillLibrary, policy: Policy, count: int = 500, seed: int = 0) -> list[Timing]:
    """Time the computations of one control step, and the affordances of `count` skills at once.

    Args:
      world: Where the skills are.
      library: All its skills.
      policy: One skill's policy.
      count: Skills that are scored in one call; the world's own, again and again.
      seed: Of the table.
    """
    layout = sample_layout(world, np.random.default_rng(seed))
    objects = [
        SceneObject(o.name, o.kind, (float(p[0]), float(p[1]), float(p[2])), float(p[3]), o.size, 0.95)
        for o in world.objects
        for p in [layout[o.name]]
    ]
    fixtures = [SceneObject(f.name, f.kind, f.position, 0.0, f.size, 0.95) for f in world.fixtures]
    scene = Scene(1.0, (*objects, *fixtures))
    home = simulated_profile().home
    state = RobotState(1.0, home, np.zeros(len(home)), 0.08)
    tool = ToolPose(np.array([0.35, 0.0, 0.32]), 0.0)
    memory = SkillMemory(tool.position, True, False)
    goal = Goal(objects[0].name, np.array(objects[0].position), 0.0, 0.95, objects[0].name)
    observation = observe([goal], scene, tool, 0.08, memory)
    many = list(itertools.islice(itertools.cycle(library.skills), count))
    return [
        _time("one action of a policy", lambda: policy.act(observation), 2000),
        _time("one observation", lambda: observe([goal], scene, tool, 0.08, memory), 2000),
        _time(f"affordances of {count} skills", lambda: library.affordances(many, scene, state), 100),
    ]


def _time(what: str, call: Callable[[], Any], calls: int) -> Timing:
    for _ in range(max(3, calls // 20)):
        call()
    seconds = []
    for _ in range(calls):
        begun = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begun)
    return Timing(what, float(np.median(seconds)), float(np.quantile(seconds, 0.99)), calls)


def report(timings: Sequence[Timing], world: str, skills: int) -> Report:
    """Return the report.

    Args:
      timings: What was timed.
      world: As it was asked for.
      skills: Number of skills whose affordances were asked for in one call.
    """
    figures = [figure for timing in timings for figure in _figures(timing)]
    detail = {"timings": [asdict(timing) for timing in timings]}
    return Report("latency", {"world": world, "skills": skills}, figures, detail)


def _figures(timing: Timing) -> Iterator[Figure]:
    yield Figure(f"{timing.what}/time median", 1e3 * timing.median, "ms", n=timing.calls)
    yield Figure(f"{timing.what}/time p99", 1e3 * timing.p99, "ms", n=timing.calls)


def as_table(timings: Sequence[Timing]) -> Table:
    """Return a table for a terminal: one row a computation."""
    table = Table("what", "median", "99th percentile", "calls", box=None)
    for timing in timings:
        table.add_row(timing.what, f"{1e3 * timing.median:.3f} ms", f"{1e3 * timing.p99:.3f} ms", str(timing.calls))
    return table
