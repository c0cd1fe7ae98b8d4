"""The robot as a strategy gets it: what leads nowhere is not repeated, and what was before a reset does not count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.meaning.aim import Aim
from fmrl_ros.planning.embodiment import Embodiment, SkillOutcome, WorldResetError
from fmrl_ros.planning.repetition import Attempts, RepeatedSkillError
from fmrl_ros.worlds.scene import Scene, Verdict
from fmrl_ros.worlds.world import Skill


class GuardedEmbodiment:
    """An `Embodiment` for one instruction, which keeps count of what was done in which scene.

    Every method raises WorldResetError once the world was put back since this was made.

    Attributes:
      robot: The robot itself.
      aim: What the instruction means, which is told what succeeds; None while nobody knows.
    """

    def __init__(self, robot: Embodiment) -> None:
        self.robot = robot
        self.aim: Aim | None = None
        self._attempts = Attempts()
        self._unseen: tuple[Scene, Skill] | None = None
        self._seen: Scene | None = None
        self._resets = robot.world_resets()

    def check_world(self, task: str = "carry out the instruction") -> None:
        """Raise if the world was put back since this was made.

        Raises:
          WorldResetError: If it was; says during which `task`.
        """
        if self.robot.world_resets() != self._resets:
            raise WorldResetError(f"the world was reset while I should {task}")

    @contextmanager
    def _one_world(self, task: str = "carry out the instruction") -> Iterator[None]:
        """Raise WorldResetError, whatever else went wrong, if the world is put back in between."""
        self.check_world(task)
        try:
            yield
        finally:
            self.check_world(task)

    def spent(self) -> frozenset[Skill]:
        """Return the skills that are not carried out again as the scene is now."""
        return self._attempts.spent(self._scene()) if self._attempts or self._unseen else frozenset()

    def check_worthwhile(self, skill: Skill) -> None:
        """Raise if a skill has had the same outcome in this scene as often as it may.

        Raises:
          RepeatedSkillError: If it was; names the skill.
        """
        if skill in self.spent():
            raise RepeatedSkillError(self._attempts.in_vain(self._scene(), skill))

    def check_free(self) -> None:
        """See `Embodiment`."""
        self.robot.check_free()

    def world_resets(self) -> int:
        """See `Embodiment`."""
        return self.robot.world_resets()

    def list_skills(self) -> Sequence[Skill]:
        """See `Embodiment`."""
        with self._one_world():
            return self.robot.list_skills()

    def score_affordances(self, skills: Sequence[Skill]) -> NDArray[np.float64]:
        """See `Embodiment`."""
        with self._one_world():
            return self.robot.score_affordances(skills)

    def execute_skill(self, skill: Skill) -> SkillOutcome:
        """See `Embodiment`. Raises as `check_worthwhile`, too."""
        self.check_worthwhile(skill)
        self._unseen = self._scene(), skill
        self._seen = None
        with self._one_world(skill.phrase):
            outcome = self.robot.execute_skill(skill)
        if self.aim and outcome.finished:
            self.aim.note(skill)
        return outcome

    def detect_success(self, skill: Skill, before: Scene) -> Verdict:
        """See `Embodiment`."""
        with self._one_world(skill.phrase):
            verdict = self.robot.detect_success(skill, before)
        if self.aim and verdict.value is False:
            self.aim.withdraw(skill)
        return verdict

    def describe_scene(self) -> Scene:
        """See `Embodiment`."""
        with self._one_world():
            self._seen = self.robot.describe_scene()
        if self._unseen is not None:
            self._attempts.note(*self._unseen, self._seen)
            self._unseen = None
        return self._seen

    def _scene(self) -> Scene:
        """Return what was seen since the last skill; looks if nothing was."""
        return self._seen or self.describe_scene()
