"""The robot of the symbolic tabletop: no physics, perfect or deliberately imperfect skills and detectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.perception.scene import Scene, Verdict
from fmrl_ros.planning.embodiment import SkillOutcome
from fmrl_ros.worlds.symbolic import TABLE, SymbolicState
from fmrl_ros.worlds.world import DONE, Skill


@dataclass(frozen=True)
class Imperfection:
    """How imperfect the robot is, as probabilities.

    Attributes:
      failure: A feasible skill fails; what was being placed falls on the table.
      unsure: The success detector says ``unknown``.
      possible, impossible: Affordance of a feasible and of an infeasible skill.
    """

    failure: float = 0.0
    unsure: float = 0.0
    possible: float = 0.95
    impossible: float = 0.02


class SymbolicEmbodiment:
    """An `Embodiment` over a `SymbolicState`.

    Attributes:
      state: The true state.
      executed: Every skill asked for, in order.
    """

    def __init__(self, state: SymbolicState, imperfection: Imperfection | None = None, seed: int = 0) -> None:
        self.state, self.imperfection = state, imperfection or Imperfection()
        self.executed: list[Skill] = []
        self._rng = np.random.default_rng(seed)
        self._succeeded = False
        self._time = 0.0

    def list_skills(self) -> Sequence[Skill]:
        """Return those of the world's options that the symbolic world knows."""
        return [s for s in self.state.world.options if s is not DONE and self.state.knows(s)]

    def score_affordances(self, skills: Sequence[Skill]) -> NDArray[np.float64]:
        """Return `possible` or `impossible` for each skill, shape [n]."""
        wobble = self.imperfection
        return np.array([wobble.possible if self.state.feasible(s) else wobble.impossible for s in skills])

    def execute_skill(self, skill: Skill) -> SkillOutcome:
        """Apply the skill's effect, or none if it is infeasible or fails."""
        self.executed.append(skill)
        self._time += 1.0
        feasible = self.state.feasible(skill)
        self._succeeded = feasible and self._rng.random() >= self.imperfection.failure
        if self._succeeded:
            self.state = self.state.after(skill)
        elif feasible and self.state.held is not None:
            self.state = self.state.moved(self.state.held, TABLE)
        return SkillOutcome(feasible, "done" if feasible else "timed out", float(self._succeeded), 1)

    def detect_success(self, skill: Skill, before: Scene) -> Verdict:
        """Return the truth about the last skill, or ``unknown``."""
        if self._rng.random() < self.imperfection.unsure:
            return Verdict(None, 0.5, "the view is blocked")
        return Verdict(self._succeeded, 1.0, "as asked" if self._succeeded else "nothing has changed as asked")

    def describe_scene(self) -> Scene:
        """Return the true state as a scene."""
        return self.state.scene(stamp=self._time)
