"""Compares what a benchmark measured with its targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Column, Table
from rich.text import Text

from fmrl_ros.bench.report import Figure, quantity
from fmrl_ros.bench.targets import Target

OK, SHORT, NOT_MEASURED = "ok", "short", "not measured"


@dataclass(frozen=True)
class Comparison:
    """One target of one figure, and what was measured; None if this run did not measure it."""

    name: str
    target: Target
    figure: Figure | None

    @property
    def outcome(self) -> str:
        """Return `OK`, `SHORT`, or `NOT_MEASURED`."""
        if self.figure is None:
            return NOT_MEASURED
        return OK if self.target.met_by(self.figure.value) else SHORT


def compare(figures: Sequence[Figure], targets: Sequence[Target]) -> list[Comparison]:
    """Return a comparison for every figure that a target names, in the targets' order."""
    measured = {figure.name: figure for figure in figures}
    return [Comparison(name, target, measured.get(name)) for target in targets for name in target.figures]


def falls_short(comparisons: Sequence[Comparison]) -> bool:
    """Return whether a figure falls short of its target."""
    return any(each.outcome == SHORT for each in comparisons)


def nothing_compared(comparisons: Sequence[Comparison]) -> bool:
    """Return whether no figure that has a target was measured."""
    return all(each.outcome == NOT_MEASURED for each in comparisons)


def as_table(comparisons: Sequence[Comparison]) -> Table:
    """Return a table for a terminal: figure, measured value, target, outcome; its caption names the targets missed."""
    name = Column("figure", overflow="fold")
    table = Table(name, "measured", "target", "", box=None, title="Targets", title_justify="left")
    for each in comparisons:
        table.add_row(*_row(each))
    missed = dict.fromkeys(each.target.source for each in comparisons if each.outcome == SHORT)
    if missed:
        table.caption = Text("\n".join(f"falls short of: {source}" for source in missed), justify="left")
    return table


def _row(comparison: Comparison) -> tuple[str | Text, ...]:
    target, figure, outcome = comparison.target, comparison.figure, comparison.outcome
    word = "at most" if target.at_least is None else "at least"
    bound = f"{target.bound:g}" if figure is None else quantity(target.bound, figure.unit)
    style = {OK: "green", SHORT: "bold red", NOT_MEASURED: "dim"}[outcome]
    return comparison.name, "" if figure is None else str(figure), f"{word} {bound}", Text(outcome, style)
