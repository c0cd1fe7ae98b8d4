"""What the benchmark of scoring found: figures for the report, a table for a terminal, a diagram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from matplotlib.figure import Figure as Drawing
from rich.table import Table

from fmrl_ros.bench.report import Figure, Report
from fmrl_ros.bench.score.problem import INSTRUCTION
from fmrl_ros.bench.score.timing import NAIVE, SEARCH, ScoreTiming


def report(timings: Sequence[ScoreTiming], memory: float, model: str, threads: int) -> Report:
    """Return the report.

    Args:
      timings: Of every method with every number of options.
      memory: The most that the process took while it searched and scored the tree, MB.
      model: Its name.
      threads: Of the processor.
    """
    counts = list(dict.fromkeys(timing.options for timing in timings))
    settings = {"options": counts, "model": model, "threads": threads, "instruction": INSTRUCTION}
    naive = {timing.options: timing.milliseconds for timing in timings if timing.method == NAIVE}
    figures = [_time(timing, naive.get(timing.options)) for timing in timings]
    searched = [timing for timing in timings if timing.method == SEARCH and timing.options in naive]
    figures += [_speedup(timing, naive[timing.options]) for timing in searched]
    figures.append(Figure("peak memory", memory, "MB", n=1))
    return Report("score", settings, figures, {"timings": [asdict(timing) for timing in timings]})


def _time(timing: ScoreTiming, naive: float | None) -> Figure:
    baseline = None if timing.method == NAIVE else naive
    return Figure(
        f"{timing.options} options/{timing.method}/time", timing.milliseconds, "ms", n=timing.steps, baseline=baseline
    )


def _speedup(timing: ScoreTiming, naive: float) -> Figure:
    name = f"{timing.options} options/{timing.method}/times faster than naive"
    return Figure(name, naive / timing.milliseconds, n=timing.steps)


def as_table(timings: Sequence[ScoreTiming]) -> Table:
    """Return a table: one row a number of options, and how often the search without affordances goes into each."""
    methods = list(dict.fromkeys(t.method for t in timings))
    table = Table("options", *methods, box=None, title=f"Milliseconds a step, warm (times '{SEARCH}')")
    for count in dict.fromkeys(t.options for t in timings):
        row = {t.method: t.milliseconds for t in timings if t.options == count}
        table.add_row(str(count), *(_cell(row.get(method), row[SEARCH]) for method in methods))
    return table


def _cell(milliseconds: float | None, of_search: float) -> str:
    """Return a time and how many times that of the search it is; empty if the method was not timed."""
    if milliseconds is None:
        return ""
    ratio = milliseconds / of_search
    return f"{milliseconds:,.0f} ({ratio:,.0f})" if ratio >= 10 else f"{milliseconds:,.0f} ({ratio:.1f})"


def draw(timings: Sequence[ScoreTiming], path: Path) -> None:
    """Draw milliseconds against the number of options, both logarithmic."""
    figure = Drawing(figsize=(8.2, 3.6), layout="constrained")
    axes = figure.subplots()
    for method in dict.fromkeys(t.method for t in timings):
        some = [t for t in timings if t.method == method]
        style = "--" if any(t.scaled for t in some) else "-"
        axes.loglog([t.options for t in some], [t.milliseconds for t in some], style, marker="o", label=method)
    axes.set(xlabel="options", ylabel="milliseconds a step")
    axes.grid(alpha=0.3, which="both")
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.savefig(path, dpi=110)
