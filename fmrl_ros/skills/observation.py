"""A skill's observation: the same code in training and at run time, from ``joint_states`` and ``scene`` alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.perception.scene import Scene
from fmrl_ros.robot.cartesian import ToolPose
from fmrl_ros.skills.task import Goal

VERSION = 1
"""Counts up whenever a component changes its meaning; travels with the weights."""

COMPONENTS = (
    ("goal_from_tool", 3),  # goal minus tool position, m, x10
    ("tool_position", 3),  # tool position in the base frame, m, centred on the table, x4
    ("finger_width", 1),  # measured, 1 open
    ("finger_command", 1),  # 1 open, 0 closed
    ("tool_lag", 3),  # commanded minus measured tool position, m, x20
    ("goal_yaw", 2),  # cosine and sine of four times the yaw: a square looks the same after a quarter turn
    ("goal_confidence", 1),
    ("holding", 2),  # holds anything; holds the goal
    ("started_holding", 1),  # held something when the skill started: tells a hand that has let go from an empty one
    ("held_from_tool", 3),  # held object minus tool position, m, x20; 0 with an empty hand
    ("nearest_block", 1),  # distance from the goal to the nearest other block on the table, m, clipped at 0.15, x10
    ("nearest_bowl", 1),  # the same for bowls, clipped at 0.25
)
SIZE = sum(size for _, size in COMPONENTS)

SPECIFICATION = {"version": VERSION, "components": [[name, size] for name, size in COMPONENTS]}
"""Saved with every policy; a policy whose specification differs is refused at load."""

_TABLE_CENTRE = np.array([0.5, -0.04, 0.15])


@dataclass(frozen=True)
class SkillMemory:
    """What a skill remembers while it runs.

    Attributes:
      tool: The tool position last asked for, shape [3], m.
      open: Whether the hand was last asked to be open.
      started_holding: Whether the hand held something when the skill started.
    """

    tool: NDArray[np.float64]
    open: bool
    started_holding: bool


def observe(goal: Goal, scene: Scene, tool: ToolPose, width: float, memory: SkillMemory) -> NDArray[np.float32]:
    """Return the observation, shape [SIZE], each component about unit scale.

    Args:
      goal: What the skill is aimed at, found in `scene`.
      scene: Objects and the ``held`` relation.
      tool: Measured pose of the tool.
      width: Measured distance between the finger pads, m.
      memory: The last command, and how the skill started.
    """
    held = scene.find(scene.held) if scene.held else None
    others = [o for o in scene.objects if o.name != goal.name and (held is None or o.name != held.name)]
    return np.array(
        [
            *(10 * (goal.position - tool.position)),
            *(4 * (tool.position - _TABLE_CENTRE)),
            width / 0.08,
            float(memory.open),
            *(20 * (memory.tool - tool.position)),
            np.cos(4 * goal.yaw),
            np.sin(4 * goal.yaw),
            goal.confidence,
            float(held is not None),
            float(held is not None and held.name == goal.name),
            float(memory.started_holding),
            *(20 * (np.array(held.position) - tool.position) if held else np.zeros(3)),
            10 * _nearest(goal, [o.position for o in others if o.kind == "block"], 0.15),
            10 * _nearest(goal, [o.position for o in others if o.kind == "bowl"], 0.25),
        ],
        np.float32,
    )


def _nearest(goal: Goal, positions: list[tuple[float, float, float]], limit: float) -> float:
    distances = [float(np.hypot(p[0] - goal.position[0], p[1] - goal.position[1])) for p in positions]
    return min(distances, default=limit) if distances and min(distances) < limit else limit
