"""What the benchmark of faults says: a row for each kind, and every trial in the JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from rich.table import Table

from fmrl_ros.bench.chaos.fault import Ending, Trial, shortcoming
from fmrl_ros.bench.report import Figure, Report, quantity

ALL = "all"


@dataclass(frozen=True)
class TrialResult:
    """A trial and its ending."""

    trial: Trial
    ending: Ending

    @property
    def shortcoming(self) -> str:
        """What was not right; empty if all was."""
        return shortcoming(self.trial.fault, self.ending)


def report(seed: int, results: Sequence[TrialResult]) -> Report:
    """Return for each kind and for all: the share that was right, claims of success, how soon errors came."""
    figures: list[Figure] = []
    for kind, chosen in _by_kind(results).items():
        right = sum(not result.shortcoming for result in chosen)
        claims = [result for result in chosen if result.ending.claimed]
        false = sum(not result.ending.true and not result.trial.fault.still for result in claims)
        waits = [result.ending.seconds for result in chosen if not result.ending.claimed]
        figures += [
            Figure.rate(f"{kind}/right", right, len(chosen)),
            Figure(f"{kind}/successes claimed", len(claims), "", None, len(chosen)),
            Figure(f"{kind}/false claims", false, "", None, len(chosen)),
            Figure(f"{kind}/time to the error median", _quantile(waits, 0.5), "s", None, len(waits)),
            Figure(f"{kind}/time to the error longest", _quantile(waits, 1.0), "s", None, len(waits)),
        ]
    trials = [
        {**asdict(result.trial), "ending": asdict(result.ending), "shortcoming": result.shortcoming}
        for result in results
    ]
    return Report("chaos", {"faults": len(results), "seed": seed}, figures, {"trials": trials})


def _by_kind(results: Sequence[TrialResult]) -> Mapping[str, list[TrialResult]]:
    kinds = sorted({result.trial.fault.kind for result in results})
    return {ALL: list(results), **{k: [r for r in results if r.trial.fault.kind == k] for k in kinds}}


def _quantile(values: Sequence[float], share: float) -> float:
    return float(np.quantile(values, share)) if values else math.nan


def as_table(result: Report) -> Table:
    """Return the report as a table with a row for each kind of fault."""
    found = {figure.name: figure for figure in result.figures}
    table = Table("at fault", "faults", "right", "succeeded", "falsely", "error after", "at most", box=None)
    kinds = dict.fromkeys(name.partition("/")[0] for name in found)
    for kind in [*(kind for kind in kinds if kind != ALL), ALL]:
        right = found[f"{kind}/right"]
        cells = [
            found[f"{kind}/{name}"]
            for name in ("successes claimed", "false claims", "time to the error median", "time to the error longest")
        ]
        texts = ["" if math.isnan(cell.value) else quantity(cell.value, cell.unit) for cell in cells]
        table.add_row(kind, str(right.n), str(right), *texts)
    return table


def line(result: TrialResult) -> str:
    """Return a trial in one line, and in a second one what was not right."""
    fault, ending = result.trial.fault, result.ending
    mark = "NO " if result.shortcoming else "yes"
    how = "succeeded" if ending.claimed else ending.reason
    text = f"{mark}  {ending.seconds:5.1f} s  {fault.kind}: {fault.name}: {how}"
    return f"{text}\n        {result.shortcoming}" if result.shortcoming else text
