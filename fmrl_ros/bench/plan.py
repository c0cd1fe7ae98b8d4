"""Plan success in a symbolic world: strategies and models on generated instructions that no model was tuned on.

A run counts as a success if at its end the true state satisfies the instruction's goal and the planner says so, or, for
a request that no skill can fulfil, if the planner declined it and nothing was moved.
"""

from __future__ import annotations

import json
import math
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from fmrl_ros import __version__
from fmrl_ros.language.language_model import LanguageModelError
from fmrl_ros.language.server_url import without_secrets
from fmrl_ros.learning.planner.curriculum import Task, curriculum
from fmrl_ros.learning.planner.episodes import Mishaps
from fmrl_ros.planning.by_name import PlannerModel, load_planner_model, taught
from fmrl_ros.planning.choice import ChoiceRule
from fmrl_ros.planning.planner import Planner
from fmrl_ros.planning.strategies.generative import Generative
from fmrl_ros.planning.strategies.inner_monologue import InnerMonologue
from fmrl_ros.planning.strategies.lgts import LgTS
from fmrl_ros.planning.strategies.plan4mc import Plan4MC
from fmrl_ros.planning.strategies.saycan import SayCan, SayCanConfig
from fmrl_ros.planning.strategies.saycan_no_affordance import SayCanNoAffordance
from fmrl_ros.planning.strategies.text2motion import Text2Motion
from fmrl_ros.planning.symbolic_embodiment import Imperfection, SymbolicEmbodiment
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.skills.calibration import wilson_interval
from fmrl_ros.worlds.kitchen import KitchenState, told
from fmrl_ros.worlds.world import World, load_world


def check_world(world: str) -> None:
    """Raise ValueError if there is no such world, or no instructions can be generated for it."""
    curriculum(load_world(world), Mishaps())


COLUMNS = 3
"""So many conditions stand side by side in a terminal's width."""


@dataclass(frozen=True)
class Condition:
    """One row of the table.

    Attributes:
      strategy: A key of `STRATEGIES`.
      model: A model's name, as `load_planner_model` takes it.
      failure, unsure: The robot's imperfection, as probabilities a skill.
      split: Which instructions: ``dev``, ``test``, in the kitchen also ``new`` (a test among unseen things alone),
        ``obstructed`` (the start stands in the way), ``written`` and ``written_dev`` (made by no generator).
    """

    strategy: str
    model: str = "tuned"
    split: str = "test"
    failure: float = 0.0
    unsure: float = 0.0


TABLETOP = (
    Condition("inner_monologue"),
    Condition("saycan"),
    Condition("saycan_no_affordance"),
    Condition("inner_monologue", failure=0.15, unsure=0.05),
    Condition("saycan", failure=0.15),
    Condition("inner_monologue", "local:smollm2"),
    Condition("saycan", "local:smollm2"),
)


KITCHEN = (
    Condition("saycan", split="dev"),
    Condition("saycan"),
    Condition("saycan", split="new"),
    Condition("saycan", split="written"),
    Condition("saycan", split="written_dev"),
    Condition("saycan_no_affordance"),
    Condition("saycan_blind"),
    Condition("saycan_blind_no_affordance"),
    Condition("saycan_blind", split="obstructed"),
    Condition("saycan_blind_no_affordance", split="obstructed"),
    Condition("generative"),
    Condition("text2motion"),
    Condition("lgts"),
    Condition("plan4mc"),
    Condition("inner_monologue"),
    Condition("inner_monologue", split="dev", failure=0.15),
    Condition("inner_monologue", failure=0.15),
    Condition("saycan", failure=0.15),
    Condition("saycan", "local:smollm2"),
)
CONDITIONS = {"tabletop": TABLETOP, "kitchen": KITCHEN}
"""What is measured in each world."""


def conditions(world: str, only: Sequence[str] = ()) -> tuple[Condition, ...]:
    """Return what is measured in a world, or of it what `only` names.

    Raises UnknownNameError for a name that is not among them.
    """
    valid = {label(condition): condition for condition in CONDITIONS.get(world, TABLETOP)}
    for name in only:
        if name not in valid:
            raise UnknownNameError("condition", name, valid)
    return tuple(valid[name] for name in only) or tuple(valid.values())


