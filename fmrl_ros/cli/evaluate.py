"""``fmrl eval``: measure trained artefacts on fresh episodes, with baselines beside them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from fmrl_ros.assets import share
from fmrl_ros.cli.checks import check_graphics, usable_profile
from fmrl_ros.cli.exits import refuse
from fmrl_ros.cli.reporting import Check, JsonPath, check_reporting, conclude
from fmrl_ros.cli.screen import screen
from fmrl_ros.cli.training_bar import TrainingBar

if TYPE_CHECKING:
    from fmrl_ros.bench.skill import Runs, SkillBenchmark
    from fmrl_ros.skills.foreign import SkillPolicy

app = typer.Typer(no_args_is_help=True, help="Measure what was trained.")


@app.callback()
def evaluate() -> None:
    """Measure what was trained."""


@app.command()
def skill(
    names: Annotated[list[str] | None, typer.Argument(help="Skills; default: all.")] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Episodes for each who acts.")] = 200,
    first_seed: Annotated[int | None, typer.Option(help="Of the episodes; default: the model card's.")] = None,
    baselines: Annotated[bool, typer.Option(help="Measure the script and random actions, too.")] = True,
    camera: Annotated[bool, typer.Option(help="Take poses from rendered pictures, through the localiser.")] = False,
    perturb: Annotated[bool, typer.Option(help="Vary one quantity at a time, as in training and twice that.")] = False,
    pictures: Annotated[Path | None, typer.Option(help="Folder for pictures of the policy's failed episodes.")] = None,
    policy: Annotated[Path | None, typer.Option(help="Of one skill: .npz, .zip or .onnx; default: our own.")] = None,
    robot: Annotated[str, typer.Option(help="Robot profile of the arm: name or file.")] = "franka_sim",
    json_path: JsonPath = None,
    check: Check = False,
) -> None:
    """Success rates of skills on fresh, feasible episodes with the localiser's noise, with 95 % intervals."""
    check_reporting(json_path, check)
    policies = _policies(names, policy)
    if camera and perturb:
        refuse("--camera and --perturb are two tables; ask for one at a time")
    profile = usable_profile(robot)
    if pictures is not None or camera:
        check_graphics()
    from fmrl_ros.bench.skill import REPORT_SEEDS, SkillBenchmark, as_tables, draw_failures, report

    console = screen()
    first = REPORT_SEEDS if first_seed is None else first_seed
    benchmark = SkillBenchmark(episodes, first, baselines, camera, perturb, robot)
    runs = _measured(benchmark, policies, console)
    for table in as_tables(runs):
        console.print(table)
    if pictures is not None:
        for path in draw_failures(runs, policies, pictures, profile):
            console.print(f"  {path}", markup=False)
    conclude(report(benchmark, runs), json_path, check, console)


def _measured(benchmark: SkillBenchmark, policies: dict[str, SkillPolicy], console: Console) -> Runs:
    """Run every skill's conditions with a progress bar."""
    from fmrl_ros.bench.skill import measure

    runs = {}
    for name, policy in policies.items():
        with TrainingBar(console, name) as bar:
            runs[name] = {
                label: measure(condition, policy, benchmark.seeds, _shown(bar, label, benchmark.episodes))
                for label, condition in benchmark.conditions(name).items()
            }
    return runs


@app.command()
def affordance(
    names: Annotated[list[str] | None, typer.Argument(help="Skills; default: all.")] = None,
    episodes: Annotated[int, typer.Option(min=2, help="Episodes a skill; half from infeasible starts.")] = 600,
    first_seed: Annotated[int | None, typer.Option(help="Of the episodes; default: the model card's.")] = None,
    policy: Annotated[Path | None, typer.Option(help="Of one skill: .npz, .zip or .onnx; default: our own.")] = None,
    picture: Annotated[Path | None, typer.Option(help="File for the reliability diagrams.")] = None,
    json_path: JsonPath = None,
    check: Check = False,
) -> None:
    """How far each skill's probability of success can be trusted, half of the states infeasible in its own way."""
    check_reporting(json_path, check)
    policies = _policies(names, policy)
    from fmrl_ros.bench.affordance import REPORT_SEEDS, as_table, draw, measure, report

    console = screen()
    first = REPORT_SEEDS + 5000 if first_seed is None else first_seed
    measured = {}
    for name, each in policies.items():
        with TrainingBar(console, name) as bar:
            measured[name] = measure(name, each, episodes, first, _shown(bar, "episodes", episodes))
        fit = measured[name].fit
        if fit is not None:
            console.print(f"  {name}: calibration: [{fit[0]:.3f}, {fit[1]:.3f}]  # for its world's entry", markup=False)
    console.print(as_table(measured))
    if picture is not None:
        draw(measured, picture)
        console.print(f"  {picture}", markup=False)
    conclude(report(measured, episodes, first), json_path, check, console)


def _policies(names: list[str] | None, file: Path | None) -> dict[str, SkillPolicy]:
    """Return the policies of the skills that are named, or of all; or end with what is wrong."""
    from fmrl_ros.plugins import UnknownNameError
    from fmrl_ros.skills.foreign import load_policy
    from fmrl_ros.skills.policy import PolicyError
    from fmrl_ros.skills.task import TASKS, skill_names

    chosen = list(names or TASKS)
    for name in chosen:
        if name not in skill_names():
            refuse(UnknownNameError("skill", name, skill_names()))
    if file is not None and len(chosen) != 1:
        refuse("--policy is one skill's; name that skill")
    own = share("models")
    try:
        return {
            name: load_policy(file or own / f"skill-{name}" / "policy.npz", affordance=0.5 if file else None)
            for name in chosen
        }
    except PolicyError as error:
        refuse(error)


def _shown(bar: TrainingBar, label: str, total: int) -> Callable[[int], None]:
    return lambda done: bar.show(f"{label}, {done} of {total}", done / total)
