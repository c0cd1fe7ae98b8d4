"""What the benchmark of perception found: figures for the report, tables for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from rich.table import Table

from fmrl_ros.bench.intervals import quantile_interval
from fmrl_ros.bench.perception.benchmark import COLOR_BASELINE, Measurement
from fmrl_ros.bench.perception.pictures import by_pictures
from fmrl_ros.bench.perception.result import Result
from fmrl_ros.bench.report import SHARE, Figure, Report
from fmrl_ros.learning.perception.judging import tallies

COLUMNS = {
    "position_median_mm": "position median [mm]",
    "position_p95_mm": "p95 [mm]",
    "yaw_median_deg": "yaw median [deg]",
    "presence_recall": "found",
    "presence_precision": "reports right",
    "relations": "relations, balanced accuracy",
}
"""What the table shows of a result's row, and under which name."""


def report(measured: Measurement) -> Report:
    """Return the report; its detail has every method's row, the times and the verdicts by skill."""
    settings = asdict(measured.config)
    settings["pictures"] = None if measured.config.pictures is None else str(measured.config.pictures)
    detail = {
        "methods": [result.row() for result in measured.results],
        "latency": measured.latency,
        "robots": measured.robots,
        "verdicts": tallies(measured.judged) if measured.judged else None,
    }
    figures = [*_figures_of_results(measured), *_figures_of_times(measured), *_figures_of_verdicts(measured)]
    return Report("perception", settings, figures, detail)


def _figures_of_results(measured: Measurement) -> Iterator[Figure]:
    baselines = {(r.cameras, r.colors): _quantities(r) for r in measured.results if r.method == COLOR_BASELINE}
    for result in measured.results:
        cameras = "both cameras" if result.cameras == "both" else f"{result.cameras} camera"
        compared = {} if result.method == COLOR_BASELINE else baselines[result.cameras, result.colors]
        for name, figure in _quantities(result).items():
            baseline = compared[name].value if name in compared else None
            full = f"{result.method}/{cameras}/{result.colors} colours/{name}"
            yield replace(figure, name=full, baseline=baseline)


def _quantities(result: Result) -> dict[str, Figure]:
    """Return the figures of a result by quantity."""
    distances = result.distances
    figures = [Figure.rate("found", *result.found), Figure.rate("reports right", *result.right)]
    for name, q in (("position median", 0.5), ("position p95", 0.95)):
        value = float(np.quantile(distances, q)) if distances else math.nan
        figures.append(Figure(name, value, "mm", quantile_interval(distances, q), len(distances)))
    if result.relations_mean is not None:
        facts = sum(len(pairs) for pairs in result.relations.values())
        figures.append(Figure("relations", result.relations_mean, SHARE, n=facts))
    return {figure.name: figure for figure in figures}


def _figures_of_times(measured: Measurement) -> Iterator[Figure]:
    for backend, by_cameras in measured.latency.items():
        for cameras, row in by_cameras.items():
            for quantity, key in (("time median", "median_ms"), ("time p99", "p99_ms")):
                yield Figure(f"{backend}/{cameras}/{quantity}", row[key], "ms", n=int(row["frames"]))
    for backend, by_robots in measured.robots.items():
        for robots, row in by_robots.items():
            name = f"{backend}/{robots}/time together"
            yield Figure(name, row["together_ms"], "ms", baseline=row["one_after_the_other_ms"])


def _figures_of_verdicts(measured: Measurement) -> Iterator[Figure]:
    if not measured.judged:
        return
    for pictures, tally in by_pictures(measured.judged).items():
        name = f"{measured.config.judge}/verdicts {pictures}"
        yield Figure(f"{name}/balanced accuracy", tally.balanced_accuracy, SHARE, n=tally.attempts - tally.unknown)
        yield Figure.rate(f"{name}/unknown", tally.unknown, tally.attempts)


def as_tables(measured: Measurement) -> Iterator[Table]:
    """Yield tables for a terminal: methods, times, several robots, and verdicts where attempts were judged."""
    yield _methods(measured)
    yield _latency(measured)
    yield _robots(measured)
    if measured.judged:
        yield _verdicts(tallies(measured.judged))


def _methods(measured: Measurement) -> Table:
    table = Table("method", "cameras", "colours", *COLUMNS.values(), box=None)
    for row in (result.row() for result in measured.results):
        cells = ("" if row[key] is None else str(row[key]) for key in COLUMNS)
        table.add_row(row["method"], row["cameras"], row["colours"], *cells)
    return table


def _latency(measured: Measurement) -> Table:
    table = Table("pictures to scene", "cameras", "median", "99th percentile", "frames", box=None)
    for backend, by_cameras in measured.latency.items():
        for cameras, row in by_cameras.items():
            table.add_row(backend, cameras, f"{row['median_ms']} ms", f"{row['p99_ms']} ms", str(row["frames"]))
    return table


def _robots(measured: Measurement) -> Table:
    table = Table("pictures of several robots", "robots", "one after the other", "together", "ratio", box=None)
    for backend, by_robots in measured.robots.items():
        for robots, row in by_robots.items():
            times = (f"{row[key]} ms" for key in ("one_after_the_other_ms", "together_ms"))
            table.add_row(backend, robots, *times, str(row["ratio"]))
    return table


def _verdicts(tally: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table("verdicts", "pictures", "attempts", "balanced accuracy", "unknown", "missed", "believed", box=None)
    for name, both in tally.items():
        for pictures, row in both.items():
            accuracy = "" if row["balanced_accuracy"] is None else f"{100 * row['balanced_accuracy']:.1f} %"
            unknown = f"{100 * row['unknown_share']:.1f} %"
            counts = (str(row[key]) for key in ("missed", "believed"))
            table.add_row(name, pictures, str(row["attempts"]), accuracy, unknown, *counts)
    return table
