"""Put the block that is in the hand on another: a stack, up to four high."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.learning.skills.stage import SkillStart, Stage, skill
from fmrl_ros.learning.skills.task_config import Attempt, TaskConfig, View
from fmrl_ros.learning.skills.tasks.placing import empty_handed, let_go, let_go_above
from fmrl_ros.skills.task import TASKS

ABOVE_BLOCK = 0.043
"""Height of the block's centre above that of the block below when it is let go, m."""


def feasible(stage: Stage) -> SkillStart:
    """A block in the hand; the other stands on the table, or on top of a stack of two or three."""
    held, target, *others = stage.names("block")
    layout = stage.layout()
    if stage.rng.random() < 0.3:
        places = stage.simulation.world.places
        layout[others[0]] = stage.spot(places[int(stage.rng.integers(len(places)))].position, 0.02)
    below = list(others[: int(stage.rng.integers(3))])
    for low, high in zip(below, [*below, target][1:], strict=True):
        layout[high] = stage.upon(layout[low])
    stage.begin(stage.clutter(layout, (held, target, *others)), held)
    return SkillStart(skill("place_on", target), held)


def hand_empty(stage: Stage) -> SkillStart:
    """Nothing in the hand."""
    target = stage.names("block")[0]
    return empty_handed(stage, skill("place_on", target), (target,))


def absent(stage: Stage) -> SkillStart:
    """The block to stand on is not there."""
    held, target = stage.names("block")[:2]
    layout = stage.clutter(stage.layout(), (held, target))
    del layout[target]
    stage.begin(layout, held)
    return SkillStart(skill("place_on", target), held)


def occupied(stage: Stage) -> SkillStart:
    """Another block stands on it already."""
    held, target, other = stage.names("block")[:3]
    layout = stage.clutter(stage.layout(), (held, target, other))
    layout[other] = stage.upon(layout[target])
    stage.begin(layout, held)
    return SkillStart(skill("place_on", target), held)


def on_itself(stage: Stage) -> SkillStart:
    """The block to stand on is the one in the hand."""
    held = stage.names("block")[0]
    stage.begin(stage.clutter(stage.layout(), (held,)), held)
    return SkillStart(skill("place_on", held), held)


def stacked(attempt: Attempt) -> float:
    """The block that was in the hand rests on the other."""
    target = attempt.skill.arguments[0]
    if attempt.held is None or attempt.held == target:
        return 0.0
    return float(let_go(attempt) and attempt.simulation.on(attempt.held, target))


def demonstrate(view: View) -> NDArray[np.float32]:
    """Let go just above the block below."""
    return let_go_above(view, view.goal.position[2] + ABOVE_BLOCK, 0.006, 0.008)


CONFIG = TaskConfig(
    TASKS["place_on"],
    {
        "feasible": feasible,
        "hand_empty": hand_empty,
        "absent": absent,
        "occupied": occupied,
        "on_itself": on_itself,
    },
    {"stacked": stacked},
    demonstrate,
)
