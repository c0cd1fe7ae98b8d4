"""What the commands that measure share: the options ``--json`` and ``--check``, and how such a command ends."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from fmrl_ros.cli.checks import check_json_path
from fmrl_ros.cli.exits import FAILED, refuse

if TYPE_CHECKING:
    from fmrl_ros.bench.report import Report
    from fmrl_ros.bench.targets import Target

JsonPath = Annotated[Path | None, typer.Option("--json", help="Write the numbers there.")]
Check = Annotated[bool, typer.Option("--check", help="Exit with 1 where a figure falls short of bench/targets.yaml.")]


def check_reporting(json_path: Path | None, check: bool) -> None:
    """The report can be written where it shall go, and the targets to compare it with are in order."""
    check_json_path(json_path)
    if check:
        _targets()


def conclude(report: Report, json_path: Path | None, check: bool, console: Console) -> None:
    """Write the report, and with `check` compare it with its targets.

    Exits with 1 if a figure falls short of its target, with 2 if no figure that has a target was measured.
    """
    if json_path is not None:
        report.write(json_path)
    if not check:
        return
    from fmrl_ros.bench.check import as_table, compare, falls_short, nothing_compared

    comparisons = compare(report.figures, _targets().get(report.benchmark, []))
    if nothing_compared(comparisons):
        refuse(f"nothing was compared: bench/targets.yaml has no target for what '{report.benchmark}' measured")
    console.print(as_table(comparisons))
    if falls_short(comparisons):
        raise typer.Exit(FAILED)


def _targets() -> dict[str, list[Target]]:
    from fmrl_ros.bench.targets import TargetsError, load_targets

    try:
        return load_targets()
    except TargetsError as error:
        refuse(error)
