"""A skill as a Gymnasium environment on the tabletop's physics, observed the way a robot would observe it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.scene import Relation, Scene
from fmrl_ros.perception.tracking import SceneTracker
from fmrl_ros.robot.cartesian import CartesianController, ToolPose
from fmrl_ros.robot.model import HOME
from fmrl_ros.simulation.skill_resets import SCENARIOS, SkillStart
from fmrl_ros.simulation.synthetic_detections import DetectionNoise, SyntheticDetector
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.skills.control import ACTION_SIZE, CONTROL_PERIOD, ToolStepper
from fmrl_ros.skills.observation import SIZE, observe
from fmrl_ros.skills.task import Goal, skill_task
from fmrl_ros.worlds.world import World, load_world

SETTLING = 0.3
"""Seconds that the world gets to come to rest before an episode's outcome is judged."""


@dataclass(frozen=True)
class EpisodeOutcome:
    """How an episode ended: `success` by the simulator's truth, `finished` as the skill itself believes."""

    success: bool
    finished: bool
    steps: int
    scenario: str


@dataclass(frozen=True)
class Frame:
    """What one camera frame showed, and how the hand was then."""

    stamp: float
    detections: tuple[Detection, ...]
    tool: ToolPose
    gripper_width: float


class SkillEnvironment(gymnasium.Env[NDArray[np.float32], NDArray[np.float32]]):
    """One skill on the tabletop: reward 1 when it has finished and truly succeeded, else 0.

    Observation: `fmrl_ros.skills.observation`, float32, shape [SIZE]. Action: `fmrl_ros.skills.control`, float32,
    shape [4], in [-1, 1], at 20 Hz. Poses come through the same tracker as on the robot, from detections with the
    localiser's measured noise, delay and occlusion. The truth decides the reward and nothing else.
    """

    def __init__(
        self,
        skill: str,
        world: World | None = None,
        scenarios: dict[str, float] | None = None,
        noise: DetectionNoise | None = None,
    ) -> None:
        """Create the environment.

        Args:
          skill: Name of the skill.
          world: The world; tabletop by default.
          scenarios: Probability of each start, by name; see `skill_resets.SCENARIOS`. Feasible ones by default.
          noise: What the detector gets wrong; as measured from the committed localiser by default.
        """
        self.task = skill_task(skill)
        self.world = world or load_world("tabletop")
        valid = SCENARIOS[skill]
        self.scenarios = scenarios or {"feasible": 1.0}
        unknown = set(self.scenarios) - set(valid)
        if unknown:
            raise ValueError(f"unknown scenarios {sorted(unknown)} of '{skill}'; valid: {', '.join(valid)}")
        self.observation_space = gymnasium.spaces.Box(-50, 50, (SIZE,), np.float32)
        self.action_space = gymnasium.spaces.Box(-1, 1, (ACTION_SIZE,), np.float32)
        self.simulation = TabletopSimulation(self.world)
        self.controller = CartesianController(HOME)
        self._noise = noise or DetectionNoise.measured()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start an episode; ``options={"scenario": name}`` chooses the start."""
        super().reset(seed=seed)
        rng = self.np_random
        names = list(self.scenarios)
        self.scenario = (options or {}).get("scenario") or str(rng.choice(names, p=list(self.scenarios.values())))
        start = SCENARIOS[self.task.name][self.scenario](self.simulation, self.controller, rng)
        self._begin(start, rng)
        return self._observe(), {"scenario": self.scenario}

    def _begin(self, start: SkillStart, rng: np.random.Generator) -> None:
        self.skill, self._held = start.skill, start.held
        self._steps = 0
        self._detector = SyntheticDetector(self.simulation, self._noise, rng)
        self._tracker = SceneTracker(self.world)
        state = self.simulation.robot_state
        self._stepper = ToolStepper(self.controller, state.q, holding=start.held is not None)
        self._frames: deque[Frame] = deque(maxlen=2)
        for earlier in (0.3, 0.2, 0.1, 0.0):
            self._see(clear_view=True, earlier=earlier)

    def _tool(self) -> ToolPose:
        return self.controller.forward(self.simulation.robot_state.q)

    def _see(self, clear_view: bool = False, earlier: float = 0.0) -> None:
        """Take a camera frame, and fold the one before it into the scene: frames arrive late."""
        state = self.simulation.robot_state
        self._frames.append(
            Frame(state.stamp - earlier, self._detector.detect(clear_view), self._tool(), state.gripper_width)
        )
        frame = self._frames[0]
        objects = self._tracker.update(
            frame.stamp, frame.detections, frame.tool.position.tolist(), frame.tool.yaw, frame.gripper_width
        )
        held = self._tracker.held
        self.scene = Scene(frame.stamp, objects, (Relation(held, "held"),) if held else ())

    @property
    def goal(self) -> Goal:
        """The skill's goal as the scene has it."""
        return self.task.goal(self.world, self.skill, self.scene)

    def _observe(self) -> NDArray[np.float32]:
        self.tool, self.width = self._tool(), self.simulation.robot_state.gripper_width
        return observe(self.goal, self.scene, self.tool, self.width, self._stepper.memory)

    def step(self, action: NDArray[np.float32]) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Advance by one control period."""
        facing = self.task.facing(self.goal, self.scene.held)
        self.simulation.command(self._stepper.act(action, self._tool(), facing))
        self.simulation.step(CONTROL_PERIOD)
        self._steps += 1
        if self._steps % 2 == 0:
            self._see()
        observation = self._observe()
        finished = self.task.finished(self.tool, self.width, self.scene.held, self.goal)
        terminated = finished or self._dropped()
        truncated = not terminated and self._steps >= self.task.horizon
        info: dict[str, Any] = {}
        success = False
        if terminated or truncated:
            success = finished and self._succeeded()
            info["outcome"] = EpisodeOutcome(success, finished, self._steps, self.scenario)
            info["is_success"] = success
        return observation, float(success), terminated, truncated, info

    def _dropped(self) -> bool:
        """True if the hand was full and let go in order to pick something else up: a failure, at once."""
        return self.task.name == "pick" and self._held is not None and self.scene.held != self._held

    def _succeeded(self) -> bool:
        self.simulation.step(SETTLING)
        argument = self.skill.arguments[0]
        if self.task.name == "pick":
            return self.simulation.held(argument) and self.simulation.pose(argument)[2] > 0.05
        if self._held is None:
            return False
        if self.task.name == "place_in":
            return self.simulation.inside(self._held, argument)
        return self.simulation.at(self._held, argument)
