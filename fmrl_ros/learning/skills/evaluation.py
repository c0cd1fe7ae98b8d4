"""Episodes of a skill, and what came of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.learning.skills.skill_environment import EpisodeOutcome, SkillEnvironment
from fmrl_ros.simulation.rendering import CameraRenderer
from fmrl_ros.skills.calibration import wilson_interval
from fmrl_ros.skills.foreign import SkillPolicy

Array = NDArray[np.float32]

SELECTION_SEEDS, CALIBRATION_SEEDS, REPORT_SEEDS, EVALUATION_SEEDS = 10_000, 20_000, 600_000, 40_000
"""First seeds of disjoint sets: to choose a checkpoint, to calibrate it, to report on it, to fit its critics."""


@dataclass(frozen=True)
class Episode:
    """One episode: its outcome and the observation that it started from, shape [size]."""

    seed: int
    outcome: EpisodeOutcome
    first: Array


Act = Callable[[Array], Array]


def run_episodes(
    environment: SkillEnvironment,
    act: Callable[[SkillEnvironment], Act],
    seeds: Iterable[int],
    scenario: str | None = None,
) -> list[Episode]:
    """Run one episode a seed. `act` makes, for each episode, the map from observation to action."""
    episodes = []
    for seed in seeds:
        observation, _ = environment.reset(seed=seed, options={"scenario": scenario})
        first, choose, over = observation, act(environment), False
        while not over:
            observation, _, finished, truncated, info = environment.step(choose(observation))
            over = finished or truncated
        episodes.append(Episode(seed, info["outcome"], first))
    return episodes


def failures_by_cause(episodes: Iterable[Episode]) -> dict[str, list[int]]:
    """Return the seeds of the failed episodes by how they ended."""
    causes: dict[str, list[int]] = {}
    for episode in episodes:
        if not episode.outcome.success:
            cause = "believed to be done" if episode.outcome.finished else episode.outcome.reason
            causes.setdefault(cause, []).append(episode.seed)
    return causes


def episode_pictures(
    environment: SkillEnvironment, act: Callable[[SkillEnvironment], Act], seed: int, count: int = 6
) -> NDArray[np.uint8]:
    """Return pictures of the front camera from an episode's beginning to its end, side by side, uint8 [h, w, 3]."""
    renderer = CameraRenderer(environment.simulation.model)
    try:
        observation, _ = environment.reset(seed=seed, options={"scenario": "feasible"})
        choose, over = act(environment), False
        frames = [renderer.color(environment.simulation.data, "front").copy()]
        while not over:
            observation, _, finished, truncated, _ = environment.step(choose(observation))
            over = finished or truncated
            frames.append(renderer.color(environment.simulation.data, "front").copy())
    finally:
        renderer.close()
    return np.concatenate([frames[i] for i in np.linspace(0, len(frames) - 1, count).astype(int)], 1)


def policy_actions(policy: SkillPolicy) -> Callable[[SkillEnvironment], Act]:
    """Return the deterministic policy as an argument of `run_episodes`."""
    return lambda environment: lambda observation: policy.act(observation[None])[0]


def script_actions(noise: float = 0.0, rng: np.random.Generator | None = None) -> Callable[[SkillEnvironment], Act]:
    """Return the demonstration script, with Gaussian noise on the motion, as an argument of `run_episodes`."""
    generator = rng or np.random.default_rng(0)

    def start(environment: SkillEnvironment) -> Act:
        def choose(observation: Array) -> Array:
            action = environment.config.demonstrate(environment.view)
            action[:3] += generator.normal(0, noise, 3) if noise else 0
            return np.clip(action, -1, 1)

        return choose

    return start


def random_actions(seed: int) -> Callable[[SkillEnvironment], Act]:
    """Return uniformly random actions as an argument of `run_episodes`."""
    rng = np.random.default_rng(seed)
    return lambda environment: lambda observation: rng.uniform(-1, 1, 4).astype(np.float32)


@dataclass(frozen=True)
class SuccessRate:
    """Successes over trials, with the 95 % Wilson interval and the mean length of an episode in control steps."""

    successes: int
    trials: int
    steps: float

    @classmethod
    def of(cls, episodes: list[Episode]) -> SuccessRate:
        """Count the episodes."""
        steps = float(np.mean([e.outcome.steps for e in episodes]))
        return cls(sum(e.outcome.success for e in episodes), len(episodes), steps)

    @property
    def rate(self) -> float:
        """Share of successes."""
        return self.successes / self.trials

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval."""
        return wilson_interval(self.successes, self.trials)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{100 * self.rate:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
