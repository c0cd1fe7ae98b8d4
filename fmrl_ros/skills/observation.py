"""A skill's observation: the same code in training and at run time, from ``joint_states`` and ``scene`` alone.

An observation is a row of terms. Each is a small function from `ObservationContext` to an array, shape [n, size], for
n goals at once, so that the affordances of hundreds of skills are one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.kinematics import ToolPose
from fmrl_ros.skills.task import Goal
from fmrl_ros.worlds.scene import Scene, SceneObject

VERSION = 2
"""Counts up whenever a term changes its meaning; travels with the weights."""

Array = NDArray[np.float64]

_TABLE_CENTRE = np.array([0.5, -0.04, 0.15])
_SAME_HEIGHT = 0.03
"""Objects whose centres differ less in height may be in each other's way beside one another, m."""
_ON_GOAL_RADIUS = 0.045
"""An object whose centre is nearer than this, across, and higher, stands on the goal, m."""


@dataclass(frozen=True)
class SkillMemory:
    """What a skill remembers while it runs.

    Attributes:
      tool: The tool position last asked for, shape [3], m.
      open: Whether the hand was last asked to be open.
      started_holding: Whether the hand held something when the skill started.
      trail: Where the tool was lately, (stamp in s, position of shape [3] in m): pictures show the past.
    """

    tool: Array
    open: bool
    started_holding: bool
    trail: tuple[tuple[float, Array], ...] = ()

    def tool_at(self, stamp: float) -> Array | None:
        """Return the tool position at about `stamp`, or None if that is not remembered."""
        if not self.trail:
            return None
        return min(self.trail, key=lambda entry: abs(entry[0] - stamp))[1]


@dataclass(frozen=True)
class ObservationContext:
    """Everything that terms are computed from, prepared once for all goals.

    Attributes:
      goals: What each skill is aimed at.
      goal: Their positions, shape [n, 3], m, base frame.
      subject: Position of what each skill moves, shape [n, 3]: the held object, moved on with the hand since it was
        seen, else the one that the skill names; the tool's own position where there is none.
      held: The object in the hand, or None.
      blocks, bowls: Positions, shape [m, 3], of those that are not in the hand.
      is_other: For each of blocks, then bowls, whether it is another than the goal, shape [n, m] each.
      tool: Measured position of the tool, shape [3], m.
      width: Measured distance between the finger pads, m.
      memory: The last command, and how the skill started.
    """

    goals: Sequence[Goal]
    goal: Array
    subject: Array
    held: SceneObject | None
    blocks: Array
    bowls: Array
    is_other: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    tool: Array
    width: float
    memory: SkillMemory


def observation_context(
    goals: Sequence[Goal], scene: Scene, tool: ToolPose, width: float, memory: SkillMemory
) -> ObservationContext:
    """Prepare a scene for the observation of `goals`; the arguments are those of `observe`."""
    held = scene.find(scene.held) if scene.held else None
    standing = [o for o in scene.objects if held is None or o.name != held.name]
    blocks, bowls = ([o for o in standing if o.kind == kind] for kind in ("block", "bowl"))
    return ObservationContext(
        goals=goals,
        goal=np.array([g.position for g in goals]),
        subject=_subjects(goals, scene, held, tool, memory),
        held=held,
        blocks=_positions(blocks),
        bowls=_positions(bowls),
        is_other=(_is_other(goals, blocks), _is_other(goals, bowls)),
        tool=tool.position,
        width=width,
        memory=memory,
    )


def _positions(objects: Sequence[SceneObject]) -> Array:
    return np.array([o.position for o in objects]).reshape(-1, 3)


def _subjects(
    goals: Sequence[Goal], scene: Scene, held: SceneObject | None, tool: ToolPose, memory: SkillMemory
) -> Array:
    """Return where what each skill moves is, shape [n, 3], m; see `ObservationContext.subject`."""
    if held is not None:
        carried = carried_position(held, scene.stamp, tool, memory)
        return np.array([carried for _ in goals], float)
    named = [scene.find(goal.subject) for goal in goals]
    return np.array([thing.position if thing else tool.position for thing in named], float)


def _is_other(goals: Sequence[Goal], objects: Sequence[SceneObject]) -> NDArray[np.bool_]:
    """Return for each goal, and each of `objects`, whether that is neither the goal nor what the skill moves."""
    column = {o.name: i for i, o in enumerate(objects)}
    is_other = np.ones((len(goals), len(objects)), bool)
    for row, goal in enumerate(goals):
        for name in (goal.name, goal.subject):
            if name in column:
                is_other[row, column[name]] = False
    return is_other


def carried_position(held: SceneObject, stamp: float, tool: ToolPose, memory: SkillMemory) -> Array:
    """Return where what is held is now, shape [3], m, from where it was relative to the tool at `stamp`, s."""
    then = memory.tool_at(stamp)
    moved = np.zeros(3) if then is None else tool.position - then
    return np.array(held.position) + moved


def goal_from_tool(s: ObservationContext) -> Array:
    """Goal minus tool position, m, x10."""
    return 10 * (s.goal - s.tool)


