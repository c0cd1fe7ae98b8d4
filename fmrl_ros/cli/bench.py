"""``fmrl bench``: the numbers that the documentation quotes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fmrl_ros.cli import checks

app = typer.Typer(no_args_is_help=True, help="Measure whole parts of the system.")


@app.callback()
def bench() -> None:
    """Measure whole parts of the system."""


@app.command()
def plan(
    world: Annotated[str, typer.Option(help="Name of the world.")] = "tabletop",
    tasks: Annotated[
        int | None, typer.Option(min=1, help="Instructions a condition; default: the benchmark's.")
    ] = None,
    json_path: Annotated[Path | None, typer.Option("--json", help="Write the numbers there.")] = None,
) -> None:
    """Planning alone, without physics: strategies and models on generated instructions."""
    from rich.console import Console

    from fmrl_ros.cli.weights_progress import prefetch

    checks.check_world(world)
    checks.check_json_path(json_path)
    checks.check_language_model("tuned", world)
    prefetch("tuned", world, Console(highlight=False))
    from fmrl_ros.bench.plan import PlanBenchmark, main

    main(PlanBenchmark(world=world) if tasks is None else PlanBenchmark(world=world, tasks=tasks), json_path)
