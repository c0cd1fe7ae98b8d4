"""Push the drawer shut."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.learning.skills.stage import SkillStart, Stage, skill
from fmrl_ros.learning.skills.task_config import CLOSE, Attempt, TaskConfig, View, come_down, over, rise, towards
from fmrl_ros.skills.task import DRAWER_CLOSED, TASKS

BEFORE = np.array([-0.034, 0.0, 0.006])
"""From the handle to where the closed fingers come down before it, m; lower, their pads catch under it."""

PUSHED = 0.376
"""Where the tool is, along x, when the drawer is in, m."""


def feasible(stage: Stage) -> SkillStart:
    """The drawer is open or half open, the hand empty."""
    layout = stage.clutter(stage.layout())
    stage.begin(layout, None, stage.rng.uniform(0.05, 0.14))
    return SkillStart(skill("close_drawer", stage.names("drawer")[0]), None)


def hand_full(stage: Stage) -> SkillStart:
    """A block is in the hand, and would be lost."""
    held = stage.names("block")[0]
    stage.begin(stage.clutter(stage.layout(), (held,)), held, stage.rng.uniform(0.05, 0.14))
    return SkillStart(skill("close_drawer", stage.names("drawer")[0]), held)


def already_closed(stage: Stage) -> SkillStart:
    """The drawer is in: there is nothing to close."""
    stage.begin(stage.clutter(stage.layout()), None, stage.rng.uniform(0.0, 0.01))
    return SkillStart(skill("close_drawer", stage.names("drawer")[0]), None)


def closed(attempt: Attempt) -> float:
    """The drawer is in, and was not before."""
    travel = np.linalg.norm(attempt.simulation.world.fixture(attempt.skill.arguments[0]).travel)
    shut, before = attempt.simulation.drawer < DRAWER_CLOSED * travel, attempt.drawer < DRAWER_CLOSED * travel
    return float(shut and not before and attempt.held is None)


def demonstrate(view: View) -> NDArray[np.float32]:
    """Come down before the handle, push, rise; the hand may hide the drawer meanwhile."""
    target = view.goal.position + BEFORE
    offset = target - view.tool
    low = view.tool[2] < view.goal.position[2] + 0.022
    if view.goal.state < DRAWER_CLOSED - 0.07 or (low and view.tool[0] > PUSHED):
        return towards(np.array([-0.01 if low else 0.0, 0.0, 0.17 - view.tool[2]]), CLOSE)
    if low:
        return towards(np.array([0.025, offset[1], offset[2]]), CLOSE)
    if abs(offset[1]) > 0.12:  # past the base at arm's length
        target[0] = max(target[0], 0.36)
    way = over(view, target, target[2] + 0.11, CLOSE)
    if way is not None:
        return way
    if np.linalg.norm(offset[:2]) > 0.025:
        return rise(view, CLOSE)
    return come_down(offset, CLOSE)


CONFIG = TaskConfig(
    TASKS["close_drawer"],
    {"feasible": feasible, "hand_full": hand_full, "already_closed": already_closed},
    {"closed": closed},
    demonstrate,
)