@dataclass(frozen=True)
class PlanBenchmark:
    """What is measured: `tasks` instructions of each condition's split, drawn from `seed`; by default the world's."""

    world: str = "tabletop"
    tasks: int = 100
    seed: int = 1
    threads: int = 2
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Trial:
    """One run: what was asked, what was said and done, and whether it was right.

    Attributes:
      start: Where things were; in the kitchen as `fmrl plan` takes it.
    """

    family: str
    instruction: str
    start: dict[str, Any]
    plan: tuple[str, ...]
    believed: bool
    success: bool
    reason: str
    monologue: tuple[str, ...]


@dataclass
class Result:
    """A condition's trials, and how long one takes (median)."""

    condition: Condition
    trials: list[Trial] = field(default_factory=list)
    seconds: float = math.nan

    def rate(self, family: str | None = None) -> tuple[int, int]:
        """Return successes and trials, of one family or of all."""
        some = [t for t in self.trials if family in (None, t.family)]
        return sum(t.success for t in some), len(some)


STRATEGIES: dict[str, tuple[Callable[..., Planner], Any]] = {
    "saycan": (SayCan, None),
    "saycan_no_affordance": (SayCanNoAffordance, None),
    "saycan_blind": (SayCan, SayCanConfig(whereabouts=False)),
    "saycan_blind_no_affordance": (SayCan, SayCanConfig(rule=ChoiceRule(use_affordance=False), whereabouts=False)),
    "generative": (Generative, None),
    "text2motion": (Text2Motion, None),
    "lgts": (LgTS, None),
    "plan4mc": (Plan4MC, None),
    "inner_monologue": (InnerMonologue, None),
}
"""Planners and their ablations, each with its settings; blind ones are not told where things are."""


def run_plan_benchmark(
    benchmark: PlanBenchmark, progress: Callable[[str, int, int], None] | None = None
) -> Iterator[Result]:
    """Run every condition on its split's instructions; open-loop strategies leave out those that one must see for.

    Args:
      benchmark: What is measured.
      progress: Called with the condition's name, tasks done and tasks in all.

    Yields:
      Each condition's result.

    Raises:
      LanguageModelError: If a model does not answer.
    """
    world = load_world(benchmark.world)
    models: dict[str, PlannerModel] = {}
    for condition in benchmark.conditions or conditions(world.name):
        if condition.model not in models:
            models[condition.model] = load_planner_model(condition.model, world, benchmark.threads)
        tasks = _tasks(world, benchmark, condition)
        result, times = Result(condition), []
        for index, task in enumerate(tasks):
            strategy, config = STRATEGIES[condition.strategy]
            planner = taught(strategy, models[condition.model], task.start.world, config=config)
            begun = time.perf_counter()
            result.trials.append(run_trial(planner, task, condition, (benchmark.seed, index)))
            times.append(time.perf_counter() - begun)
            if progress is not None:
                progress(label(condition), index + 1, len(tasks))
        result.seconds = median(times) if times else math.nan
        yield result


def _tasks(world: World, benchmark: PlanBenchmark, condition: Condition) -> list[Task]:
    """Return a condition's tasks: the same for all, but for those that only make sense to one who sees."""
    drawn = curriculum(world, Mishaps()).tasks(condition.split, benchmark.seed, benchmark.tasks)
    return [task for task in drawn if condition.strategy.startswith("inner") or not task.needs_scene]


def run_trial(planner: Planner, task: Task, condition: Condition, seed: Sequence[int]) -> Trial:
    """Run one task; the seed draws which skills fail."""
    robot = SymbolicEmbodiment(task.start, Imperfection(condition.failure, condition.unsure), seed)
    run = planner.run(task.instruction, robot)
    if run.broken:
        raise LanguageModelError(run.reason)
    refused = run.refused and not robot.executed
    right = refused if task.impossible else task.fulfilled(robot.state) and run.success
    plan = tuple(step.chosen.phrase for step in run.steps if step.chosen is not None)
    said = tuple(f"{line.speaker}: {line.text}" for line in run.monologue)
    start = told(task.start) if isinstance(task.start, KitchenState) else dict(task.start.locations)
    return Trial(task.family, task.instruction, start, plan, run.success, right, run.reason, said)


