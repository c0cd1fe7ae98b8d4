"""Pull the drawer open by its handle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.learning.skills.stage import SkillStart, Stage, skill
from fmrl_ros.learning.skills.task_config import CLOSE, Attempt, TaskConfig, View, come_down, over, rise, towards
from fmrl_ros.skills.task import DRAWER_OPEN, TASKS

BEHIND = np.array([0.024, 0.0, 0.004])
"""From the handle to where the closed fingers pull, between it and the drawer's front, m."""

ON_TOP = 0.03
"""How far ahead of the tool the command is, downwards, when the fingers stand on the front, m: a drawer that is hardly
open looks closed. Then they slide towards the robot until they drop behind the handle."""

PULLED = 0.283
"""Where the tool is, along x, when the drawer is out, m."""


def feasible(stage: Stage) -> SkillStart:
    """The drawer is closed or half open, the hand empty; what stands where the drawer goes can be pushed aside."""
    layout = stage.clutter(stage.layout())
    if stage.rng.random() < 0.2:
        handle = stage.simulation.world.fixture(stage.names("drawer")[0]).position
        bowl, block = stage.names("bowl")[0], stage.names("block")[0]
        if stage.rng.random() < 0.5:
            layout[bowl] = stage.spot((handle[0] - 0.08, handle[1]), 0.01)
        else:
            layout[block] = np.array([handle[0] + 0.024, handle[1] + stage.rng.uniform(-0.015, 0.015), 0.02, 0.0])
    stage.begin(layout, None, stage.rng.choice([0.0, stage.rng.uniform(0, 0.07)]))
    return SkillStart(skill("open_drawer", stage.names("drawer")[0]), None)


def hand_full(stage: Stage) -> SkillStart:
    """A block is in the hand, and would not fit behind the handle."""
    held = stage.names("block")[0]
    stage.begin(stage.clutter(stage.layout(), (held,)), held)
    return SkillStart(skill("open_drawer", stage.names("drawer")[0]), held)


def already_open(stage: Stage) -> SkillStart:
    """The drawer is out: there is nothing to open."""
    stage.begin(stage.clutter(stage.layout()), None, stage.rng.uniform(0.115, 0.14))
    return SkillStart(skill("open_drawer", stage.names("drawer")[0]), None)


def opened(attempt: Attempt) -> float:
    """The drawer is out, and was not before."""
    travel = np.linalg.norm(attempt.simulation.world.fixture(attempt.skill.arguments[0]).travel)
    out, before = attempt.simulation.drawer > DRAWER_OPEN * travel, attempt.drawer > DRAWER_OPEN * travel
    return float(out and not before and attempt.held is None)


def demonstrate(view: View) -> NDArray[np.float32]:
    """Come down behind the handle, pull, let the handle free, rise; the hand may hide the drawer meanwhile."""
    target = view.goal.position + BEHIND
    offset = target - view.tool
    low = view.tool[2] < view.goal.position[2] + 0.02
    if view.goal.state > DRAWER_OPEN + 0.12 or (low and view.tool[0] < PULLED):
        return _leave(view, low)
    if low:
        return towards(np.array([-0.025, offset[1], offset[2]]), CLOSE)
    if _stands_on_front(view, offset):
        return towards(np.array([-0.012, offset[1], 0.0]), CLOSE)
    way = over(view, target, target[2] + 0.11, CLOSE)
    if way is not None:
        return way
    if np.linalg.norm(offset[:2]) > 0.02:
        return rise(view, CLOSE)
    return come_down(offset, CLOSE)


def _leave(view: View, low: bool) -> NDArray[np.float32]:
    """Let the handle free, then rise."""
    return towards(np.array([0.012, 0.0, 0.012]) if low else np.array([0.0, 0.0, 0.17 - view.tool[2]]), CLOSE)


def _stands_on_front(view: View, offset: NDArray[np.float64]) -> bool:
    """True if the fingers press on the drawer's front instead of coming down behind its handle."""
    return bool(np.abs(offset[:2]).max() < 0.05 and offset[2] > -0.08 and view.lag[2] < -ON_TOP)


CONFIG = TaskConfig(
    TASKS["open_drawer"],
    {"feasible": feasible, "hand_full": hand_full, "already_open": already_open},
    {"opened": opened},
    demonstrate,
)
