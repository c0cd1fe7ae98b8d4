"""Put the block that is in the hand in a bowl or in the open drawer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.learning.skills.stage import SkillStart, Stage, skill
from fmrl_ros.learning.skills.task_config import Attempt, TaskConfig, View
from fmrl_ros.learning.skills.tasks.placing import empty_handed, let_go, let_go_above
from fmrl_ros.skills.task import TASKS

ABOVE_BOWL = 0.055
"""Height of the block's centre above a bowl's, or a drawer's bottom, when it is let go, m."""


def feasible(stage: Stage) -> SkillStart:
    """A block in the hand; the bowl is empty or holds one or two, or the drawer is open."""
    held, *others = stage.names("block")
    if stage.rng.random() < 0.3:
        drawer = stage.names("drawer")[0]
        stage.begin(stage.clutter(stage.layout(), (held,)), held, stage.rng.uniform(0.12, 0.14))
        return SkillStart(skill("place_in", drawer), held)
    bowl = stage.names("bowl")[0]
    layout = stage.clutter(stage.layout(), (held, bowl))
    if stage.rng.random() < 0.3:
        layout[others[0]] = stage.in_bowl(layout[bowl])
    stage.begin(layout, held)
    return SkillStart(skill("place_in", bowl), held)


def hand_empty(stage: Stage) -> SkillStart:
    """Nothing in the hand."""
    container = stage.names("bowl|drawer")[0]
    return empty_handed(stage, skill("place_in", container), (container,), stage.rng.uniform(0.12, 0.14))


def absent(stage: Stage) -> SkillStart:
    """The bowl is not there."""
    held, bowl = stage.names("block")[0], stage.names("bowl")[0]
    layout = stage.clutter(stage.layout(), (held, bowl))
    del layout[bowl]
    stage.begin(layout, held)
    return SkillStart(skill("place_in", bowl), held)


def drawer_closed(stage: Stage) -> SkillStart:
    """The drawer is closed, or hardly open."""
    held, drawer = stage.names("block")[0], stage.names("drawer")[0]
    stage.begin(stage.clutter(stage.layout(), (held,)), held, stage.rng.choice([0.0, stage.rng.uniform(0, 0.04)]))
    return SkillStart(skill("place_in", drawer), held)


def full(stage: Stage) -> SkillStart:
    """The bowl holds three blocks, one on another: there is no room for a fourth."""
    held, *others = stage.names("block")
    bowl = stage.names("bowl")[0]
    layout = stage.layout()
    for index, name in enumerate(others):
        layout[name] = layout[bowl] + np.array([0, 0, 0.03 + 0.0405 * index, 0])
        layout[name][3] = 0.0
    stage.begin(layout, held)
    return SkillStart(skill("place_in", bowl), held)


def contained(attempt: Attempt) -> float:
    """The block that was in the hand lies in the container, as does what lay there before."""
    container, simulation = attempt.skill.arguments[0], attempt.simulation
    inside = attempt.held and simulation.inside(attempt.held, container)
    kept = all(simulation.inside(name, container) for name in attempt.contained)
    return float(bool(inside) and kept and let_go(attempt))


def demonstrate(view: View) -> NDArray[np.float32]:
    """Let go above the container."""
    return let_go_above(view, view.goal.position[2] + ABOVE_BOWL, 0.02, 0.015)


CONFIG = TaskConfig(
    TASKS["place_in"],
    {
        "feasible": feasible,
        "hand_empty": hand_empty,
        "absent": absent,
        "drawer_closed": drawer_closed,
        "full": full,
    },
    {"contained": contained},
    demonstrate,
)
