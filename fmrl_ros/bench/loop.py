"""Benchmark of the whole loop in one process: instructions on random tabletops, judged by the simulator's truth."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from rich.table import Table

from fmrl_ros.bench.report import Figure, Report
from fmrl_ros.planning.planner import Planner
from fmrl_ros.simulation.simulated_embodiment import SimulatedEmbodiment
from fmrl_ros.worlds.world import World, load_world

_IN_BOWL = (
    "put the {block} in the {bowl}",
    "place the {block} into the {bowl}",
    "the {block} goes in the {bowl}, please",
)
_AT_PLACE = ("move the {block} to the {place}", "put the {block} at the {place}", "bring the {block} to the {place}")


@dataclass(frozen=True)
class LoopTask:
    """An instruction, the seed of its table, and the relation that must hold at the end."""

    seed: int
    instruction: str
    block: str
    relation: str
    target: str


@dataclass(frozen=True)
class LoopEpisode:
    """What came of a task: `believed` by the robot, `true` by the simulator."""

    task: LoopTask
    believed: bool
    true: bool
    steps: int
    seconds: float
    reason: str


def tasks(world: World, first_seed: int, count: int) -> Iterator[LoopTask]:
    """Return `count` seeded tasks, in a bowl and at a place in turn."""
    for seed, in_bowl in zip(range(first_seed, first_seed + count), itertools.cycle((True, False)), strict=False):
        rng = np.random.default_rng(seed)
        block = str(rng.choice(world.names_of_kind("block")))
        target = str(rng.choice(world.names_of_kind("bowl" if in_bowl else "place")))
        template = str(rng.choice(_IN_BOWL if in_bowl else _AT_PLACE))
        instruction = template.format(block=block, bowl=target, place=target)
        yield LoopTask(seed, instruction, block, "in" if in_bowl else "at", target)


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
        began = time.monotonic()
        result = planner.run(task.instruction, embodiment)
        simulation = embodiment.simulation
        judge = simulation.inside if task.relation == "in" else simulation.at
        episode = LoopEpisode(
            task,
            result.success,
            judge(task.block, task.target),
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
    from fmrl_ros.skills.library import SkillLibrary

    world = load_world(world_name)
    model = load_planner_model("tuned", world)
    embodiment = SimulatedEmbodiment(world, SkillLibrary.load(world), load_backend(EMBEDDED, world))
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
