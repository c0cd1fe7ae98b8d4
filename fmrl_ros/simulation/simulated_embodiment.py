"""The whole robot in one process, without ROS: for benchmarks and debugging. Same brain, same rates, same cameras."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.perception.describer import Detector, SceneDescriber
from fmrl_ros.perception.success import SuccessDetector
from fmrl_ros.perception.view import View
from fmrl_ros.planning.embodiment import SkillOutcome
from fmrl_ros.robot.kinematics import ForwardKinematics
from fmrl_ros.robot.profile import RobotProfile
from fmrl_ros.robot.state import RobotState
from fmrl_ros.simulation.rendering import CameraRenderer, Frame, camera_model
from fmrl_ros.simulation.tabletop import sample_layout
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.skills.control import CONTROL_PERIOD
from fmrl_ros.skills.library import SkillLibrary
from fmrl_ros.worlds.scene import Scene, Verdict
from fmrl_ros.worlds.world import Skill, World

CAMERA = "front"
FRAME_STEPS = 2
"""Control periods between two camera frames: 10 Hz."""


class SimulatedEmbodiment:
    """A tabletop and everything on the robot but the planner, stepped in lockstep.

    A camera frame reaches the skills one frame period after it was taken, as over ROS. The truth is at hand in
    `simulation` for whoever judges a run; nothing here reads it.
    """

    def __init__(
        self, world: World, library: SkillLibrary, detector: Detector, robot: RobotProfile | None = None
    ) -> None:
        self.simulation = TabletopSimulation(world, robot)
        self.world, self._library = world, library
        self._describer = SceneDescriber(world, detector, ForwardKinematics(self.simulation.robot).pose)
        self._success = SuccessDetector(world)
        self._renderer = CameraRenderer(self.simulation.model)
        self.frames: list[NDArray[np.uint8]] = []
        self._resets = 0

    def reset(self, seed: int) -> None:
        """Put the objects at random places and look until the scene is settled."""
        self.simulation.reset(sample_layout(self.world, np.random.default_rng(seed)))
        self._describer.reset()
        self._resets += 1
        self.frames.clear()
        self._delayed: deque[tuple[Frame, RobotState]] = deque(maxlen=2)
        self._step_frames(6)

    def close(self) -> None:
        """Free the renderer."""
        self._renderer.close()

    def world_resets(self) -> int:
        """Return how often `reset` was called."""
        return self._resets

    def check_free(self) -> None:
        """See `Embodiment`; nobody stops this robot."""

    def list_skills(self) -> Sequence[Skill]:
        """Return the options that can be executed."""
        return self._library.skills

    def score_affordances(self, skills: Sequence[Skill]) -> NDArray[np.float64]:
        """Return the calibrated success probability of each skill, shape [n]."""
        return self._library.affordances(skills, self._scene, self.simulation.robot_state)

    def execute_skill(self, skill: Skill) -> SkillOutcome:
        """Run a skill to its end."""
        execution = self._library.start(skill, self._scene, self.simulation.robot_state)
        while not execution.over:
            self.simulation.command(execution.step(self._scene, self.simulation.robot_state))
            self.simulation.step(CONTROL_PERIOD)
            if execution.steps % FRAME_STEPS == 0:
                self._take_frame()
        return SkillOutcome(execution.finished, execution.reason, execution.value, execution.steps)

    def detect_success(self, skill: Skill, before: Scene) -> Verdict:
        """Judge a skill from the scenes before and now."""
        self._step_frames(4)
        return self._success.judge(skill, before, self._scene)

    def describe_scene(self) -> Scene:
        """Return what is seen now."""
        self._step_frames(2)
        return self._scene

    def _step_frames(self, frames: int) -> None:
        for _ in range(frames):
            self.simulation.step(CONTROL_PERIOD * FRAME_STEPS)
            self._take_frame()

    def _take_frame(self) -> None:
        self._delayed.append((self._renderer.frame(self.simulation.data, CAMERA), self.simulation.robot_state))
        frame, state = self._delayed[0]
        self.frames.append(frame.color)
        camera = camera_model(self.simulation.model, self.simulation.data, CAMERA)
        self._scene = self._describer.describe([View(frame.color, frame.depth, camera, CAMERA, state.stamp)], state)
