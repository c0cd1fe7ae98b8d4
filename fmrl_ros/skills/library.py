"""The skill library: every trained skill of a world, its affordances, and its execution."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.assets import share
from fmrl_ros.perception.scene import Scene
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.robot.cartesian import CartesianController
from fmrl_ros.robot.model import HOME
from fmrl_ros.robot.state import RobotState
from fmrl_ros.skills.execution import Execution
from fmrl_ros.skills.observation import SkillMemory, observe
from fmrl_ros.skills.policy import Policy
from fmrl_ros.skills.task import TASKS, skill_task
from fmrl_ros.worlds.world import DONE, Skill, World


class SkillLibrary:
    """The skills that a world's grammar names and for which there is a policy.

    Attributes:
      skills: Every option that can be executed; ``done`` is the planner's own and not among them.
    """

    def __init__(self, world: World, policies: dict[str, Policy]) -> None:
        """Create the library. Raises UnknownNameError for a policy that no skill task goes with."""
        self._world, self._policies = world, policies
        self._tasks = {name: skill_task(name) for name in policies}
        self._controller = CartesianController(HOME)
        self.skills: tuple[Skill, ...] = tuple(s for s in world.options if s != DONE and s.name in policies)
        self._known = frozenset(self.skills)

    @classmethod
    def load(cls, world: World, folder: Path | None = None) -> SkillLibrary:
        """Read the policies of a world's skills, ``skill-<name>/policy.npz``, from `folder` (``models`` by default).

        Raises:
          PolicyError: If one is missing, damaged, or was trained on another observation.
        """
        folder = folder or share("models")
        names = dict.fromkeys(grammar.name for grammar in world.grammar if grammar.name in TASKS)
        return cls(world, {name: Policy.load(folder / f"skill-{name}" / "policy.npz") for name in names})

    def affordances(self, skills: Sequence[Skill], scene: Scene, state: RobotState) -> NDArray[np.float64]:
        """Return the calibrated probability of success of each skill from here, shape [n], one batch a policy.

        Raises:
          UnknownNameError: If a skill is not in the library; lists the valid phrases.
        """
        self._check(skills)
        tool = self._controller.forward(state.q)
        memory = SkillMemory(tool.position, scene.held is None, scene.held is not None)
        result = np.zeros(len(skills))
        for name, policy in self._policies.items():
            rows = [i for i, skill in enumerate(skills) if skill.name == name]
            if not rows:
                continue
            goals = [self._tasks[name].goal(self._world, skills[i], scene, scene) for i in rows]
            result[rows] = policy.affordance(observe(goals, scene, tool, state.gripper_width, memory))
        return result

    def start(self, skill: Skill, scene: Scene, state: RobotState) -> Execution:
        """Begin to execute a skill. Raises UnknownNameError if it is not in the library."""
        self._check([skill])
        return Execution(
            self._tasks[skill.name], self._policies[skill.name], self._world, skill, self._controller, scene, state
        )

    def _check(self, skills: Sequence[Skill]) -> None:
        for skill in skills:
            if skill not in self._known:
                raise UnknownNameError("skill", skill.phrase, [s.phrase for s in self.skills])
