"""Attempts at skills by the real policies, many of them disturbed on purpose, as the cameras saw them.

They are what verdicts are measured by. The truth comes from the physics; a judge gets the scenes and pictures from
before and after, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.learning.skills.randomisation import Randomisation
from fmrl_ros.learning.skills.skill_environment import SkillEnvironment
from fmrl_ros.perception.backends.backend import Observation
from fmrl_ros.perception.view import View
from fmrl_ros.simulation.tabletop import FIXED_CAMERAS
from fmrl_ros.worlds.relations import relate
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import Skill

Action = NDArray[np.float32]
Act = Callable[[Action], Action]
Disturbance = Callable[[Act, np.random.Generator], Act]

FRAMES = 4
"""Camera frames before a verdict."""


@dataclass(frozen=True)
class Attempted:
    """One attempt.

    Attributes:
      skill: What was meant.
      before, after: What the cameras saw, relations included.
      covered: The same as `after` with one half of what the skill is about covered in every picture.
      success: The truth.
      mishap: A key of `MISHAPS`.
      scenario: The start.
      seed: Of the episode.
    """

    skill: Skill
    before: Observation
    after: Observation
    covered: Observation
    success: bool
    mishap: str
    scenario: str
    seed: int


def _undisturbed(act: Act, rng: np.random.Generator) -> Act:
    return act


def _shake(act: Act, rng: np.random.Generator) -> Act:
    """The hand shakes: near misses and things that are knocked over."""
    strength = rng.uniform(0.4, 1.0)

    def shaken(observation: Action) -> Action:
        action = act(observation).copy()
        action[:3] += rng.normal(0, strength, 3).astype(np.float32)
        return np.clip(action, -1, 1)

    return shaken


def _slip(act: Act, rng: np.random.Generator) -> Act:
    """The hand opens somewhere on the way and lets go of what it has."""
    return _from_step(act, int(rng.integers(3, 45)), lambda action: np.array([*action[:3], 1.0], np.float32))


def _halt(act: Act, rng: np.random.Generator) -> Act:
    """The arm stops somewhere on the way."""
    return _from_step(act, int(rng.integers(2, 40)), lambda action: np.array([0, 0, 0, action[3]], np.float32))


def _drift(act: Act, rng: np.random.Generator) -> Act:
    """The arm is pulled to one side."""
    pull = rng.normal(0, 1, 3)
    pull *= rng.uniform(0.2, 0.7) / np.linalg.norm(pull)

    def drifting(observation: Action) -> Action:
        action = act(observation).copy()
        action[:3] += pull.astype(np.float32)
        return np.clip(action, -1, 1)

    return drifting


def _from_step(act: Act, step: int, disturb: Callable[[Action], Action]) -> Act:
    count = 0

    def disturbed(observation: Action) -> Action:
        nonlocal count
        count += 1
        action = act(observation)
        return disturb(action) if count > step else action

    return disturbed


MISHAPS: Mapping[str, Disturbance] = {
    "none": _undisturbed,
    "shaky": _shake,
    "slip": _slip,
    "halt": _halt,
    "drift": _drift,
    "other goal": _undisturbed,
}
"""What goes wrong, by name; with ``other goal`` the policy does another skill of the same kind than was meant."""


NOTHING_TO_DO = ("already_open", "already_closed", "already_held")
"""Starts in which what the skill is for holds already: whether it then succeeded is a matter of words."""


def attempts(
    name: str, act: Callable[[SkillEnvironment], Act], seeds: Sequence[int], cameras: Sequence[str] = FIXED_CAMERAS
) -> Iterator[Attempted]:
    """Yield an attempt a seed, seen through rendered pictures and the committed localiser.

    Half of them have no mishap; a quarter of all begin where the skill is infeasible.

    Args:
      name: The skill.
      act: Makes for each episode the map from observation to action.
      seeds: Of the episodes.
      cameras: Those that look.
    """
    environment = SkillEnvironment(name, randomisation=Randomisation(), cameras=cameras)
    infeasible = [start for start in environment.config.infeasible if start not in NOTHING_TO_DO]
    try:
        for seed in seeds:
            rng = np.random.default_rng([seed, 5])
            scenario = str(rng.choice(infeasible)) if infeasible and rng.random() < 0.25 else "feasible"
            mishap = str(rng.choice(list(MISHAPS))) if rng.random() < 0.5 else "none"
            yield _attempt(environment, act, seed, scenario, mishap, rng)
    finally:
        environment.close()


def _attempt(
    environment: SkillEnvironment,
    act: Callable[[SkillEnvironment], Act],
    seed: int,
    scenario: str,
    mishap: str,
    rng: np.random.Generator,
) -> Attempted:
    observation, _ = environment.reset(seed=seed, options={"scenario": scenario})
    skill = environment.skill
    before = _observed(environment, environment.scene, environment.views)
    if mishap == "other goal":
        others = [s for s in environment.world.options if s.name == skill.name and s != skill]
        environment.skill = others[int(rng.integers(len(others)))] if others else skill
    choose, over = MISHAPS[mishap](act(environment), rng), False
    while not over:
        observation, _, finished, truncated, _ = environment.step(choose(observation))
        over = finished or truncated
    environment.skill = skill
    after = _observed(environment, *environment.look(FRAMES))
    success = _succeeded(environment)
    covered = _observed(environment, *environment.look(FRAMES, _subject(environment)))
    return Attempted(skill, before, after, covered, success, mishap, scenario, seed)


def _succeeded(environment: SkillEnvironment) -> bool:
    """Return the truth: what is paid for, and a full hand counts against none but what needs an empty one."""
    attempt = environment.attempt
    if environment.skill.name in ("open_drawer", "close_drawer", "press_button"):
        attempt = replace(attempt, held=None)
    return sum(term(attempt) for term in environment.config.rewards.values()) > 0


def _subject(environment: SkillEnvironment) -> str:
    """Return what the skill moves or changes."""
    return environment.attempt.held or environment.skill.arguments[0]


def _observed(environment: SkillEnvironment, scene: Scene, views: tuple[View, ...]) -> Observation:
    return Observation(replace(scene, relations=relate(environment.world, scene)), views)
