"""What a benchmark measured: one shape for all benchmarks, written in this place alone."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from fmrl_ros import __version__
from fmrl_ros.bench import provenance
from fmrl_ros.skills.calibration import wilson_interval

Interval = tuple[float, float]

SHARE, POINTS = "share", "points"
"""Units of a rate in [0, 1], and of the difference of two rates in hundredths."""


@dataclass(frozen=True)
class Figure:
    """One number that a benchmark measured.

    Attributes:
      name: Its parts separated by slashes; the last part is the quantity: ``kitchen/saycan/success``.
      value: In `unit`; NaN if it could not be determined.
      unit: `SHARE`, `POINTS`, or a physical unit; empty for a plain number.
      interval: The 95 % interval, or the range of a few repetitions, in `unit`; None if neither is known.
      n: Number of measurements that it rests on.
      baseline: The same quantity of the method to compare with, in `unit`; None if that was not measured.
    """

    name: str
    value: float
    unit: str = ""
    interval: Interval | None = None
    n: int | None = None
    baseline: float | None = None

    @classmethod
    def rate(cls, name: str, successes: int, trials: int, baseline: float | None = None) -> Figure:
        """Return a success rate with its 95 % Wilson interval."""
        value = successes / trials if trials else math.nan
        return cls(name, value, SHARE, wilson_interval(successes, trials), trials, baseline)

    def __str__(self) -> str:
        """Return the value with its unit and interval."""
        value = quantity(self.value, self.unit)
        if self.interval is None:
            return value
        low, high = (_number(end, self.unit) for end in self.interval)
        return f"{value} [{low}, {high}]"


@dataclass(frozen=True)
class Report:
    """A benchmark's result.

    Attributes:
      benchmark: Its name: ``plan``, ``loop``, ...
      settings: What was asked for; together with the command line enough to repeat it.
      figures: What was measured, each with a name of its own.
      detail: What only this benchmark has: episodes, families of instructions, ...
    """

    benchmark: str
    settings: Mapping[str, Any]
    figures: Sequence[Figure]
    detail: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the report with its provenance, ready for JSON."""
        record = {
            "benchmark": self.benchmark,
            "version": __version__,
            "command": provenance.command(),
            "commit": provenance.commit(),
            "machine": provenance.machine(),
            "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "settings": dict(self.settings),
            "figures": [_record(figure) for figure in self.figures],
            "detail": dict(self.detail),
        }
        finite: dict[str, Any] = _finite(record)
        return finite

    def write(self, path: Path) -> None:
        """Write the report as JSON."""
        path.write_text(json.dumps(self.as_json(), indent=1, allow_nan=False) + "\n", encoding="utf-8")


def quantity(value: float, unit: str) -> str:
    """Return a value with its unit for a table; a share in percent."""
    if unit == SHARE:
        return f"{_number(value, unit)} %"
    return f"{_number(value, unit)} {unit}".rstrip()


def _number(value: float, unit: str) -> str:
    if unit == SHARE:
        return f"{100 * value:.1f}"
    return f"{value:.1f}" if unit == POINTS else f"{value:,.4g}"


def _record(figure: Figure) -> dict[str, Any]:
    interval = None if figure.interval is None else [_rounded(value) for value in figure.interval]
    return {
        "name": figure.name,
        "value": _rounded(figure.value),
        "unit": figure.unit,
        "interval": interval,
        "n": figure.n,
        "baseline": None if figure.baseline is None else _rounded(figure.baseline),
    }


def _rounded(value: float) -> float:
    """Return a number with six significant digits."""
    return float(f"{value:.6g}")


def _finite(value: Any) -> Any:
    """Return a value with None for every number that JSON does not have."""
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