def subject_from_tool(s: ObservationContext) -> Array:
    """What the skill moves minus tool position, m, x10, within 0.1 m: what matters near the hand."""
    return 10 * np.clip(s.subject - s.tool, -0.1, 0.1)


def subject_from_goal(s: ObservationContext) -> Array:
    """What the skill moves minus goal position, m, x10; within 0.3 m."""
    return 10 * np.clip(s.subject - s.goal, -0.3, 0.3)


def tool_position(s: ObservationContext) -> Array:
    """Tool position in the base frame, m, centred on the table, x4."""
    return _same_for_all(s, 4 * (s.tool - _TABLE_CENTRE))


def hand(s: ObservationContext) -> Array:
    """Finger width, 1 open; whether the hand was last asked to be open; held something when the skill started."""
    return _same_for_all(s, np.array([s.width / 0.08, s.memory.open, s.memory.started_holding]))


def tool_lag(s: ObservationContext) -> Array:
    """Commanded minus measured tool position, m, x20."""
    return _same_for_all(s, 20 * (s.memory.tool - s.tool))


def holding(s: ObservationContext) -> Array:
    """Holds anything; holds what the skill names."""
    name = s.held.name if s.held else ""
    return np.array([[bool(name), bool(name) and name in (g.name, g.subject)] for g in s.goals], float)


def goal_seen(s: ObservationContext) -> Array:
    """Cosine and sine of four times the yaw, as a square looks the same after a quarter turn; confidence; state."""
    yaw = np.array([g.yaw for g in s.goals])
    confidence = np.array([g.confidence for g in s.goals])
    state = np.clip([g.state for g in s.goals], -1, 2)
    return np.stack([np.cos(4 * yaw), np.sin(4 * yaw), confidence, state], 1)


def neighbours(s: ObservationContext) -> Array:
    """Distance across to the nearest other block and bowl beside the goal, m: to 0.15, x10, and to 0.25, x5."""
    near = _nearest(s.goal, s.blocks, s.is_other[0], 0.15), _nearest(s.goal, s.bowls, s.is_other[1], 0.25)
    return np.stack([10 * near[0], 5 * near[1]], 1)


def subject_neighbours(s: ObservationContext) -> Array:
    """The same for what the skill moves: what stands in a finger's way, or in the way of a push."""
    near = _nearest(s.subject, s.blocks, s.is_other[0], 0.15), _nearest(s.subject, s.bowls, s.is_other[1], 0.25)
    return np.stack([10 * near[0], 5 * near[1]], 1)


def covered(s: ObservationContext) -> Array:
    """Whether something stands on the goal; number of blocks in the bowl, or at the place, that is the goal, x0.25."""
    if not len(s.blocks):
        return np.zeros((len(s.goals), 2))
    offset = s.blocks[None] - s.goal[:, None]
    over = (np.hypot(offset[..., 0], offset[..., 1]) < _ON_GOAL_RADIUS) & s.is_other[0]
    return np.stack([(over & (offset[..., 2] > _SAME_HEIGHT)).any(1), 0.25 * over.sum(1)], 1)


TERMS: tuple[tuple[Callable[[ObservationContext], Array], int], ...] = (
    (goal_from_tool, 3),
    (subject_from_tool, 3),
    (subject_from_goal, 3),
    (tool_position, 3),
    (hand, 3),
    (tool_lag, 3),
    (holding, 2),
    (goal_seen, 4),
    (neighbours, 2),
    (subject_neighbours, 2),
    (covered, 2),
)
SIZE = sum(size for _, size in TERMS)

SPECIFICATION = {"version": VERSION, "terms": [[term.__name__, size] for term, size in TERMS]}
"""Saved with every policy; a policy whose specification differs is refused at load."""


def observe(
    goals: Sequence[Goal], scene: Scene, tool: ToolPose, width: float, memory: SkillMemory
) -> NDArray[np.float32]:
    """Return one observation a goal, shape [n, SIZE], each component about unit scale.

    Args:
      goals: What each skill is aimed at, found in `scene`.
      scene: Objects and relations.
      tool: Measured pose of the tool.
      width: Measured distance between the finger pads, m.
      memory: The last command, and how the skill started.
    """
    context = observation_context(goals, scene, tool, width, memory)
    return np.concatenate([term(context) for term, _ in TERMS], 1, dtype=np.float32)


def not_finite(observation: NDArray[np.float32]) -> list[str]:
    """Return the names of the terms of an observation, shape [1, SIZE], that are not finite numbers."""
    edges = np.cumsum([0, *(size for _, size in TERMS)])
    bad = ~np.isfinite(observation[0])
    return [term.__name__ for (term, _), low, high in zip(TERMS, edges, edges[1:], strict=False) if bad[low:high].any()]


def _same_for_all(s: ObservationContext, values: Array) -> Array:
    return np.broadcast_to(values, (len(s.goals), len(values)))


def _nearest(points: Array, others: Array, is_other: NDArray[np.bool_], limit: float) -> Array:
    if not len(others):
        return np.full(len(points), limit)
    offset = others[None] - points[:, None]
    distance = np.hypot(offset[..., 0], offset[..., 1])
    counts = is_other & (np.abs(offset[..., 2]) < _SAME_HEIGHT)
    return np.minimum(np.where(counts, distance, limit).min(1), limit)
