"""A skill as a Gymnasium environment on the tabletop's physics, observed the way a robot would observe it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.learning.skills.camera_detections import CameraDetector
from fmrl_ros.learning.skills.randomisation import NOMINAL, Randomisation, Randomiser
from fmrl_ros.learning.skills.stage import SkillStart, Stage
from fmrl_ros.learning.skills.synthetic_detections import DetectionNoise, SyntheticDetector
from fmrl_ros.learning.skills.task_config import Attempt, View
from fmrl_ros.learning.skills.tasks import CONFIGS, task_config
from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.scene_memory import SceneMemory
from fmrl_ros.perception.view import View as CameraView
from fmrl_ros.robot.cartesian import CartesianController
from fmrl_ros.robot.kinematics import ToolPose
from fmrl_ros.robot.profile import RobotProfile
from fmrl_ros.robot.state import JointCommand, RobotState
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.skills.control import ACTION_SIZE, CONTROL_PERIOD, ToolStepper
from fmrl_ros.skills.observation import SIZE, carried_position, observe
from fmrl_ros.skills.task import Goal
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import World, load_world

SETTLING = 0.3
"""Seconds that the world gets to come to rest before an episode's outcome is judged."""

DONE = "done"


@dataclass(frozen=True)
class EpisodeOutcome:
    """How an episode ended: `success` by the simulator's truth, `finished` by the skill's own judgement.

    `reason` is ``done``, ``timed out``, or the name of the termination that ended it.
    """

    success: bool
    finished: bool
    steps: int
    scenario: str
    reason: str


@dataclass(frozen=True)
class Frame:
    """What one camera frame showed, and how the robot was then."""

    detections: tuple[Detection, ...]
    state: RobotState
    tool: ToolPose