def label(condition: Condition) -> str:
    """Return a condition in a few words, without commas: those separate conditions in a list."""
    model = "" if condition.model == "tuned" else f" with {without_secrets(condition.model)}"
    split = "" if condition.split == "test" else f" on {condition.split}"
    trouble = f" where {condition.failure:.0%} of skills fail" if condition.failure else ""
    unsure = f" and {condition.unsure:.0%} are unsure" if condition.unsure else ""
    return condition.strategy + model + split + trouble + unsure


def as_json(benchmark: PlanBenchmark, results: Sequence[Result]) -> dict[str, Any]:
    """Return the results with what is needed to repeat them."""
    return {
        "benchmark": "plan",
        "version": __version__,
        "machine": {
            "platform": platform.platform(),
            "processor": platform.machine(),
            "python": platform.python_version(),
        },
        "settings": {
            "world": benchmark.world,
            "tasks": benchmark.tasks,
            "seed": benchmark.seed,
            "threads": benchmark.threads,
        },
        "results": [_row(result) for result in results],
    }


def _row(result: Result) -> dict[str, Any]:
    families = list(dict.fromkeys(t.family for t in result.trials))
    return {
        "condition": asdict(replace(result.condition, model=without_secrets(result.condition.model))),
        "overall": _rate(*result.rate()),
        "families": {family: _rate(*result.rate(family)) for family in sorted(families)},
        "seconds_an_instruction": None if math.isnan(result.seconds) else round(result.seconds, 3),
        "failed": [asdict(t) for t in result.trials if not t.success],
    }


def _rate(successes: int, trials: int) -> dict[str, Any]:
    low, high = wilson_interval(successes, trials)
    rate = round(successes / trials, 4) if trials else None
    return {"successes": successes, "trials": trials, "rate": rate, "ci95": [round(low, 4), round(high, 4)]}


def as_table(results: Sequence[Result]) -> Any:
    """Return a rich table: one row a condition, its rate, its interval, its seconds an instruction."""
    from rich.table import Table

    table = Table("condition", "success", "95 % interval", "instructions", "s an instruction", title="Plan success")
    for result in results:
        successes, trials = result.rate()
        low, high = wilson_interval(successes, trials)
        table.add_row(
            label(result.condition),
            f"{successes / trials:.1%}" if trials else "none to ask",
            f"{low:.1%} to {high:.1%}",
            str(trials),
            f"{result.seconds:.2f}",
        )
    return table


def by_family(results: Sequence[Result]) -> Any:
    """Return rich tables, each of a few conditions: a row a family of instructions, each with its interval."""
    from rich.console import Group

    return Group(*(_families(results[i : i + COLUMNS]) for i in range(0, len(results), COLUMNS)))


def _families(results: Sequence[Result]) -> Any:
    from rich.table import Table

    table = Table("family", *map(label, (result.condition for result in results)), title="Plan success by family, 95 %")
    for family in sorted({trial.family for result in results for trial in result.trials}):
        cells = []
        for result in results:
            successes, trials = result.rate(family)
            low, high = wilson_interval(successes, trials)
            cells.append(f"{successes}/{trials} [{100 * low:.1f}, {100 * high:.1f}]" if trials else "")
        table.add_row(family, *cells)
    return table


def main(benchmark: PlanBenchmark | None = None, json_path: Path | None = None) -> list[Result]:
    """Run the benchmark with a progress line, print the table, write the JSON file after each condition.

    Raises:
      LanguageModelError: If a model does not answer; the conditions that were over by then are printed and written.
    """
    from rich.console import Console

    console = Console()
    benchmark = benchmark or PlanBenchmark()
    results: list[Result] = []
    try:
        with console.status("") as status:
            for result in run_plan_benchmark(benchmark, lambda name, n, of: status.update(f"{name}: {n}/{of}")):
                results.append(result)
                if json_path is not None:
                    json_path.write_text(json.dumps(as_json(benchmark, results), indent=1) + "\n", encoding="utf-8")
    finally:
        if results:
            console.print(as_table(results))
            console.print(by_family(results))
    return results
