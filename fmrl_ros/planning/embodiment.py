"""What a planner may ask of a robot. Implemented over ROS by the planner node, and in process for benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.refusal import RefusalError
from fmrl_ros.worlds.scene import Scene, Verdict
from fmrl_ros.worlds.world import Skill


class EmbodimentError(RefusalError):
    """A part of the robot did not answer or failed. The message names the part (node, service, action)."""


class WorldResetError(EmbodimentError):
    """The world was put back in the middle of an instruction: what was seen and done before is no longer so."""

    STEP = "say it again"


@dataclass(frozen=True)
class SkillOutcome:
    """How the execution of a skill ended.

    Attributes:
      finished: True if the skill ran to its own termination condition, False if it timed out or was stopped.
      reason: In words: "done", "timed out after 200 steps", "scene older than 0.5 s", ...
      value: The critic's last affordance, in [0, 1].
      steps: Control steps taken.
    """

    finished: bool
    reason: str
    value: float
    steps: int


class Embodiment(Protocol):
    """The robot as a planner sees it. Every method raises EmbodimentError when its part fails or is gone."""

    def check_free(self) -> None:
        """Raise if the robot may not move at all now, because a person has stopped it."""

    def world_resets(self) -> int:
        """Return how often the world was put back, or its clock was, so far; a real one never is.

        What `describe_scene` and `detect_success` return is of the world as it has been since then.
        """

    def list_skills(self) -> Sequence[Skill]:
        """Return the options that the running skill servers offer now (without ``done``)."""

    def score_affordances(self, skills: Sequence[Skill]) -> NDArray[np.float64]:
        """Return the calibrated success probability of each skill from the current state, shape [n]."""

    def execute_skill(self, skill: Skill) -> SkillOutcome:
        """Run a skill to its end."""

    def detect_success(self, skill: Skill, before: Scene) -> Verdict:
        """Judge from the cameras whether `skill`, started when the scene was `before`, has succeeded by now."""

    def describe_scene(self) -> Scene:
        """Return what the cameras see now."""
