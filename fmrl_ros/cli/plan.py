"""``fmrl plan``: plans for a file of instructions, without physics."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fmrl_ros.cli import checks
from fmrl_ros.cli.exits import refuse
from fmrl_ros.cli.screen import screen

if TYPE_CHECKING:  # imported where they are used: an option that is wrong is refused at once
    from rich.console import Console

    from fmrl_ros.planning.by_name import PlannerModel
    from fmrl_ros.planning.offline import OfflineTask
    from fmrl_ros.worlds.world import World


def plan(
    tasks: Annotated[Path, typer.Option(help="File of tasks, one JSON object a line: id, instruction, start.")],
    out: Annotated[Path, typer.Option(help="File for the plans, one JSON object a line.")],
    world: Annotated[str, typer.Option(help="Name of the world, or a YAML file.")] = "kitchen",
    planner: Annotated[str, typer.Option(help="Planning strategy.")] = "saycan",
    llm: Annotated[str, typer.Option(help=f"Language model: {checks.MODEL_FORMS}.")] = "tuned",
    threads: Annotated[int | None, typer.Option(min=1, help="Threads of the processor.")] = None,
) -> None:
    """Plan for every task of a file, from its instruction and start state alone."""
    from fmrl_ros.worlds.world import load_world

    checks.check_world(world, physical=False)
    checks.check_planner(planner)
    checks.check_language_model(llm, world)
    checks.check_json_path(out, "--out")
    console = screen()
    from fmrl_ros.cli.weights_progress import prefetch
    from fmrl_ros.language.weights import WeightsError
    from fmrl_ros.planning.by_name import load_planner_model
    from fmrl_ros.planning.offline import TaskFileError, read_tasks
    from fmrl_ros.recording.disk import FULL, write_error

    if out.resolve() == tasks.resolve():
        refuse(f"--out {out} is the file of tasks, which would be lost; name another")
    loaded = load_world(world)
    try:
        todo = read_tasks(tasks, loaded)
    except TaskFileError as error:
        refuse(error)
    _warn_of_starts(todo, loaded, console)
    prefetch(llm, world, console)
    try:
        model = load_planner_model(llm, loaded, threads)
        failed, broken = _write_plans(todo, out, planner, model, console)
    except WeightsError as error:
        refuse(error)
    except OSError as error:
        if error.errno not in FULL:
            raise
        refuse(f"--out {out}: {write_error(error, out)}")
    console.print(f"{len(todo)} plans written to {out}; {failed} end short of what was asked", markup=False)
    if broken:
        console.print(f"the model did not answer for {len(broken)} of them, first: {broken[0]}", markup=False)
    if len(broken) == len(todo):
        raise typer.Exit(1)


def _warn_of_starts(tasks: Sequence[OfflineTask], world: World, console: Console) -> None:
    """Name the places that the world lacks, and the keys of starts that are not read."""
    from fmrl_ros.worlds.kitchen import START_KEYS, unknown_places

    strange = dict.fromkeys(place for task in tasks for place in unknown_places(world, task.start))
    if strange:
        known = ", ".join(place.name for place in world.places)
        said = f"places that '{world.name}' lacks, taken for surfaces: {', '.join(strange)} (it has: {known})"
        console.print(said, markup=False)
    unread = dict.fromkeys(key for task in tasks for key in task.unread)
    if unread:
        console.print(f"not read of a start: {', '.join(unread)} (valid: {', '.join(START_KEYS)})", markup=False)


def _write_plans(
    tasks: Sequence[OfflineTask], out: Path, planner: str, model: PlannerModel, console: Console
) -> tuple[int, list[str]]:
    """Plan for every task and write each plan at once.

    Returns:
      How many end short of what was asked, and the reasons of those for which the model did not answer.
    """
    from rich.progress import track

    from fmrl_ros.planning.offline import plan_task

    failed, broken = 0, list[str]()
    with out.open("w", encoding="utf-8") as file:
        for task in track(tasks, "planning", console=console):
            done = plan_task(task, planner, model)
            failed += not done.success
            broken += [done.reason] if done.broken else []
            file.write(done.as_json() + "\n")
            file.flush()
    return failed, broken
