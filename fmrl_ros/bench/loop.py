"""Benchmark of the whole loop in one process: instructions on random tabletops, judged by the simulator's truth."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import count as numbers

import numpy as np
from rich.table import Table

from fmrl_ros.bench.report import Figure, Report
from fmrl_ros.bench.true_state import reached
from fmrl_ros.learning.planner.table_requests import Request, TableRequests
from fmrl_ros.planning.planner import Planner
from fmrl_ros.simulation.simulated_embodiment import SimulatedEmbodiment
from fmrl_ros.simulation.tabletop import sample_layout
from fmrl_ros.simulation.truth import truth
from fmrl_ros.worlds.symbolic import TABLE, SymbolicState
from fmrl_ros.worlds.world import World, load_world

FAMILIES = (
    "to bowl", "push", "to drawer", "press", "to block", "beside", "to place", "drawer compound", "pick", "tower up",
    "all but", "two steps", "open", "next to", "to described: another",
)  # fmt: skip
"""Families of requests in turn: together they need all eight skills."""
ASKED = {"drawer compound": "closed"}
"""What a request of a family must ask for."""


@dataclass(frozen=True)
class LoopTask:
    """An instruction, the seed of its table, and in the goal language what must be so at the end."""

    seed: int
    instruction: str
    goal: str


@dataclass(frozen=True)
class LoopEpisode:
    """What came of a task: `believed` by the robot, `true` by the simulator."""

    task: LoopTask
    believed: bool
    true: bool
    steps: int
    seconds: float
    reason: str


class _OnTheTable(TableRequests):
    """Draws requests of the test's split where all blocks are on the table, the hand is empty and the drawer shut."""

    def drawn_start(self, holding: float = 0.0) -> SymbolicState:
        """Return that state."""
        return SymbolicState.of(self.world, dict.fromkeys(self.world.names_of_kind("block"), TABLE))


def tasks(world: World, first_seed: int, count: int) -> Iterator[LoopTask]:
    """Return `count` seeded tasks, of the `FAMILIES` in turn; their sentence frames were in no training."""
    for index, seed in enumerate(range(first_seed, first_seed + count)):
        requests = _OnTheTable(world, "test", seed)
        request = _that_fits(requests, FAMILIES[index % len(FAMILIES)])
        yield LoopTask(seed, request.instruction, request.explanation)


def _that_fits(requests: _OnTheTable, family: str) -> Request:
    """Draw a request that needs no other start, and speaks of no earlier one."""
    drawn = (requests.draw(family) for _ in numbers())
    fitting = (request for request in drawn if request.start == requests.drawn_start())
    return next(request for request in fitting if ASKED.get(family, "") in request.explanation)


def run_loop(
    planner: Planner,
    embodiment: SimulatedEmbodiment,
    todo: Iterable[LoopTask],
    on_episode: Callable[[LoopEpisode], None] = lambda episode: None,
) -> list[LoopEpisode]:
    """Run every task and judge it by the truth."""
    episodes = []
    for task in todo:
        embodiment.reset(task.seed)
        layout = sample_layout(embodiment.world, np.random.default_rng(task.seed))
        began = time.monotonic()
        result = planner.run(task.instruction, embodiment)
        episode = LoopEpisode(
            task,
            result.success,
            reached(task.goal, embodiment.world, layout, truth(embodiment.simulation)),
            len(result.steps),
            time.monotonic() - began,
            result.reason,
        )
        episodes.append(episode)
        on_episode(episode)
    return episodes


def run_in_process(
    world_name: str, planner_name: str, todo: Iterable[LoopTask], on_episode: Callable[[LoopEpisode], None]
) -> list[LoopEpisode]:
    """Run every task with the committed models, without ROS."""
    from fmrl_ros.perception.backends import EMBEDDED
    from fmrl_ros.perception.backends.backend import load_backend
    from fmrl_ros.planning.by_name import load_planner_model, make_planner
    from fmrl_ros.simulation.robot import simulated_profile
    from fmrl_ros.skills.library import SkillLibrary

    world = load_world(world_name)
    model = load_planner_model("tuned", world)
    embodiment = SimulatedEmbodiment(
        world, SkillLibrary.load(world, simulated_profile()), load_backend(EMBEDDED, world)
    )
    try:
        return run_loop(make_planner(planner_name, model, world), embodiment, todo, on_episode)
    finally:
        embodiment.close()


@dataclass(frozen=True)
class LoopBenchmark:
    """What is measured.

    Attributes:
      world: Name of the world, or a YAML file.
      planner: A registered planner.
      seed: Of the first instruction's table.
      episodes: Number of instructions.
      graph: Whether each is a run of the whole ROS graph instead of one process.
    """

    world: str = "tabletop"
    planner: str = "inner_monologue"
    seed: int = 50_000
    episodes: int = 20
    graph: bool = False


def report(benchmark: LoopBenchmark, episodes: Sequence[LoopEpisode]) -> Report:
    """Return the report; its detail has every episode."""
    where = "ROS graph" if benchmark.graph else "one process"
    name = f"{load_world(benchmark.world).name}/{benchmark.planner}/{where}"
    count = len(episodes)
    figures = [
        Figure.rate(f"{name}/success", sum(e.true for e in episodes), count),
        Figure.rate(f"{name}/belief agrees with the truth", sum(e.true == e.believed for e in episodes), count),
        Figure(f"{name}/false claims", float(sum(e.believed and not e.true for e in episodes)), n=count),
        Figure(f"{name}/decisions", float(np.mean([e.steps for e in episodes])), n=count),
        Figure(f"{name}/time median", float(np.median([e.seconds for e in episodes])), "s", n=count),
    ]
    return Report("loop", asdict(benchmark), figures, {"episodes": [asdict(e) for e in episodes]})


def as_table(loop: Report) -> Table:
    """Return a table for a terminal: one row a figure."""
    table = Table("what", "measured, 95 % interval", "instructions", box=None)
    for figure in loop.figures:
        table.add_row(figure.name, str(figure), str(figure.n))
    return table


def line(episode: LoopEpisode) -> str:
    """Return an episode in one line, and in a second one the reason if it failed."""
    mark = "yes" if episode.true else "NO "
    belief = "" if episode.true == episode.believed else "  (the robot believes otherwise)"
    text = f"{mark}  {episode.seconds:5.1f} s  seed {episode.task.seed}  {episode.task.instruction}{belief}"
    return text if episode.true else f"{text}\n        {episode.reason}"
