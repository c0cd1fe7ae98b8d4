"""``fmrl eval``: measure trained artefacts on fresh episodes, with baselines beside them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from fmrl_ros import __version__
from fmrl_ros.assets import share
from fmrl_ros.cli.checks import check_graphics, check_json_path
from fmrl_ros.cli.exits import refuse
from fmrl_ros.cli.training_bar import TrainingBar

if TYPE_CHECKING:
    from fmrl_ros.bench.skill import SuccessRate
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
    json_path: Annotated[Path | None, typer.Option("--json", help="Write the numbers there.")] = None,
) -> None:
    """Success rates of skills on fresh, feasible episodes with the localiser's noise, with 95 % intervals."""
    check_json_path(json_path)
    policies = _policies(names, policy)
    if camera and perturb:
        refuse("--camera and --perturb are two tables; ask for one at a time")
    if pictures is not None or camera:
        check_graphics()
    from fmrl_ros.bench import skill as benchmark
    from fmrl_ros.bench.skill import REPORT_SEEDS, SuccessRate, failures_by_cause

    console = Console(highlight=False)
    begin = REPORT_SEEDS if first_seed is None else first_seed
    seeds = range(begin, begin + episodes)
    table = Table("skill", "who acts", "success", "95 % interval", "episodes", "mean steps", box=None)
    causes = Table("skill", "how it failed", "episodes", "first seeds", box=None)
    record: dict[str, Any] = {
        "benchmark": "skill",
        "version": __version__,
        "episodes": episodes,
        "camera": camera,
        "first_seed": seeds.start,
        "skills": {},
        "failures": {},
    }
    for name, each in policies.items():
        conditions = benchmark.perturbations(name) if perturb else benchmark.actors(name, baselines, camera)
        found = {}
        for label, condition in conditions.items():
            with TrainingBar(console, name) as bar:
                found[label] = benchmark.measure(condition, each, seeds, _shown(bar, label, len(seeds)))
        for who, run in found.items():
            rate = SuccessRate.of(run)
            low, high = rate.interval
            interval = f"{max(0.0, 100 * low):.1f} to {100 * high:.1f} %"
            table.add_row(name, who, f"{100 * rate.rate:.1f} %", interval, str(rate.trials), f"{rate.steps:.0f}")
        failures = failures_by_cause(next(iter(found.values())))
        for cause, some in failures.items():
            causes.add_row(name, cause, str(len(some)), ", ".join(map(str, some[:5])))
        record["skills"][name] = {who: _record(SuccessRate.of(run)) for who, run in found.items()}
        record["failures"][name] = failures
        if pictures is not None:
            failed = [seed for some in failures.values() for seed in some]
            for path in benchmark.draw_episodes(name, each, failed, pictures):
                console.print(f"  {path}", markup=False)
    console.print(table)
    if causes.row_count:
        console.print(causes)
    if json_path is not None:
        json_path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


@app.command()
def affordance(
    names: Annotated[list[str] | None, typer.Argument(help="Skills; default: all.")] = None,
    episodes: Annotated[int, typer.Option(min=2, help="Episodes a skill; half from infeasible starts.")] = 600,
    first_seed: Annotated[int | None, typer.Option(help="Of the episodes; default: the model card's.")] = None,
    policy: Annotated[Path | None, typer.Option(help="Of one skill: .npz, .zip or .onnx; default: our own.")] = None,
    picture: Annotated[Path | None, typer.Option(help="File for the reliability diagrams.")] = None,
    json_path: Annotated[Path | None, typer.Option("--json", help="Write the numbers there.")] = None,
) -> None:
    """How far each skill's probability of success can be trusted, half of the states infeasible in its own way."""
    check_json_path(json_path)
    policies = _policies(names, policy)
    from fmrl_ros.bench import affordance as benchmark
    from fmrl_ros.bench.affordance import REPORT_SEEDS

    console = Console(highlight=False)
    begin = REPORT_SEEDS + 5000 if first_seed is None else first_seed
    table = Table("skill", "start", "mean affordance", "success", "states", "calibration error", "AUC", box=None)
    measured = {}
    for name, each in policies.items():
        with TrainingBar(console, name) as bar:
            found = benchmark.measure(name, each, episodes, begin, _shown(bar, "episodes", episodes))
        measured[name] = found
        table.add_row(name, "all", *found.row(), f"{found.error:.3f}", f"{found.auc:.3f}")
        for start in found.starts:
            table.add_row("", start, *found.of(start).row())
        if found.fit is not None:
            console.print(f"  {name}: calibration: [{found.fit[0]:.3f}, {found.fit[1]:.3f}]  # for its world's entry")
    console.print(table)
    if picture is not None:
        benchmark.draw(measured, picture)
        console.print(f"  {picture}", markup=False)
    if json_path is not None:
        record = benchmark.as_json(measured, episodes, begin)
        json_path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


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


def _record(rate: SuccessRate) -> dict[str, Any]:
    low, high = rate.interval
    return {
        "successes": int(rate.successes),
        "trials": int(rate.trials),
        "rate": round(float(rate.rate), 4),
        "ci95": [round(max(0.0, float(low)), 4), round(float(high), 4)],
        "mean_steps": round(float(rate.steps), 1),
    }
