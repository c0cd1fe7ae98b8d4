"""The skill library: every trained skill of a world, its affordances, and its execution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.assets import share
from fmrl_ros.home import user_path
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.robot.cartesian import CartesianController
from fmrl_ros.robot.profile import RobotProfile
from fmrl_ros.robot.state import RobotState
from fmrl_ros.skills.execution import Execution
from fmrl_ros.skills.foreign import SkillPolicy, load_policy
from fmrl_ros.skills.inference import inference
from fmrl_ros.skills.observation import SkillMemory, not_finite, observe
from fmrl_ros.skills.task import skill_names, skill_task
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import DONE, Skill, World


class SkillLibrary:
    """The skills that a world's grammar names and for which there is a policy.

    Attributes:
      skills: Every option that can be executed; ``done`` is the planner's own and not among them.
    """

    def __init__(
        self, world: World, policies: Mapping[str, SkillPolicy], robot: RobotProfile, device: str = "numpy"
    ) -> None:
        """Create the library of a robot; `device` computes the affordances, see `fmrl_ros.skills.inference`.

        Raises UnknownNameError for a policy that no skill task goes with, ModelError if the robot's model cannot be
        used, and what `inference` raises.
        """
        self._world, self._policies = world, policies
        self._inference = inference(policies, device)
        self._tasks = {name: skill_task(name) for name in policies}
        self._controller = CartesianController(robot)
        self.skills: tuple[Skill, ...] = tuple(s for s in world.options if s != DONE and s.name in policies)
        self._known = frozenset(self.skills)

    @classmethod
    def load(cls, world: World, robot: RobotProfile, folder: Path | None = None, device: str = "numpy") -> SkillLibrary:
        """Read the policies of a world's skills: the file that its entry names, else ``skill-<name>/policy.npz``.

        Args:
          world: The world.
          robot: Carries the skills out.
          folder: Where the package's own policies are; ``models`` by default.
          device: Where the affordances are computed: ``auto``, ``numpy``, ``torch`` or ``cuda``.

        Raises:
          ModelError: If the robot's model cannot be used.
          PolicyError: If one is missing, damaged, or was trained on another observation.
          UnknownNameError: If an entry has a policy, but no task of its name is registered.
        """
        folder = user_path(folder) if folder else share("models")
        policies: dict[str, SkillPolicy] = {}
        for entry in world.grammar:
            if entry.policy is not None:
                policies[entry.name] = load_policy(entry.policy, entry.affordance, entry.calibration)
            elif entry.name not in policies and entry.name in skill_names():
                policies[entry.name] = load_policy(folder / f"skill-{entry.name}" / "policy.npz")
        return cls(world, policies, robot, device)

    def affordances(self, skills: Sequence[Skill], scene: Scene, state: RobotState) -> NDArray[np.float64]:
        """Return the calibrated probability of success of each skill from here, shape [n], in one batch.

        Raises:
          UnknownNameError: If a skill is not in the library; lists the valid phrases.
          ValueError: If a number of the observation, or an affordance, is not finite; names it.
        """
        self._check(skills)
        tool = self._controller.forward(state.q)
        memory = SkillMemory(tool.position, scene.held is None, scene.held is not None)
        goals = [self._tasks[skill.name].goal(self._world, skill, scene, scene) for skill in skills]
        if not goals:
            return np.zeros(0)
        observations = observe(goals, scene, tool, state.gripper_width, memory)
        if not np.isfinite(observations).all():
            worst = observations[~np.isfinite(observations).all(1)][:1]
            raise ValueError(f"not a finite number in the observation: {', '.join(not_finite(worst))}")
        affordances = self._inference(observations, [skill.name for skill in skills])[1].astype(np.float64)
        unknown = sorted({skill.name for skill, p in zip(skills, affordances, strict=True) if not np.isfinite(p)})
        if unknown:
            raise ValueError(f"the policy of {', '.join(unknown)} gives an affordance that is not a finite number")
        return affordances

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
