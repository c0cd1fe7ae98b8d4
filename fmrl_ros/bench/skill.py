"""Success of a skill on fresh episodes: who acts, what varies, how it fails, and what that looks like."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from rich.table import Table

from fmrl_ros.bench.report import Figure, Report
from fmrl_ros.learning.skills.evaluation import (
    REPORT_SEEDS,
    Act,
    Episode,
    SuccessRate,
    episode_pictures,
    failures_by_cause,
    policy_actions,
    random_actions,
    run_episodes,
    script_actions,
)
from fmrl_ros.learning.skills.randomisation import NOMINAL, Randomisation
from fmrl_ros.learning.skills.skill_environment import SkillEnvironment
from fmrl_ros.learning.skills.synthetic_detections import DetectionNoise
from fmrl_ros.robot.profile import RobotProfile, load_profile
from fmrl_ros.skills.foreign import SkillPolicy

__all__ = ("REPORT_SEEDS", "Condition", "SkillBenchmark", "as_tables", "draw_failures", "measure", "report")

SHOWN = 5
"""So many seeds of each cause of failure are printed."""

Runs = Mapping[str, Mapping[str, list[Episode]]]
"""For each skill the episodes of every condition; the first condition is the policy's."""


@dataclass(frozen=True)
class SkillBenchmark:
    """What is measured.

    Attributes:
      episodes: Episodes of each condition.
      first_seed: Of the episodes.
      baselines: Whether the script and random actions are measured, too.
      camera: Whether poses come from rendered pictures through the localiser.
      perturb: Whether one quantity is varied at a time, instead.
      robot: Profile of the robot, by name or file.
    """

    episodes: int = 200
    first_seed: int = REPORT_SEEDS
    baselines: bool = True
    camera: bool = False
    perturb: bool = False
    robot: str = "franka_sim"

    @property
    def seeds(self) -> range:
        """The seeds of the episodes."""
        return range(self.first_seed, self.first_seed + self.episodes)

    def conditions(self, skill: str) -> dict[str, Condition]:
        """Return the rows of a skill's table by name, the policy's first."""
        robot = load_profile(self.robot)
        if self.perturb:
            return perturbations(skill, robot)
        return actors(skill, robot, self.baselines, self.camera)


@dataclass(frozen=True)
class Condition:
    """One row of the table: where, and who acts; None stands for the policy."""

    environment: SkillEnvironment
    act: Callable[[SkillEnvironment], Act] | None = None


def actors(name: str, robot: RobotProfile, baselines: bool, camera: bool = False) -> dict[str, Condition]:
    """Return the policy and, with `baselines`, the script and random actions, on randomised tables.

    With `camera`, poses come from rendered pictures through the localiser.
    """
    cameras = ("front",) if camera else ()
    environment = SkillEnvironment(name, randomisation=Randomisation(), cameras=cameras, robot=robot)
    chosen = {"policy": Condition(environment)}
    if baselines:
        chosen["script"] = Condition(environment, script_actions())
        chosen["random"] = Condition(environment, random_actions(0))
    how = " through the camera" if camera else ""
    return {label + how: condition for label, condition in chosen.items()}


def perturbations(name: str, robot: RobotProfile) -> dict[str, Condition]:
    """Return conditions in which nothing varies, one quantity alone, or all; within the trained range and twice that.

    Camera noise once is what training used, several times what was measured of the localiser.
    """
    ranges = {"nothing varies": NOMINAL}
    for quantity in Randomisation.__dataclass_fields__:
        for factor in (1, 2):
            ranges[f"{quantity} x{factor}"] = Randomisation().only(quantity).scaled(factor)
    ranges |= {f"all x{factor}": Randomisation().scaled(factor) for factor in (1, 2)}
    conditions = {
        label: Condition(SkillEnvironment(name, randomisation=value, robot=robot)) for label, value in ranges.items()
    }
    for factor in (1, 2):
        noisy = SkillEnvironment(name, noise=DetectionNoise().scaled(factor), robot=robot)
        conditions[f"camera noise x{factor}"] = Condition(noisy)
    return conditions


