"""Put the block that is in the hand at a named place, or beside an object."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.learning.skills.stage import Layout, SkillStart, Stage, skill
from fmrl_ros.learning.skills.task_config import Attempt, TaskConfig, View
from fmrl_ros.learning.skills.tasks.placing import empty_handed, let_go, let_go_above
from fmrl_ros.skills.task import TASKS, place_goal
from fmrl_ros.worlds.scene import Scene, SceneObject
from fmrl_ros.worlds.world import Skill

TOLERANCE = 0.05
"""How far from the spot a block may lie, m."""
_MARGIN = 0.03
"""How far beyond where objects stand after a reset a spot may be: what is built in is farther away, m."""
_FREE = 0.10
"""Least distance of the spot from any other object's centre, for a start that counts as feasible, m."""


def _target(stage: Stage, held: str) -> Skill:
    """Return the skill with random arguments."""
    if stage.rng.random() < 0.5:
        return skill("place_at", stage.names("place")[0])
    things = [name for name in stage.names("block|bowl") if name != held]
    return skill("place_at", stage.names("side")[0], things[0])


def _spot(stage: Stage, asked: Skill, layout: Layout) -> NDArray[np.float64]:
    world = stage.simulation.world
    things = tuple(
        SceneObject(o.name, o.kind, tuple(layout[o.name][:3]), 0.0, o.size, 1.0)
        for o in world.objects
        if o.name in layout
    )
    scene = Scene(0.0, things)
    return place_goal(world, asked, scene, scene).position


def feasible(stage: Stage) -> SkillStart:
    """A block in the hand; the spot is free and can be reached."""
    while True:
        held = stage.names("block")[0]
        asked = _target(stage, held)
        layout = stage.clutter(stage.layout(), (held, asked.arguments[-1]))
        spot = _spot(stage, asked, layout)
        others = [pose[:2] for name, pose in layout.items() if name not in (held, asked.arguments[-1])]
        gap = min((float(np.linalg.norm(other - spot[:2])) for other in others), default=1.0)
        world = stage.simulation.world
        low, high = world.table
        if gap > _FREE and (low - _MARGIN < spot[:2]).all() and (spot[:2] < high + _MARGIN).all():
            stage.begin(layout, held)
            return SkillStart(asked, held)


def hand_empty(stage: Stage) -> SkillStart:
    """Nothing in the hand."""
    asked = _target(stage, "")
    return empty_handed(stage, asked, asked.arguments)


def absent(stage: Stage) -> SkillStart:
    """The object to put it beside is not there."""
    held, other = stage.names("block")[:2]
    layout = stage.clutter(stage.layout(), (held, other))
    del layout[other]
    stage.begin(layout, held)
    return SkillStart(skill("place_at", stage.names("side")[0], other), held)


def occupied(stage: Stage) -> SkillStart:
    """A bowl or a block stands at the spot."""
    held = stage.names("block")[0]
    asked = _target(stage, held)
    layout = stage.clutter(stage.layout(), (held, asked.arguments[-1]))
    blockers = [name for name in layout if name not in (held, asked.arguments[-1])]
    blocker = blockers[int(stage.rng.integers(len(blockers)))]
    layout[blocker] = stage.spot(_spot(stage, asked, layout), 0.02)
    stage.begin(layout, held)
    return SkillStart(asked, held)


def placed(attempt: Attempt) -> float:
    """The block that was in the hand lies on the table at the spot, and nothing was pushed aside for it."""
    if attempt.held is None or not let_go(attempt):
        return 0.0
    world = attempt.simulation.world
    things = tuple(
        SceneObject(o.name, o.kind, tuple(attempt.before[o.name][:3]), 0.0, o.size, 1.0) for o in world.objects
    )
    scene = Scene(0.0, things)
    spot = place_goal(world, attempt.skill, scene, scene).position[:2]
    return float(attempt.simulation.near(attempt.held, spot, TOLERANCE) and attempt.undisturbed())


def demonstrate(view: View) -> NDArray[np.float32]:
    """Set it down and let go."""
    return let_go_above(view, 0.022, 0.012, 0.006)


CONFIG = TaskConfig(
    TASKS["place_at"],
    {"feasible": feasible, "hand_empty": hand_empty, "absent": absent, "occupied": occupied},
    {"placed": placed},
    demonstrate,
)
