"""``fmrl eval``: measure trained artefacts on fresh episodes, with baselines beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from fmrl_ros.assets import share
from fmrl_ros.cli.checks import check_json_path
from fmrl_ros.cli.exits import refuse
from fmrl_ros.cli.training_bar import TrainingBar

if TYPE_CHECKING:
    from fmrl_ros.skills.evaluation import SuccessRate

app = typer.Typer(no_args_is_help=True, help="Measure what was trained.")

CHUNK = 5
"""Episodes between two movements of the progress bar."""


@app.callback()
def evaluate() -> None:
    """Measure what was trained."""


@app.command()
def skill(
    names: Annotated[list[str] | None, typer.Argument(help="Skills; default: all.")] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Episodes for each who acts.")] = 200,
    first_seed: Annotated[int | None, typer.Option(help="Of the episodes; default: the model card's.")] = None,
    baselines: Annotated[bool, typer.Option(help="Measure the script and random actions, too.")] = True,
    json_path: Annotated[Path | None, typer.Option("--json", help="Write the numbers there.")] = None,
) -> None:
    """Success rates of skills on fresh, feasible episodes with the localiser's noise, with 95 % intervals."""
    from fmrl_ros.plugins import UnknownNameError
    from fmrl_ros.skills.policy import Policy, PolicyError
    from fmrl_ros.skills.task import TASKS

    check_json_path(json_path)
    chosen = list(names or TASKS)
    for name in chosen:
        if name not in TASKS:
            refuse(UnknownNameError("skill", name, TASKS))
    try:
        policies = {name: Policy.load(share("models") / f"skill-{name}" / "policy.npz") for name in chosen}
    except PolicyError as error:
        refuse(error)
    from fmrl_ros.skills.evaluation import REPORT_SEEDS

    console = Console(highlight=False)
    begin = REPORT_SEEDS if first_seed is None else first_seed
    seeds = range(begin, begin + episodes)
    table = Table("skill", "who acts", "success", "95 % interval", "episodes", "mean steps", box=None)
    record: dict[str, Any] = {"episodes": episodes, "first_seed": seeds.start, "skills": {}}
    for name, policy in policies.items():
        rates = _measure(name, policy, seeds, baselines, console)
        for who, rate in rates.items():
            low, high = rate.interval
            interval = f"{max(0.0, 100 * low):.1f} to {100 * high:.1f} %"
            table.add_row(name, who, f"{100 * rate.rate:.1f} %", interval, str(rate.trials), f"{rate.steps:.0f}")
        record["skills"][name] = {who: _record(rate) for who, rate in rates.items()}
    console.print(table)
    if json_path is not None:
        json_path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _measure(name: str, policy: Any, seeds: range, baselines: bool, console: Console) -> dict[str, SuccessRate]:
    from fmrl_ros.simulation.skill_environment import SkillEnvironment
    from fmrl_ros.skills.evaluation import SuccessRate, policy_actions, random_actions, run_episodes, script_actions

    actors = {"policy": policy_actions(policy)}
    if baselines:
        actors |= {"script": script_actions(), "random": random_actions(0)}
    environment = SkillEnvironment(name)
    rates = {}
    with TrainingBar(console, name) as bar:
        for k, (who, act) in enumerate(actors.items()):
            done = []
            for begin in range(0, len(seeds), CHUNK):
                done += run_episodes(environment, act, seeds[begin : begin + CHUNK], "feasible")
                bar.show(f"{who}, {len(done)} of {len(seeds)}", (k + len(done) / len(seeds)) / len(actors))
            rates[who] = SuccessRate.of(done)
    return rates


def _record(rate: SuccessRate) -> dict[str, Any]:
    low, high = rate.interval
    return {
        "successes": int(rate.successes),
        "trials": int(rate.trials),
        "rate": round(float(rate.rate), 4),
        "ci95": [round(max(0.0, float(low)), 4), round(float(high), 4)],
        "mean_steps": round(float(rate.steps), 1),
    }
