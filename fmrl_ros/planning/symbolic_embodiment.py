"""The robot of a symbolic world: no physics, perfect or deliberately imperfect skills and detectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.planning.embodiment import SkillOutcome
from fmrl_ros.worlds.scene import Scene, Verdict
from fmrl_ros.worlds.world import DONE, Skill, World

S = TypeVar("S", bound="State")


class State(Protocol):
    """A symbolic state."""

    @property
    def world(self) -> World:
        """Its world."""

    def defines(self, skill: Skill) -> bool:
        """True if the state has a precondition and an effect for the skill."""

    def feasible(self, skill: Skill) -> bool:
        """True if the skill can succeed from here."""

    def achieved(self, skill: Skill) -> bool:
        """True if what the skill leads to holds already."""

    def after(self: S, skill: Skill) -> S:
        """Return the state that a feasible skill leads to."""

    def dropped(self: S) -> S:
        """Return the state in which what was held has fallen."""

    def scene(self, stamp: float = 0.0) -> Scene:
        """Return what perfect cameras would report."""


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


class SymbolicEmbodiment(Generic[S]):
    """An `Embodiment` over a symbolic state.

    Attributes:
      state: The true state.
      executed: Every skill asked for, in order.
    """

    def __init__(self, state: S, imperfection: Imperfection | None = None, seed: int | Sequence[int] = 0) -> None:
        self.state, self.imperfection = state, imperfection or Imperfection()
        self.executed: list[Skill] = []
        self._rng = np.random.default_rng(seed)
        self._succeeded = False
        self._time = 0.0
        self._resets = 0

    def symbolic_state(self) -> S:
        """Return the state, to plan in."""
        return self.state

    def reset(self, state: S) -> None:
        """Put everything back into a state, as one does with a simulation."""
        self.state, self._succeeded = state, False
        self._resets += 1

    def world_resets(self) -> int:
        """Return how often `reset` was called."""
        return self._resets

    def check_free(self) -> None:
        """See `Embodiment`; nobody stops this robot."""

    def list_skills(self) -> Sequence[Skill]:
        """Return those of the world's options that the symbolic world knows."""
        return [s for s in self.state.world.options if s is not DONE and self.state.defines(s)]

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
        elif feasible:
            self.state = self.state.dropped()
        return SkillOutcome(feasible, "done" if feasible else "timed out", float(self._succeeded), 1)

    def detect_success(self, skill: Skill, before: Scene) -> Verdict:
        """Return the truth about the last skill, or ``unknown``."""
        if self._rng.random() < self.imperfection.unsure:
            return Verdict(None, 0.5, "the view is blocked")
        return Verdict(self._succeeded, 1.0, "as asked" if self._succeeded else "nothing has changed as asked")

    def describe_scene(self) -> Scene:
        """Return the true state as a scene."""
        return self.state.scene(stamp=self._time)
