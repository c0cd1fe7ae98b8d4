"""How long it takes until a moving arm stands once somebody says stop, by each way of saying it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rich.table import Table

from fmrl_ros.bench.intervals import quantile_interval
from fmrl_ros.bench.report import Figure, Report, quantity
from fmrl_ros.robot.stop_switch import STANDSTILL_SPEED

STANDSTILL_TIME = 0.1
"""An arm stands from when on all its joints have been at rest for so long, s."""


@dataclass(frozen=True)
class Stop:
    """One stop of a moving arm.

    Attributes:
      seconds: From when it was said, or the command started, until the arm stood; NaN if it did not.
      travel: How far the joint that went furthest went on meanwhile, rad.
    """

    seconds: float
    travel: float


def stop_of(said: float, times: Sequence[float], positions: Sequence[Sequence[float]], speeds: Sequence[float]) -> Stop:
    """Return when an arm stood.

    Args:
      said: When it was told to stop, s.
      times: When each joint state came, s, ascending.
      positions: Of the joints in each, rad.
      speeds: Of the fastest joint in each, rad/s.
    """
    after = [i for i, time in enumerate(times) if time >= said]
    moving = [i for i in after if speeds[i] >= STANDSTILL_SPEED]
    stood = next((i for i in after if i > max(moving, default=-1)), None)
    if stood is None or times[-1] - times[stood] < STANDSTILL_TIME:
        return Stop(float("nan"), float("nan"))
    way = np.abs(np.array(positions[stood]) - np.array(positions[after[0]]))
    return Stop(times[stood] - said if moving else 0.0, float(way.max()))


def report(tries: int, measured: Mapping[str, Sequence[Stop]]) -> Report:
    """Return median and 95th percentile of the time to standing by each way, and the furthest that a joint went on."""
    figures = []
    for way, stops in measured.items():
        seconds = [stop.seconds for stop in stops]
        for name, share in (("median", 0.5), ("p95", 0.95)):
            interval = quantile_interval(seconds, share) if np.isfinite(seconds).all() else None
            figures.append(
                Figure(f"{way}/time to standing {name}", float(np.quantile(seconds, share)), "s", interval, len(stops))
            )
        figures.append(Figure(f"{way}/furthest", max(stop.travel for stop in stops), "rad", None, len(stops)))
        figures.append(Figure.rate(f"{way}/stood", int(np.isfinite(seconds).sum()), len(stops)))
    stops_of = {way: [[stop.seconds, stop.travel] for stop in stops] for way, stops in measured.items()}
    return Report("stop", {"tries": tries, "ways": list(measured)}, figures, {"seconds_and_travel": stops_of})


def as_table(result: Report) -> Table:
    """Return the report as a table with a row for each way."""
    found = {figure.name: figure for figure in result.figures}
    table = Table("said by", "stood", "median", "95th percentile", "furthest joint went on", box=None)
    for way in result.settings["ways"]:
        cells = (
            found[f"{way}/{name}"] for name in ("stood", "time to standing median", "time to standing p95", "furthest")
        )
        table.add_row(way, *(quantity(figure.value, figure.unit) for figure in cells))
    return table
