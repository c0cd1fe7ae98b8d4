"""One skill being executed: the policy at 20 Hz until it has finished, then free-space motion out of the way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.cartesian import CartesianController
from fmrl_ros.robot.kinematics import ToolPose
from fmrl_ros.robot.state import JointCommand, RobotState
from fmrl_ros.skills.control import STEP, ToolStepper, region
from fmrl_ros.skills.foreign import SkillPolicy
from fmrl_ros.skills.observation import not_finite, observe
from fmrl_ros.skills.task import LIFTED, Goal, SkillTask
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import Skill, World

DONE = "done"
HOME_REACHED = 0.015
"""Distance from the home position at which the arm counts as out of the way, m."""
WITHDRAWAL_STEPS = 80
MIN_GOAL_CONFIDENCE = 0.3
"""A goal of a lower confidence is out of sight."""
MAX_LAG = 0.04
"""An arm whose tool lags further behind its command is held back, m."""
MIN_REASON_STEPS = 15
"""Control steps for which something must last to count as a reason."""
STANDSTILL, STANDSTILL_STEPS = 0.003, 20
"""An arm does not follow if no joint leaves its place by more than this, rad, for so many control steps in which its
tool lags by more than `MAX_LAG`."""
HAND_STANDSTILL = 0.002
"""A hand does not follow if its width changes by no more than this, m, in so many control steps, and is what it was
before the command: `SHUT` or narrower, though told to open, or `WIDE` or wider, though told to close."""
SHUT, WIDE = 0.045, 0.075
HAND_NOT_FOLLOWING = "the hand does not follow its commands: it is stuck, or its driver takes none"
NOT_FOLLOWING = (
    "the arm does not follow its commands: it is blocked, its driver takes none, or its joint_states stand still"
)


class Execution:
    """Turns scenes and robot states into joint commands, one control step at a time.

    What is learned: where the tool moves and what the fingers do, from the start posture to the moment that the skill
    has finished. What is not: the hand's turn about the vertical, which the controller aligns with the block; and the
    way back to the home posture afterwards, a straight line in free space, so that the cameras see the table.

    Attributes:
      over: True when no further step is to be taken.
      reason: Why it ended: ``done`` if the skill reached its own termination condition, else in words.
      value: The latest affordance, in [0, 1].
      steps: Control steps taken.
    """

    def __init__(
        self,
        task: SkillTask,
        policy: SkillPolicy,
        world: World,
        skill: Skill,
        controller: CartesianController,
        scene: Scene,
        state: RobotState,
    ) -> None:
        self._task, self._policy, self._world, self._skill = task, policy, world, skill
        self._controller = controller
        self._home = controller.forward(controller.home).position
        self._stepper = ToolStepper(controller, state.q, holding=scene.held is not None)
        self._withdrawing = 0
        self.over, self.reason, self.value, self.steps = False, "", 0.0, 0
        self._first = scene
        goal = task.goal(world, skill, scene, scene)
        low, high = region(controller)
        self._unseen_steps = self._blocked_steps = 0
        self._measured = state.q
        self._place, self._standing_steps = state.q, 0
        self._width, self._hand_steps = state.gripper_width, 0
        self._last_held = scene.held
        if goal.confidence == 0:
            self.over, self.reason = True, f"cannot see the {goal.subject or goal.name}"
        elif not ((low[:2] <= goal.position[:2]) & (goal.position[:2] <= high[:2])).all():
            x, y = goal.position[:2]
            self.over = True
            self.reason = f"unreachable: the {goal.name} is at ({x:.2f}, {y:.2f}) m, outside the arm's reach"

    @property
    def finished(self) -> bool:
        """True if it is over and the skill reached its own termination condition."""
        return self.over and self.reason == DONE

    @property
    def progress(self) -> float:
        """Share of the skill's horizon that has passed, in [0, 1]; 1 when it is over."""
        return 1.0 if self.over else min(1.0, self.steps / self._task.horizon)

    def step(self, scene: Scene, state: RobotState) -> JointCommand:
        """Return the command for the next control period; one that holds the arm if no other can be computed."""
        if not np.isfinite(state.q).all():
            return self._break_off("a joint position is not a finite number")
        self._measured = state.q
        tool = self._controller.forward(state.q)
        self._stepper.note(state.stamp, tool)
        self.steps += 1
        if self._stands(tool, state.q):
            return self._break_off(self.reason or NOT_FOLLOWING)
        if self._hand_stands(state.gripper_width):
            return self._break_off(self.reason or HAND_NOT_FOLLOWING)
        if self.reason:
            return self._withdraw(tool)
        goal = self._task.goal(self._world, self._skill, self._first, scene)
        observation = observe([goal], scene, tool, state.gripper_width, self._stepper.memory)
        if not np.isfinite(observation).all():
            return self._break_off(f"not a finite number in the observation: {', '.join(not_finite(observation))}")
        self.value = float(self._policy.affordance(observation)[0])
        if self._task.finished(tool, state.gripper_width, scene.held, goal):
            self.reason = DONE
            return self._withdraw(tool)
        self._count_obstacles(goal, scene, tool)
        if self.steps > self._task.horizon:
            self.reason = self._timeout_reason(goal, scene)
            return self._withdraw(tool)
        action = self._policy.act(observation)[0]
        if not np.isfinite(action).all():
            return self._break_off("not a finite number in the action of the skill's policy")
        return self._stepper.act(action, tool, self._task.facing(goal, scene.held))

    def _stands(self, tool: ToolPose, q: NDArray[np.float64]) -> bool:
        """Return True if the arm has not moved for long though it was told to."""
        lagging = float(np.abs(self._stepper.memory.tool - tool.position).max()) > MAX_LAG
        if not lagging or float(np.abs(q - self._place).max()) > STANDSTILL:
            self._place, self._standing_steps = q, 0
        else:
            self._standing_steps += 1
        return self._standing_steps >= STANDSTILL_STEPS

    def _hand_stands(self, width: float) -> bool:
        """Return True if the hand, whose fingers are `width` apart, m, has not moved for long though it was told to."""
        lagging = width < SHUT if self._stepper.memory.open else width > WIDE
        if not lagging or abs(width - self._width) > HAND_STANDSTILL:
            self._width, self._hand_steps = width, 0
        else:
            self._hand_steps += 1
        return self._hand_steps >= STANDSTILL_STEPS

    def _break_off(self, reason: str) -> JointCommand:
        """End here, holding arm and hand as they were last."""
        self.over, self.reason = True, reason
        return JointCommand(self._measured, 0.04 if self._stepper.memory.open else 0.0)

    def _count_obstacles(self, goal: Goal, scene: Scene, tool: ToolPose) -> None:
        """Count the steps without sight of the goal and without motion where motion was asked for."""
        self._unseen_steps = self._unseen_steps + 1 if goal.confidence < MIN_GOAL_CONFIDENCE else 0
        behind = float(np.abs(self._stepper.memory.tool - tool.position).max())
        self._blocked_steps = self._blocked_steps + 1 if behind > MAX_LAG else 0
        self._last_held = scene.held or self._last_held

    def _timeout_reason(self, goal: Goal, scene: Scene) -> str:
        """Return why the skill has not finished in time, as far as it can tell."""
        if self._last_held and not scene.held and not self._stepper.memory.open:
            return f"slipped: the {self._last_held} was in the hand and no longer is"
        if self._unseen_steps > MIN_REASON_STEPS:
            return f"lost sight of the {goal.subject or goal.name}"
        if self._blocked_steps > MIN_REASON_STEPS:
            return "blocked: something is in the arm's way"
        return f"timed out after {self._task.horizon} steps"

    def _withdraw(self, tool: ToolPose) -> JointCommand:
        """Rise, then go home, keeping the hand as it is."""
        self._withdrawing += 1
        offset = self._home - tool.position
        distance = float(np.linalg.norm(offset))
        if distance < HOME_REACHED or self._withdrawing > WITHDRAWAL_STEPS:
            self.over = True
        if tool.position[2] < LIFTED - 0.02 and np.linalg.norm(offset[:2]) > 0.03:
            offset, distance = np.array([0.0, 0.0, 0.1]), 0.1
        target = self._stepper.memory.tool + offset * min(1.0, STEP / max(distance, 1e-6))
        if np.linalg.norm(self._home - self._stepper.memory.tool) < STEP:
            target = self._home
        return self._stepper.move(target, self._stepper.memory.open, tool, facing=0.0)
