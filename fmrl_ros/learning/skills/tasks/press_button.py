"""Press the button, which switches its lamp."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.learning.skills.stage import SkillStart, Stage, skill
from fmrl_ros.learning.skills.task_config import CLOSE, OPEN, Attempt, TaskConfig, View, over, rise, towards
from fmrl_ros.skills.task import LIFTED, TASKS

PRESSED = 0.004
"""How far below the button's top the tool is when the button is pressed, m."""
FIRM = 0.008
"""How far ahead of the tool the command is, downwards, when the button is pressed although the tool seems higher, m."""


def feasible(stage: Stage) -> SkillStart:
    """The hand is empty, the button free."""
    stage.begin(stage.clutter(stage.layout()))
    return SkillStart(skill("press_button", stage.names("button")[0]), None)


def hand_full(stage: Stage) -> SkillStart:
    """A block is in the hand, and would be lost."""
    held = stage.names("block")[0]
    stage.begin(stage.clutter(stage.layout(), (held,)), held)
    return SkillStart(skill("press_button", stage.names("button")[0]), held)


def pressed(attempt: Attempt) -> float:
    """The lamp is switched, once."""
    return float(attempt.simulation.lamp != attempt.lamp and attempt.held is None)


def demonstrate(view: View) -> NDArray[np.float32]:
    """Press with closed fingers, open them as a sign that it is done, rise; from above, try again if need be."""
    if view.goal.state > 0.5 or view.hand_open:
        if view.goal.state < 0.5 and view.tool[2] > LIFTED:
            return towards(np.zeros(3), CLOSE)
        return rise(view, OPEN)
    way = over(view, view.goal.position, LIFTED, CLOSE)
    if way is not None:
        return way
    offset = view.goal.position - view.tool
    if offset[2] > PRESSED or (offset[2] > 0.001 and view.lag[2] < -FIRM):
        return rise(view, OPEN)
    return towards(np.array([offset[0], offset[1], min(offset[2] - 0.006, -0.01)]), CLOSE)


CONFIG = TaskConfig(
    TASKS["press_button"],
    {"feasible": feasible, "hand_full": hand_full},
    {"pressed": pressed},
    demonstrate,
)
