"""What distinguishes one skill from another at run time: its goal in the scene, and when it has finished."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmrl_ros import plugins
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.robot.kinematics import ToolPose
from fmrl_ros.worlds.scene import Scene, Verdict
from fmrl_ros.worlds.world import Fixture, Skill, World

LIFTED = 0.13
"""Height of the tool above the table at which a skill may finish, m."""

FINGERS_OPEN = 0.068
"""Width between the fingers above which they hold nothing the size of a block, m."""

SIDE_GAP = 0.05
"""Free space between a block that is put beside an object and that object, m."""

PUSH_DISTANCE = 0.10
"""How far an object is pushed, m."""

PUSHED = 0.7
"""A push is over when the object has moved this share of `PUSH_DISTANCE` in the direction asked for."""

DRAWER_OPEN, DRAWER_CLOSED = 0.75, 0.12
"""A drawer counts as opened above the first share of its travel, as closed below the second."""


@dataclass(frozen=True)
class Goal:
    """What a skill is aimed at.

    Attributes:
      name: The object or place.
      position: (x, y, z), shape [3], m, base frame.
      yaw: Orientation of a square object about base z, rad, in [-pi/4, pi/4).
      confidence: Probability that the goal is there; 0 if it was never seen.
      subject: Name of the object that the skill moves if it is not the one in the hand; empty if there is none.
      state: How far a drawer is open, in [0, 1], or 1 for a lamp that is lit; 0 for what has no such state.
    """

    name: str
    position: NDArray[np.float64]
    yaw: float
    confidence: float
    subject: str = ""
    state: float = 0.0


@dataclass(frozen=True)
class SkillTask:
    """One skill of the library.

    Attributes:
      name: Name in the world's grammar.
      goal: Finds the goal of a skill's arguments in the scene that it started from and the newest one.
      finished: True if, from the tool's pose, the finger width (m) and the name of what is held, the skill is over.
      facing: Yaw that the controller turns the hand to, rad, from the goal and what is held; None keeps it as it is.
      horizon: Control steps after which the skill gives up.
      learned: What the policy learns, for the model card.
      judge: Says from the scenes before and after whether the skill succeeded; None for those of this package, which
        the success detector knows.
    """

    name: str
    goal: Callable[[World, Skill, Scene, Scene], Goal]
    finished: Callable[[ToolPose, float, str | None, Goal], bool]
    facing: Callable[[Goal, str | None], float | None]
    learned: str
    horizon: int = 80
    judge: Callable[[World, Skill, Scene, Scene], Verdict] | None = None


def object_goal(world: World, skill: Skill, start: Scene, scene: Scene) -> Goal:
    """The goal is the object that the first argument names."""
    entry = world.object(skill.arguments[0])
    seen = scene.find(entry.name)
    if seen is None:
        return Goal(entry.name, np.array([0.5, 0.0, entry.size[2] / 2]), 0.0, 0.0, entry.name)
    return Goal(entry.name, np.array(seen.position), seen.yaw, seen.confidence, entry.name)


def container_goal(world: World, skill: Skill, start: Scene, scene: Scene) -> Goal:
    """The goal is a bowl, or the middle of what shows of an open drawer."""
    name = skill.arguments[0]
    if name not in world.names_of_kind("drawer"):
        return object_goal(world, skill, start, scene)
    fixture = world.fixture(name)
    handle = fixture_goal(fixture, scene)
    return Goal(name, handle.position + np.array(fixture.inside), 0.0, handle.confidence, "", handle.state)


def place_goal(world: World, skill: Skill, start: Scene, scene: Scene) -> Goal:
    """The goal is the spot on the table that the argument names, or the one beside the object that two name."""
    if len(skill.arguments) == 1:
        place = world.place(skill.arguments[0])
        return Goal(place.name, np.array([*place.position, 0.02]), 0.0, 1.0)
    side, name = skill.arguments
    entry = world.object(name)
    seen = start.find(name)
    reach = SIDE_GAP + entry.size[0] / 2 + 0.02
    x, y, _ = seen.position if seen else (0.5, 0.0, 0.0)
    ahead, left = world.direction(side).tolist()
    position = np.array([x + reach * ahead, y + reach * left, 0.02])
    return Goal(f"{side} the {name}", position, 0.0, seen.confidence if seen else 0.0)


def push_goal(world: World, skill: Skill, start: Scene, scene: Scene) -> Goal:
    """The goal is where the object shall be: `PUSH_DISTANCE` from where it was when the skill started."""
    name, way = skill.arguments
    seen, now = start.find(name), scene.find(name)
    if seen is None or now is None:
        return Goal(way, np.array([0.5, 0.0, 0.02]), 0.0, 0.0, name)
    ahead, left = world.direction(way).tolist()
    x, y, z = seen.position
    moved = ((now.position[0] - x) * ahead + (now.position[1] - y) * left) / PUSH_DISTANCE
    target = np.array([x + PUSH_DISTANCE * ahead, y + PUSH_DISTANCE * left, z])
    return Goal(way, target, now.yaw, now.confidence, name, moved)


def fixture_goal(fixture: Fixture, scene: Scene) -> Goal:
    """The goal is a part that is built in: a drawer's handle, a button."""
    seen = scene.find(fixture.name)
    if seen is None:
        return Goal(fixture.name, np.array(fixture.position), 0.0, 0.0)
    if any(fixture.travel):
        out = sum(
            (now - shut) * way for now, shut, way in zip(seen.position, fixture.position, fixture.travel, strict=True)
        )
        state = out / sum(way * way for way in fixture.travel)
    else:
        state = float(scene.holds(fixture.name, "lit"))
    return Goal(fixture.name, np.array(seen.position), 0.0, seen.confidence, "", state)


