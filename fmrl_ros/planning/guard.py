"""The robot as a strategy gets it: what leads nowhere is not repeated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.planning.embodiment import Embodiment, SkillOutcome
from fmrl_ros.planning.repetition import Attempts, RepeatedSkillError
from fmrl_ros.worlds.scene import Scene, Verdict
from fmrl_ros.worlds.world import Skill


class GuardedEmbodiment:
    """An `Embodiment` for one instruction, which keeps count of what was done in which scene.

    Attributes:
      robot: The robot itself.
    """

    def __init__(self, robot: Embodiment) -> None:
        self.robot = robot
        self._attempts = Attempts()
        self._seen: Scene | None = None

    def spent(self) -> frozenset[Skill]:
        """Return the skills that are not carried out again as the scene is now."""
        return self._attempts.spent(self._scene()) if self._attempts else frozenset()

    def check_worthwhile(self, skill: Skill) -> None:
        """Raise if a skill was carried out in this scene as often as it may be.

        Raises:
          RepeatedSkillError: If it was; names the skill.
        """
        if skill in self.spent():
            raise RepeatedSkillError(self._attempts.in_vain(self._scene(), skill))

    def check_free(self) -> None:
        """See `Embodiment`."""
        self.robot.check_free()

    def list_skills(self) -> Sequence[Skill]:
        """See `Embodiment`."""
        return self.robot.list_skills()

    def score_affordances(self, skills: Sequence[Skill]) -> NDArray[np.float64]:
        """See `Embodiment`."""
        return self.robot.score_affordances(skills)

    def execute_skill(self, skill: Skill) -> SkillOutcome:
        """See `Embodiment`. Raises as `check_worthwhile`, too."""
        self.check_worthwhile(skill)
        self._attempts.note(self._scene(), skill)
        self._seen = None
        return self.robot.execute_skill(skill)

    def detect_success(self, skill: Skill, before: Scene) -> Verdict:
        """See `Embodiment`."""
        return self.robot.detect_success(skill, before)

    def describe_scene(self) -> Scene:
        """See `Embodiment`."""
        self._seen = self.robot.describe_scene()
        return self._seen

    def _scene(self) -> Scene:
        """Return what was seen since the last skill; looks if nothing was."""
        return self._seen or self.describe_scene()
