"""What the three skills that put a block down have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.learning.skills.stage import SkillStart, Stage
from fmrl_ros.learning.skills.task_config import CLOSE, OPEN, Attempt, View, over, rise, towards
from fmrl_ros.skills.task import FINGERS_OPEN
from fmrl_ros.worlds.world import Skill

CRUISE = 0.09
"""Height of the tool above the release point on its way there, m."""


def let_go_above(view: View, release: float, across: float, above: float) -> NDArray[np.float32]:
    """Carry the held block above the goal, down to `release` m of its centre above the table, let go, rise.

    It is let go within `across` m of the goal and `above` m of that height.
    """
    if view.hand_open:
        if view.width < FINGERS_OPEN:
            return towards(np.zeros(3), OPEN)
        return rise(view, OPEN, max(0.17, view.goal.position[2] + 0.13))
    grip = view.tool - view.subject if view.held else np.zeros(3)
    target = np.array([*view.goal.position[:2], release]) + grip
    way = over(view, target, target[2] + CRUISE, CLOSE)
    if way is not None:
        return way
    offset = target - view.tool
    if offset[2] < -above or np.linalg.norm(offset[:2]) > across:
        offset[2] = offset[2] if np.linalg.norm(offset[:2]) < 1.5 * across else max(offset[2], -0.01)
        return towards(np.array([0.6, 0.6, 1.0 if offset[2] < -0.04 else 0.5]) * offset, CLOSE)  # actions arrive late
    return towards(np.array([0.0, 0.0, 0.01]), OPEN)


def empty_handed(stage: Stage, skill: Skill, keep: tuple[str, ...] = (), drawer: float = 0.0) -> SkillStart:
    """Nothing is in the hand."""
    stage.begin(stage.clutter(stage.layout(), keep), None, drawer)
    return SkillStart(skill, None)


def let_go(attempt: Attempt) -> bool:
    """True if there was a block in the hand, and no longer is."""
    return attempt.held is not None and not attempt.simulation.held(attempt.held)
