"""What distinguishes one skill from another at run time: its goal in the scene, and when it has finished."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.perception.scene import Scene
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.robot.cartesian import ToolPose
from fmrl_ros.worlds.world import Skill, World

LIFTED = 0.13
"""Height of the tool above the table at which a skill may finish, m."""

FINGERS_OPEN = 0.068
"""Width between the fingers above which they hold nothing the size of a block, m."""


@dataclass(frozen=True)
class Goal:
    """What a skill is aimed at.

    Attributes:
      name: The object or place.
      position: (x, y, z), shape [3], m, base frame.
      yaw: Orientation of a square object about base z, rad, in [-pi/4, pi/4).
      confidence: Probability that the goal is there; 0 if it was never seen.
    """

    name: str
    position: NDArray[np.float64]
    yaw: float
    confidence: float


@dataclass(frozen=True)
class SkillTask:
    """One skill of the library.

    Attributes:
      name: Name in the world's grammar.
      goal: Finds the goal of a skill's arguments in a scene.
      finished: True if, from the tool's pose, the finger width (m) and the name of what is held, the skill is over.
      facing: Yaw that the controller turns the hand to, rad, from the goal and what is held; None keeps it as it is.
      horizon: Control steps after which the skill gives up.
    """

    name: str
    goal: Callable[[World, Skill, Scene], Goal]
    finished: Callable[[ToolPose, float, str | None, Goal], bool]
    facing: Callable[[Goal, str | None], float | None]
    horizon: int = 80


def object_goal(world: World, skill: Skill, scene: Scene) -> Goal:
    """The goal is the object that the first argument names."""
    entry = world.object(skill.arguments[0])
    seen = scene.find(entry.name)
    if seen is None:
        return Goal(entry.name, np.array([0.5, 0.0, entry.size[2] / 2]), 0.0, 0.0)
    return Goal(entry.name, np.array(seen.position), seen.yaw, seen.confidence)


def place_goal(world: World, skill: Skill, scene: Scene) -> Goal:
    """The goal is the spot on the table that the first argument names; it is always known."""
    place = world.place(skill.arguments[0])
    return Goal(place.name, np.array([*place.position, 0.02]), 0.0, 1.0)


def object_lifted(tool: ToolPose, width: float, held: str | None, goal: Goal) -> bool:
    """True if the goal object is in the hand and the hand is up."""
    return held == goal.name and tool.position[2] > LIFTED


def hand_withdrawn(tool: ToolPose, width: float, held: str | None, goal: Goal) -> bool:
    """True if the hand is open, empty, near the goal and up."""
    near = np.linalg.norm(tool.position[:2] - goal.position[:2]) < 0.15
    return bool(near and held is None and width > FINGERS_OPEN and tool.position[2] > LIFTED)


def face_goal(goal: Goal, held: str | None) -> float | None:
    """Face the sides of the goal until something is held, then keep still."""
    return goal.yaw if held is None else None


def face_ahead(goal: Goal, held: str | None) -> float | None:
    """Face straight ahead."""
    return 0.0


TASKS = {
    task.name: task
    for task in (
        SkillTask("pick", object_goal, object_lifted, face_goal),
        SkillTask("place_in", object_goal, hand_withdrawn, face_ahead),
        SkillTask("place_at", place_goal, hand_withdrawn, face_ahead),
    )
}


def skill_task(name: str) -> SkillTask:
    """Return a task by the skill's name. Raises UnknownNameError, which lists the valid ones."""
    if name not in TASKS:
        raise UnknownNameError("skill", name, TASKS)
    return TASKS[name]