def drawer_goal(world: World, skill: Skill, start: Scene, scene: Scene) -> Goal:
    """The goal is the handle of the drawer."""
    return fixture_goal(world.fixture(skill.arguments[0]), scene)


def button_goal(world: World, skill: Skill, start: Scene, scene: Scene) -> Goal:
    """The goal is the button; its state tells whether its lamp has changed since the start."""
    fixture = world.fixture(skill.arguments[0])
    now = fixture_goal(fixture, scene)
    changed = float(scene.holds(fixture.name, "lit") != start.holds(fixture.name, "lit"))
    return Goal(now.name, now.position, now.yaw, now.confidence, "", changed)


def object_lifted(tool: ToolPose, width: float, held: str | None, goal: Goal) -> bool:
    """True if the goal object is in the hand and the hand is up."""
    return held == goal.name and tool.position[2] > LIFTED


def hand_withdrawn(tool: ToolPose, width: float, held: str | None, goal: Goal) -> bool:
    """True if the hand is open, empty, near the goal and clear above it."""
    near = np.linalg.norm(tool.position[:2] - goal.position[:2]) < 0.15
    height = max(LIFTED, goal.position[2] + 0.09)
    return bool(near and held is None and width > FINGERS_OPEN and tool.position[2] > height)


def object_pushed(tool: ToolPose, width: float, held: str | None, goal: Goal) -> bool:
    """True if the object has moved far enough and the hand is up."""
    return bool(held is None and goal.state > PUSHED and tool.position[2] > LIFTED)


def drawer_opened(tool: ToolPose, width: float, held: str | None, goal: Goal) -> bool:
    """True if the drawer is seen open and the hand is above its handle."""
    return goal.state > DRAWER_OPEN and tool.position[2] > LIFTED


def drawer_closed(tool: ToolPose, width: float, held: str | None, goal: Goal) -> bool:
    """True if the drawer is seen closed and the hand is above its handle."""
    return goal.state < DRAWER_CLOSED and tool.position[2] > LIFTED


def lamp_changed(tool: ToolPose, width: float, held: str | None, goal: Goal) -> bool:
    """True if the lamp is seen changed and the hand is up."""
    return goal.state > 0.5 and tool.position[2] > LIFTED


def face_goal(goal: Goal, held: str | None) -> float | None:
    """Face the sides of the goal until something is held, then keep still."""
    return goal.yaw if held is None else None


def face_below(goal: Goal, held: str | None) -> float | None:
    """Face the sides of the goal, full or empty hand: a stack is straight."""
    return goal.yaw


def face_ahead(goal: Goal, held: str | None) -> float | None:
    """Face straight ahead."""
    return 0.0


TASKS = {
    task.name: task
    for task in (
        SkillTask(
            "pick", object_goal, object_lifted, face_goal, "reaching, grasping and lifting a block, again if it slips"
        ),
        SkillTask(
            "place_in",
            container_goal,
            hand_withdrawn,
            face_ahead,
            "carrying the held block to a bowl or an open drawer, releasing it there and withdrawing the hand",
        ),
        SkillTask(
            "place_on",
            object_goal,
            hand_withdrawn,
            face_below,
            "carrying the held block onto another, releasing it there and withdrawing the hand",
            100,
        ),
        SkillTask(
            "place_at",
            place_goal,
            hand_withdrawn,
            face_ahead,
            "carrying the held block to a spot on the table, setting it down and withdrawing the hand",
        ),
        SkillTask(
            "open_drawer",
            drawer_goal,
            drawer_opened,
            face_ahead,
            "going behind the handle, pulling the drawer open and withdrawing the hand",
            120,
        ),
        SkillTask(
            "close_drawer",
            drawer_goal,
            drawer_closed,
            face_ahead,
            "going before the drawer, pushing it shut and withdrawing the hand",
            120,
        ),
        SkillTask(
            "push",
            push_goal,
            object_pushed,
            face_ahead,
            "going behind the object, pushing it to where it shall be and withdrawing the hand",
            100,
        ),
        SkillTask(
            "press_button",
            button_goal,
            lamp_changed,
            face_ahead,
            "going to the button, pressing it and withdrawing the hand",
        ),
    )
}


def skill_names() -> list[str]:
    """Return the names of all skills: this package's, then those that others register (``fmrl_ros.skills``)."""
    return [*TASKS, *(name for name in plugins.names("skills") if name not in TASKS)]


def skill_task(name: str) -> SkillTask:
    """Return a task by the skill's name. Raises UnknownNameError, which lists the valid ones."""
    if name in TASKS:
        return TASKS[name]
    if name not in skill_names():
        raise UnknownNameError("skill", name, skill_names())
    task = plugins.load("skills", name)
    if not isinstance(task, SkillTask):
        raise TypeError(f"the entry point '{name}' of fmrl_ros.skills is a {type(task).__name__}, not a SkillTask")
    return task
