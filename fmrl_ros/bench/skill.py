"""Success of a skill on fresh episodes: who acts, what varies, how it fails, and what that looks like."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

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
from fmrl_ros.skills.foreign import SkillPolicy

__all__ = ("REPORT_SEEDS", "Condition", "SuccessRate", "actors", "draw_episodes", "failures_by_cause", "measure")


@dataclass(frozen=True)
class Condition:
    """One row of the table: where, and who acts; None stands for the policy."""

    environment: SkillEnvironment
    act: Callable[[SkillEnvironment], Act] | None = None


def actors(name: str, baselines: bool, camera: bool = False) -> dict[str, Condition]:
    """Return the policy and, with `baselines`, the script and random actions, on randomised tables.

    With `camera`, poses come from rendered pictures through the localiser.
    """
    environment = SkillEnvironment(name, randomisation=Randomisation(), cameras=("front",) if camera else ())
    chosen = {"policy": Condition(environment)}
    if baselines:
        chosen["script"] = Condition(environment, script_actions())
        chosen["random"] = Condition(environment, random_actions(0))
    return chosen


def perturbations(name: str) -> dict[str, Condition]:
    """Return conditions in which nothing varies, one quantity alone, or all; within the trained range and twice that.

    Camera noise once is what training used, several times what was measured of the localiser.
    """
    ranges = {"nothing varies": NOMINAL}
    for quantity in Randomisation.__dataclass_fields__:
        for factor in (1, 2):
            ranges[f"{quantity} x{factor}"] = Randomisation().only(quantity).scaled(factor)
    ranges |= {f"all x{factor}": Randomisation().scaled(factor) for factor in (1, 2)}
    conditions = {label: Condition(SkillEnvironment(name, randomisation=value)) for label, value in ranges.items()}
    for factor in (1, 2):
        noisy = SkillEnvironment(name, noise=DetectionNoise().scaled(factor))
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


def draw_episodes(name: str, policy: SkillPolicy, seeds: Iterable[int], folder: Path) -> Iterator[Path]:
    """Write a strip of pictures of the policy's episode for each seed, and yield the files' paths."""
    environment = SkillEnvironment(name, randomisation=Randomisation())
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        path = folder / f"{name}-{seed}.png"
        Image.fromarray(episode_pictures(environment, policy_actions(policy), seed)).save(path)
        yield path
