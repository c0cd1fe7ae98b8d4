"""How long one waits for ``fmrl demo``: to the first step, until the prompt is back; another checkout beside it."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median

from rich.table import Table

from fmrl_ros.bench import provenance
from fmrl_ros.bench.demo_run import THIS, Checkout, DemoError, DemoRun, checkout, run_demo
from fmrl_ros.bench.report import Figure, Report

Run = Callable[[Checkout], DemoRun]

QUANTITIES = {
    "first_line": "time to the first line",
    "first_step": "time to the first step",
    "prompt": "time to the prompt",
    "moving": "time moving",
}
"""What is reported of each run."""


@dataclass(frozen=True)
class StartBenchmark:
    """What is measured.

    Attributes:
      repetitions: Runs of each checkout that are timed; one before them warms the caches.
      seed: Of the table, the same in all runs.
      against: Another checkout, of which a demo is run in turn with one of this.
    """

    repetitions: int = 5
    seed: int = 0
    against: Path | None = None


@dataclass(frozen=True)
class Repetition:
    """A run of this checkout and, where there is another, one of that."""

    this: DemoRun
    other: DemoRun | None = None

    @property
    def runs(self) -> list[DemoRun]:
        """The one run, or both."""
        return [run for run in (self.this, self.other) if run is not None]

    @property
    def success(self) -> bool:
        """Whether all of it succeeded and showed its steps; only then are times compared."""
        return all(run.success and not math.isnan(run.first_step) for run in self.runs)


def measure(
    benchmark: StartBenchmark, progress: Callable[[str], None] = lambda text: None, run: Run | None = None
) -> list[Repetition]:
    """Run the demos, those of two checkouts in turn, with the other one first every second time.

    Args:
      benchmark: What is measured.
      progress: Called with a line of text.
      run: Runs a checkout's demo; by default a real one.

    Raises:
      DemoError: If the other folder is no checkout, or the demos do not succeed.
    """
    run = run or partial(_run, benchmark.seed)
    with nullcontext() if benchmark.against is None else checkout(benchmark.against) as other:
        progress("warming the caches")
        _require_success([_repeat(other, run)])
        repetitions = []
        for index in range(benchmark.repetitions):
            progress(f"repetition {index + 1} of {benchmark.repetitions}")
            repetitions.append(_repeat(other, run, other_first=index % 2 == 1))
    _require_success(repetitions)
    return repetitions


def _run(seed: int, source: Checkout) -> DemoRun:
    with tempfile.TemporaryDirectory(prefix="fmrl-bench-") as folder:
        return run_demo(source, ["--seed", str(seed)], Path(folder))


def _repeat(other: Checkout | None, run: Run, other_first: bool = False) -> Repetition:
    if other is None:
        return Repetition(run(THIS))
    if other_first:
        run_of_other = run(other)
        return Repetition(run(THIS), run_of_other)
    return Repetition(run(THIS), run(other))


def _require_success(repetitions: Sequence[Repetition]) -> None:
    """Raise DemoError with the reasons of the first repetition if none succeeded."""
    if not any(each.success for each in repetitions):
        reasons = "; ".join(run.reason for run in repetitions[0].runs)
        raise DemoError(f"the demo did not succeed, its times say nothing: {reasons}")


def report(benchmark: StartBenchmark, repetitions: Sequence[Repetition]) -> Report:
    """Return the report: medians with the range of the repetitions, and their ratio to those of the other checkout."""
    settings = asdict(benchmark) | {"against": None}
    if benchmark.against is not None:
        settings["against"] = provenance.commit(benchmark.against.resolve())
    compared = [each for each in repetitions if each.success]
    figures = [Figure.rate("demo/success", len(compared), len(repetitions))]
    for key, name in QUANTITIES.items():
        figures += _figures(name, [getattr(each.this, key) for each in compared], _others(compared, key))
    return Report("start", settings, figures, {"repetitions": [asdict(each) for each in repetitions]})


def _others(repetitions: Sequence[Repetition], key: str) -> list[float]:
    return [getattr(each.other, key) for each in repetitions if each.other is not None]


def _figures(name: str, this: Sequence[float], other: Sequence[float]) -> Iterator[Figure]:
    baseline = median(other) if other else None
    yield Figure(f"demo/{name}", median(this), "s", (min(this), max(this)), len(this), baseline)
    if baseline:
        ratios = [mine / others for mine, others in zip(this, other, strict=True) if others]
        ratio = median(this) / baseline
        yield Figure(f"demo/{name}/ratio to the other checkout", ratio, "", (min(ratios), max(ratios)), len(ratios))


def as_table(start: Report) -> Table:
    """Return a table for a terminal: medians with their ranges, beside the other checkout's medians."""
    other = any(figure.baseline is not None for figure in start.figures)
    table = Table("what", "median [range]", *(["other checkout"] if other else []), "runs", box=None)
    for figure in start.figures:
        baseline = "" if figure.baseline is None else f"{figure.baseline:.4g} {figure.unit}"
        table.add_row(figure.name, str(figure), *([baseline] if other else []), str(figure.n))
    return table
