"""What the benchmark of planning found: figures for the report, tables for a terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from rich.console import Group
from rich.table import Table

from fmrl_ros.bench.intervals import difference_interval
from fmrl_ros.bench.plan.benchmark import PlanBenchmark, Result
from fmrl_ros.bench.plan.conditions import Condition, label
from fmrl_ros.bench.report import POINTS, Figure, Report
from fmrl_ros.language.server_url import without_secrets
from fmrl_ros.skills.calibration import wilson_interval
from fmrl_ros.worlds.world import load_world

COLUMNS = 3
"""So many conditions stand side by side in a terminal's width."""

ABLATION = "_no_affordance"
"""What the name of a strategy without affordances ends with."""


def report(benchmark: PlanBenchmark, results: Sequence[Result]) -> Report:
    """Return the report; its detail has each condition's families and the trials that failed."""
    world = load_world(benchmark.world).name
    by_condition = {result.condition: result for result in results}
    settings = {
        "world": benchmark.world,
        "tasks": benchmark.tasks,
        "seed": benchmark.seed,
        "threads": benchmark.threads,
    }
    figures = [figure for result in results for figure in _figures(world, result, by_condition)]
    return Report("plan", settings, figures, {"results": [_row(result) for result in results]})


def _figures(world: str, result: Result, by_condition: Mapping[Condition, Result]) -> list[Figure]:
    successes, trials = result.rate()
    if not trials:
        return []
    name = f"{world}/{label(result.condition)}"
    without = by_condition.get(replace(result.condition, strategy=result.condition.strategy + ABLATION))
    baseline = without.rate()[0] / without.rate()[1] if without is not None and without.trials else None
    figures = [Figure.rate(f"{name}/success", successes, trials, baseline)]
    if without is not None and without.trials:
        figures.append(_gain(f"{name}/gain by affordances", result.rate(), without.rate()))
    figures += [Figure.rate(f"{name}/{family}/success", *result.rate(family)) for family in result.families]
    return [*figures, Figure(f"{name}/time an instruction", result.seconds, "s", n=trials)]


def _gain(name: str, with_affordances: tuple[int, int], without: tuple[int, int]) -> Figure:
    """Return how many points of success affordances are worth."""
    rate, other = (successes / trials for successes, trials in (with_affordances, without))
    low, high = difference_interval(with_affordances, without)
    return Figure(name, 100 * (rate - other), POINTS, (100 * low, 100 * high), with_affordances[1])


def _row(result: Result) -> dict[str, Any]:
    return {
        "condition": asdict(replace(result.condition, model=without_secrets(result.condition.model))),
        "overall": _rate(*result.rate()),
        "families": {family: _rate(*result.rate(family)) for family in result.families},
        "seconds_an_instruction": None if math.isnan(result.seconds) else round(result.seconds, 3),
        "failed": [asdict(trial) for trial in result.trials if not trial.success],
    }


def _rate(successes: int, trials: int) -> dict[str, Any]:
    low, high = wilson_interval(successes, trials)
    rate = round(successes / trials, 4) if trials else None
    return {"successes": successes, "trials": trials, "rate": rate, "ci95": [round(low, 4), round(high, 4)]}


def as_table(results: Sequence[Result]) -> Table:
    """Return a table: one row a condition, its success rate with interval, its seconds an instruction."""
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


def by_family(results: Sequence[Result]) -> Group:
    """Return tables, each of a few conditions: one row a family of instructions, each rate with its interval."""
    return Group(*(_families(results[i : i + COLUMNS]) for i in range(0, len(results), COLUMNS)))


def _families(results: Sequence[Result]) -> Table:
    names = [label(result.condition) for result in results]
    table = Table("family", *names, title="Plan success by family, 95 %")
    for family in sorted({family for result in results for family in result.families}):
        table.add_row(family, *(_cell(*result.rate(family)) for result in results))
    return table


def _cell(successes: int, trials: int) -> str:
    low, high = wilson_interval(successes, trials)
    return f"{successes}/{trials} [{100 * low:.1f}, {100 * high:.1f}]" if trials else ""