def measure(
    condition: Condition, policy: SkillPolicy, seeds: Iterable[int], progress: Callable[[int], None] = lambda done: None
) -> list[Episode]:
    """Run one feasible episode a seed; `progress` is told the number of those done."""
    act = condition.act or policy_actions(policy)
    episodes: list[Episode] = []
    for seed in seeds:
        episodes += run_episodes(condition.environment, act, [seed], "feasible")
        progress(len(episodes))
    return episodes


def failures(runs: Runs) -> dict[str, dict[str, list[int]]]:
    """Return for each skill the seeds of the first condition's failed episodes, by how they ended."""
    return {skill: failures_by_cause(next(iter(conditions.values()))) for skill, conditions in runs.items()}


def draw_failures(runs: Runs, policies: Mapping[str, SkillPolicy], folder: Path, robot: RobotProfile) -> Iterator[Path]:
    """Write a strip of pictures of each failed episode of the policies, and yield the files' paths."""
    folder.mkdir(parents=True, exist_ok=True)
    for skill, causes in failures(runs).items():
        environment = SkillEnvironment(skill, randomisation=Randomisation(), robot=robot)
        for seed in (seed for seeds in causes.values() for seed in seeds):
            path = folder / f"{skill}-{seed}.png"
            Image.fromarray(episode_pictures(environment, policy_actions(policies[skill]), seed)).save(path)
            yield path


def report(benchmark: SkillBenchmark, runs: Runs) -> Report:
    """Return the report; its detail has each condition's success, and the seeds that failed by cause."""
    figures = [figure for skill, conditions in runs.items() for figure in _figures(skill, conditions)]
    skills = {
        skill: {label: _detail(SuccessRate.of(episodes)) for label, episodes in conditions.items()}
        for skill, conditions in runs.items()
    }
    settings = {"skills": list(runs), **asdict(benchmark)}
    return Report("skill", settings, figures, {"skills": skills, "failures": failures(runs)})


def _figures(skill: str, conditions: Mapping[str, list[Episode]]) -> Iterator[Figure]:
    rates = {label: SuccessRate.of(episodes) for label, episodes in conditions.items()}
    for label, rate in rates.items():
        script = rates.get(label.replace("policy", "script")) if label.startswith("policy") else None
        baseline = script.rate if script is not None else None
        yield Figure.rate(f"{skill}/{label}/success", rate.successes, rate.trials, baseline)
        yield Figure(f"{skill}/{label}/control steps", rate.steps, n=rate.trials)


def _detail(rate: SuccessRate) -> dict[str, Any]:
    low, high = rate.interval
    return {
        "successes": int(rate.successes),
        "trials": int(rate.trials),
        "rate": round(float(rate.rate), 4),
        "ci95": [round(low, 4), round(high, 4)],
        "mean_steps": round(float(rate.steps), 1),
    }


def as_tables(runs: Runs) -> Iterator[Table]:
    """Yield tables for a terminal: success of every condition, and how and with which seeds episodes failed."""
    table = Table("skill", "who acts", "success", "95 % interval", "episodes", "mean steps", box=None)
    for skill, conditions in runs.items():
        for label, episodes in conditions.items():
            rate = SuccessRate.of(episodes)
            low, high = rate.interval
            interval = f"{100 * low:.1f} to {100 * high:.1f} %"
            table.add_row(skill, label, f"{100 * rate.rate:.1f} %", interval, str(rate.trials), f"{rate.steps:.0f}")
    yield table
    causes = Table("skill", "how it failed", "episodes", "first seeds", box=None)
    for skill, by_cause in failures(runs).items():
        for cause, seeds in by_cause.items():
            causes.add_row(skill, cause, str(len(seeds)), ", ".join(map(str, seeds[:SHOWN])))
    if causes.row_count:
        yield causes