class SkillEnvironment(gymnasium.Env[NDArray[np.float32], NDArray[np.float32]]):
    """One skill on the tabletop: reward 1 when it has finished and truly succeeded, else 0.

    Observation: `fmrl_ros.skills.observation`, float32, shape [SIZE]. Action: `fmrl_ros.skills.control`, float32,
    shape [4], in [-1, 1], at 20 Hz. Poses come through the same tracker as on the robot, from detections with the
    localiser's measured noise, delay and occlusion. The truth decides the reward and nothing else.
    """

    metadata = {"render_modes": []}  # noqa: RUF012  (Gymnasium's own declaration)

    def __init__(
        self,
        skill: str,
        world: World | None = None,
        scenarios: dict[str, float] | None = None,
        noise: DetectionNoise | None = None,
        randomisation: Randomisation = NOMINAL,
        cameras: Sequence[str] = (),
        robot: RobotProfile | None = None,
    ) -> None:
        """Create the environment.

        Args:
          skill: Name of the skill.
          world: The world; tabletop by default.
          scenarios: Probability of each start, by name; feasible ones by default.
          noise: What the detector gets wrong; as measured from the committed localiser by default.
          randomisation: What differs between episodes beside the start; nothing by default.
          cameras: Poses come from these cameras' rendered pictures through the committed localiser; with none, from the
            truth with noise.
          robot: Carries the skill out; the simulated robot of the package by default.
        """
        self.config = task_config(skill)
        self.task = self.config.task
        self.world = world or load_world("tabletop")
        self.scenarios = scenarios or {"feasible": 1.0}
        unknown = set(self.scenarios) - set(self.config.resets)
        if unknown:
            valid = ", ".join(self.config.resets)
            raise ValueError(f"unknown scenarios {sorted(unknown)} of '{skill}'; valid: {valid}")
        self.observation_space = gymnasium.spaces.Box(-50, 50, (SIZE,), np.float32)
        self.action_space = gymnasium.spaces.Box(-1, 1, (ACTION_SIZE,), np.float32)
        self.simulation = TabletopSimulation(self.world, robot)
        self.controller = CartesianController(self.simulation.robot)
        self.randomisation = randomisation
        self._randomiser = Randomiser(self.simulation)
        self._noise = noise or DetectionNoise.measured()
        self._camera = CameraDetector(self.simulation, cameras) if cameras else None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start an episode; ``options={"scenario": name}`` chooses the start."""
        super().reset(seed=seed)
        rng = self.np_random
        names = list(self.scenarios)
        self.scenario = (options or {}).get("scenario") or str(rng.choice(names, p=list(self.scenarios.values())))
        latency, self._joint_offset = self._randomiser.draw(self.randomisation, rng)
        start = self.config.resets[self.scenario](Stage(self.simulation, self.controller, rng))
        self._begin(start, latency, rng)
        return self._observe(), {"scenario": self.scenario}

    def _begin(self, start: SkillStart, latency: int, rng: np.random.Generator) -> None:
        self.skill, self._steps = start.skill, 0
        self._attempt = Attempt(
            self.simulation,
            start.skill,
            start.held,
            {o.name: self.simulation.pose(o.name) for o in self.world.objects},
            self.simulation.lamp,
            self.simulation.drawer,
            start.held,
            tuple(b for b in self.world.names_of_kind("block") if self._inside(b, start.skill.arguments)),
        )
        self._detector = self._camera or SyntheticDetector(self.simulation, self._noise, rng)
        self._memory = SceneMemory(self.world)
        state = self.state
        self._stepper = ToolStepper(self.controller, state.q, holding=start.held is not None)
        self._late: deque[JointCommand] = deque(maxlen=latency + 1)
        self._frames: deque[Frame] = deque(maxlen=2)
        for earlier in (0.3, 0.2, 0.1, 0.0):
            self._see(clear_view=True, earlier=earlier)
        self._first = self.scene

    def _inside(self, block: str, arguments: tuple[str, ...]) -> bool:
        containers = self.world.names_of_kind("bowl|drawer")
        return any(name in containers and self.simulation.inside(block, name) for name in arguments)

    def close(self) -> None:
        """Free the renderer, if there is one."""
        if self._camera is not None:
            self._camera.close()

    @property
    def state(self) -> RobotState:
        """The robot's state as its encoders report it, zero errors included."""
        true = self.simulation.robot_state
        return replace(true, q=true.q + self._joint_offset)

    def _see(self, clear_view: bool = False, earlier: float = 0.0) -> None:
        """Take a camera frame, and fold the one before it into the scene: frames arrive late."""
        state = self.state
        state = replace(state, stamp=state.stamp - earlier)
        self._frames.append(Frame(self._detector.detect(clear_view), state, self.controller.forward(state.q)))
        frame = self._frames[0]
        self.scene: Scene = self._memory.update(
            frame.state.stamp, frame.detections, frame.tool, frame.state.gripper_width
        )

    def look(self, frames: int, hidden: str | None = None) -> tuple[Scene, tuple[CameraView, ...]]:
        """Return what so many more frames show, and the last pictures; what is remembered of them is forgotten again.

        `hidden` names an object or fixture of which one half is covered in these pictures.
        """
        memory, late, scene = deepcopy(self._memory), self._frames.copy(), self.scene
        if self._camera is not None:
            self._camera.hidden = hidden
        try:
            for _ in range(frames):
                self.simulation.step(2 * CONTROL_PERIOD)
                self._see()
            return self.scene, self.views
        finally:
            self._memory, self._frames, self.scene = memory, late, scene
            if self._camera is not None:
                self._camera.hidden = None

    @property
    def views(self) -> tuple[CameraView, ...]:
        """The newest picture of each camera."""
        return self._camera.views if self._camera is not None else ()

    @property
    def attempt(self) -> Attempt:
        """The truth about the episode so far."""
        return replace(self._attempt, holding=self.scene.held)

    @property
    def goal(self) -> Goal:
        """The skill's goal as the scene has it."""
        return self.task.goal(self.world, self.skill, self._first, self.scene)

    @property
    def view(self) -> View:
        """What a demonstration script sees."""
        goal = self.goal
        subject = self.scene.find(self.scene.held or goal.subject)
        if subject is None:
            position = self.tool.position
        elif self.scene.held:
            position = carried_position(subject, self.scene.stamp, self.tool, self._stepper.memory)
        else:
            position = np.array(subject.position)
        memory, tool = self._stepper.memory, self.tool.position
        return View(goal, tool, self.width, self.scene.held, position, memory.open, memory.tool - tool)

    def _observe(self) -> NDArray[np.float32]:
        state = self.state
        self.tool, self.width = self.controller.forward(state.q), state.gripper_width
        self._stepper.note(state.stamp, self.tool)
        return observe([self.goal], self.scene, self.tool, self.width, self._stepper.memory)[0]

    def step(self, action: NDArray[np.float32]) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Advance by one control period."""
        facing = self.task.facing(self.goal, self.scene.held)
        wanted = self._stepper.act(action, self.tool, facing)
        self._late.append(replace(wanted, q=wanted.q - self._joint_offset))
        self.simulation.command(self._late[0])
        self.simulation.step(CONTROL_PERIOD)
        self._steps += 1
        if self._steps % 2 == 0:
            self._see()
        observation = self._observe()
        finished = bool(self.task.finished(self.tool, self.width, self.scene.held, self.goal))
        ended = next((name for name, over in self.config.terminations.items() if over(self.attempt)), "")
        terminated = finished or bool(ended)
        truncated = not terminated and self._steps >= self.task.horizon
        if not (terminated or truncated):
            return observation, 0.0, False, False, {}
        reward = self._reward(finished)
        reason = DONE if finished else ended or "timed out"
        outcome = EpisodeOutcome(reward > 0, finished, self._steps, self.scenario, reason)
        return observation, reward, terminated, truncated, {"outcome": outcome, "is_success": reward > 0}

    def _reward(self, finished: bool) -> float:
        """Return what an episode is paid once the world has settled; nothing if the skill has not finished."""
        self.simulation.step(SETTLING)
        return float(sum(term(self.attempt) for term in self.config.rewards.values())) if finished else 0.0


def register() -> None:
    """Make the skills known to Gymnasium, as ``fmrl/Pick-v0`` and so on; once."""
    for name, config in CONFIGS.items():
        if config.gym_id not in gymnasium.registry:
            gymnasium.register(
                config.gym_id,
                "fmrl_ros.learning.skills.skill_environment:SkillEnvironment",
                kwargs={"skill": name},
                max_episode_steps=None,
            )
