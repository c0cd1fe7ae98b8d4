"""Push a block over the table, a given way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.learning.skills.stage import SkillStart, Stage, skill
from fmrl_ros.learning.skills.task_config import CLOSE, Attempt, TaskConfig, View, come_down, over, rise, towards
from fmrl_ros.skills.control import REGION
from fmrl_ros.skills.task import PUSH_DISTANCE, TASKS

BACK = 0.06
"""From the block's centre back to where the closed fingers come down, m."""
HEIGHT = 0.022
"""Of the tool while it pushes, m."""
LEAD = 0.035
"""How far the commanded tool runs ahead of the measured one, m: a harder push jams the block against the table."""
CONTACT = 0.038
"""From where the block shall be to the fingers that push it when they stop, m."""
DEVIATION = 0.04
"""How far from where it should be a pushed block may end, across and along, m."""
_FREE = 0.11
"""From the block's way to the middle of anything else, m."""
_BESIDE_CABINET = np.array([0.35, 0.26])
"""A tool that is beyond both of these x and y while it is low has its hand, which is wide, in the cabinet, m."""
_NEAREST = 0.33
"""So near its own base the arm is folded, and swings where it should not, m."""


def _draw(stage: Stage, keep: tuple[str, ...]) -> tuple[str, str, dict[str, NDArray[np.float64]], bool]:
    """Return a block, a way, a layout, and whether the way is free and within reach."""
    block = next(name for name in stage.names("block") if name not in keep)
    way = stage.names("way")[0]
    layout = stage.clutter(stage.layout(), (block, *keep))
    along = stage.simulation.world.direction(way)
    start = layout[block][:2]
    path = [start + reach * along for reach in np.linspace(-BACK - 0.02, PUSH_DISTANCE + 0.02, 7)]
    others = [pose[:2] for name, pose in layout.items() if name not in (block, *keep)]
    free = all(np.linalg.norm(point - other) > _FREE for point in path for other in others)
    return block, way, layout, free and all(map(_within_reach, path))


def _within_reach(point: NDArray[np.float64]) -> bool:
    """True if the tool may be at a point, shape [2], m, while it is low."""
    inside = (REGION[0, :2] + 0.02 < point).all() and (point < REGION[1, :2] - 0.02).all()
    return bool(inside and np.linalg.norm(point) > _NEAREST and not (point > _BESIDE_CABINET).all())


def feasible(stage: Stage) -> SkillStart:
    """The way is free, the hand empty."""
    while True:
        block, way, layout, free = _draw(stage, ())
        if free:
            stage.begin(layout)
            return SkillStart(skill("push", block, way), None)


def blocked(stage: Stage) -> SkillStart:
    """A bowl or a block stands in the way, or where the hand must go; or the cabinet does."""
    block, way, layout, _ = _draw(stage, ())
    if stage.rng.random() < 0.25:
        layout[block] = stage.spot((0.53, 0.29), 0.03) + np.array([stage.rng.uniform(-0.06, 0.06), 0, 0, 0])
        stage.begin(layout)
        return SkillStart(skill("push", block, way), None)
    others = [name for name in layout if name != block]
    other = others[int(stage.rng.integers(len(others)))]
    along = stage.simulation.world.direction(way)
    gap = 0.10 if "bowl" in other else 0.055
    reach = stage.rng.choice([-1.0, 1.0]) * stage.rng.uniform(gap, gap + 0.02)
    layout[other] = stage.spot(layout[block][:2] + reach * along, 0.008)
    stage.begin(layout)
    return SkillStart(skill("push", block, way), None)


def absent(stage: Stage) -> SkillStart:
    """The block is not there."""
    block, way, layout, _ = _draw(stage, ())
    del layout[block]
    stage.begin(layout)
    return SkillStart(skill("push", block, way), None)


def hand_full(stage: Stage) -> SkillStart:
    """The hand holds another block."""
    held = stage.names("block")[0]
    block, way, layout, _ = _draw(stage, (held,))
    stage.begin(layout, held)
    return SkillStart(skill("push", block, way), held)


def already_held(stage: Stage) -> SkillStart:
    """The block itself is in the hand."""
    held = stage.names("block")[0]
    stage.begin(stage.clutter(stage.layout(), (held,)), held)
    return SkillStart(skill("push", held, stage.names("way")[0]), held)


def moved(attempt: Attempt) -> float:
    """The block lies on the table where it was meant to go, and nothing else was pushed aside."""
    name, way = attempt.skill.arguments
    simulation = attempt.simulation
    if attempt.held is not None or name not in attempt.before:
        return 0.0
    target = attempt.before[name][:2] + PUSH_DISTANCE * simulation.world.direction(way)
    return float(simulation.near(name, target, DEVIATION) and attempt.undisturbed(name))


def demonstrate(view: View) -> NDArray[np.float32]:
    """Come down behind the block, push it there ever more slowly, back off, rise."""
    to_go = view.goal.position[:2] - view.subject[:2]
    along = to_go / max(float(np.linalg.norm(to_go)), 1e-6)
    across = np.array([-along[1], along[0]])
    offset = view.subject[:2] - view.tool[:2]
    behind, aside = float(offset @ along), float(offset @ across)
    low = view.tool[2] < HEIGHT + 0.02
    leave = towards(np.array([*(-0.012 * along), 0.03]), CLOSE) if low else rise(view, CLOSE)
    if view.goal.state > 0.8:
        return leave
    if low and abs(aside) < 0.018 and behind > -PUSH_DISTANCE:  # past it: the hand hides that the block has moved
        remaining = float((view.goal.position[:2] - view.tool[:2]) @ along) - CONTACT
        if remaining < 0.004:
            return leave
        pace = min(float(np.clip(0.4 * remaining, 0.007, 0.02)), LEAD - float(view.lag[:2] @ along))
        step = pace * along + 0.8 * aside * across
        if behind > CONTACT and abs(view.tool[2] - HEIGHT) > 0.006:
            step = np.zeros(2)  # fingers that still sink press the block down
        return towards(np.array([*step, 0.5 * (HEIGHT - view.tool[2])]), CLOSE)
    target = np.array([*(view.subject[:2] - BACK * along), HEIGHT])
    way = over(view, target, 0.12, CLOSE)
    if way is not None:
        return way
    if np.linalg.norm(target[:2] - view.tool[:2]) > 0.025:
        return leave
    return come_down(target - view.tool, CLOSE)


CONFIG = TaskConfig(
    TASKS["push"],
    {
        "feasible": feasible,
        "blocked": blocked,
        "absent": absent,
        "hand_full": hand_full,
        "already_held": already_held,
    },
    {"moved": moved},
    demonstrate,
)
