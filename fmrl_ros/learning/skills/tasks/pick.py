"""Take a block in the hand and lift it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.learning.skills.stage import SkillStart, Stage, skill
from fmrl_ros.learning.skills.task_config import CLOSE, OPEN, Attempt, TaskConfig, View, come_down, rise, towards
from fmrl_ros.skills.task import FINGERS_OPEN, TASKS

GRASP_HEIGHT = 0.020


def feasible(stage: Stage) -> SkillStart:
    """A block on the table, at a place or on another block; the hand empty."""
    block, other = stage.names("block")[:2]
    layout = stage.layout()
    draw = stage.rng.random()
    if draw < 0.3:
        places = stage.simulation.world.places
        layout[block] = stage.spot(places[int(stage.rng.integers(len(places)))].position, 0.03)
    elif draw < 0.45:
        layout[block] = stage.upon(layout[other])
        stage.begin(stage.clutter(layout, (block, other)))
        return SkillStart(skill("pick", block), None)
    stage.begin(stage.clutter(layout, (block,)))
    return SkillStart(skill("pick", block), None)


def absent(stage: Stage) -> SkillStart:
    """The block is not there."""
    block = stage.names("block")[0]
    layout = stage.clutter(stage.layout(), (block,))
    del layout[block]
    stage.begin(layout)
    return SkillStart(skill("pick", block), None)


def hand_full(stage: Stage) -> SkillStart:
    """The hand holds another block."""
    block, held = stage.names("block")[:2]
    stage.begin(stage.clutter(stage.layout(), (block, held)), held)
    return SkillStart(skill("pick", block), held)


def already_held(stage: Stage) -> SkillStart:
    """The hand holds this very block: there is nothing to pick up."""
    block = stage.names("block")[0]
    stage.begin(stage.clutter(stage.layout(), (block,)), block)
    return SkillStart(skill("pick", block), block)


def out_of_reach(stage: Stage) -> SkillStart:
    """The block lies beyond the region that the tool may enter."""
    block = stage.names("block")[0]
    layout = stage.clutter(stage.layout(), (block,))
    layout[block] = stage.spot((stage.rng.uniform(0.83, 0.92), stage.rng.uniform(-0.5, 0.3)), 0.0)
    stage.begin(layout)
    return SkillStart(skill("pick", block), None)


def in_bowl(stage: Stage) -> SkillStart:
    """The block lies beside another in a bowl: no finger fits between them, nor between it and the wall."""
    block, other = stage.names("block")[:2]
    layout = stage.clutter(stage.layout(), (block, other))
    bowl = layout[stage.names("bowl")[0]]
    along, across = stage.rng.uniform(-0.006, 0.006), stage.rng.uniform(0.021, 0.025) * stage.rng.choice([-1, 1])
    for name, side in ((block, across), (other, -across)):
        layout[name] = np.array([bowl[0] + along, bowl[1] + side, 0.045, stage.rng.uniform(-0.05, 0.05)])
    stage.begin(layout)
    return SkillStart(skill("pick", block), None)


def blocked(stage: Stage) -> SkillStart:
    """A block stands where a finger must go, or one stands on either side."""
    block, *others = stage.names("block")
    sides = stage.rng.permutation([-1, 1])[: int(stage.rng.integers(1, 3))]
    layout = stage.clutter(stage.layout(), (block, *others[: len(sides)]))
    for other, side in zip(others, sides, strict=False):
        layout[other] = stage.next_to(layout[block], side * stage.rng.uniform(0.041, 0.044))
    stage.begin(layout)
    return SkillStart(skill("pick", block), None)


def under_another(stage: Stage) -> SkillStart:
    """Another block stands on it."""
    block, other = stage.names("block")[:2]
    layout = stage.clutter(stage.layout(), (block, other))
    layout[other] = stage.upon(layout[block])
    stage.begin(layout)
    return SkillStart(skill("pick", block), None)


def lifted(attempt: Attempt) -> float:
    """The block is in the hand and off the table, was not before, and nothing stood on it that fell."""
    name = attempt.skill.arguments[0]
    free = attempt.held is None and not any(_stood_on(attempt, other, name) for other in attempt.before)
    return float(free and attempt.simulation.held(name) and attempt.simulation.pose(name)[2] > 0.05)


def _stood_on(attempt: Attempt, other: str, name: str) -> bool:
    offset = attempt.before[other] - attempt.before[name]
    return bool(other != name and np.linalg.norm(offset[:2]) < 0.03 and 0.03 < offset[2] < 0.05)


def dropped(attempt: Attempt) -> bool:
    """The hand was full and let go in order to pick something else up."""
    return attempt.held is not None and attempt.holding != attempt.held


def demonstrate(view: View) -> NDArray[np.float32]:
    """Come down on the block with open fingers, close them, rise; from a failed grasp, rise open and try again."""
    offset = view.goal.position - view.tool
    across = float(np.linalg.norm(offset[:2]))
    if view.held == view.goal.name:
        return rise(view, CLOSE)
    grasp = max(GRASP_HEIGHT, view.goal.position[2])
    if across > 0.012 and view.tool[2] > grasp + 0.03:
        height = max(grasp - view.tool[2], view.goal.position[2] + 0.09 - view.tool[2])
        return towards(np.array([offset[0], offset[1], height * np.clip(1.2 - across / 0.25, 0.2, 1.0)]), OPEN)
    return _grasp_open(view, offset, grasp) if view.hand_open else _grasp_closed(view, offset, grasp)


def _grasp_open(view: View, offset: NDArray[np.float64], grasp: float) -> NDArray[np.float32]:
    """Come down to the height of the grasp, m, and close the fingers there."""
    down = grasp - view.tool[2]
    if abs(down) <= 0.01 and view.width >= FINGERS_OPEN:
        return towards(np.zeros(3), CLOSE)
    if view.width < FINGERS_OPEN - 0.02:  # the fingers must open above the block
        return towards(np.array([0, 0, max(0.0, grasp + 0.06 - view.tool[2])]), OPEN)
    return come_down(np.array([offset[0], offset[1], down - 0.006]), OPEN)


def _grasp_closed(view: View, offset: NDArray[np.float64], grasp: float) -> NDArray[np.float32]:
    """Go on closing, or open again where the fingers closed on nothing, on another block, or above this one."""
    if view.width < 0.012 or view.held:
        return towards(np.array([0, 0, 0.08]), OPEN)
    if view.tool[2] > grasp + 0.03:
        return towards(np.array([offset[0], offset[1], 0.0]), OPEN)
    return towards(np.zeros(3), CLOSE)


CONFIG = TaskConfig(
    TASKS["pick"],
    {
        "feasible": feasible,
        "absent": absent,
        "hand_full": hand_full,
        "already_held": already_held,
        "out_of_reach": out_of_reach,
        "blocked": blocked,
        "in_bowl": in_bowl,
        "under_another": under_another,
    },
    {"lifted": lifted},
    demonstrate,
    {"dropped": dropped},
)
