"""The choice that is timed: the steps of one plan in a kitchen, and as many options as asked for."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from fmrl_ros.planning.choice import ENDINGS
from fmrl_ros.planning.context import context
from fmrl_ros.planning.prompt import Transcript
from fmrl_ros.worlds.kitchen import start_state, with_objects
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import DONE, Skill, World

INSTRUCTION = "bring me the sponge and put the apple on the table"
EXPLANATION = "hand: empty; sponge to user; apple to table"
STEPS = ("find the sponge", "pick up the sponge", "bring it to you", "find the apple", "pick up the apple")
START: dict[str, Any] = {
    "robot_at": "user",
    "objects": {
        "coke can": "table", "water bottle": "far counter", "apple": "close counter", "sponge": "far counter",
        "rice chips": "close counter", "energy bar": "table", "tea": "close counter", "7up can": "table",
    },
}  # fmt: skip
MOST = 2_500
"""More options are not measured."""


def options_of(world: World, count: int) -> list[Skill]:
    """Return the first `count` options of a kitchen with enough things; `STEPS` are always among them."""
    names = [o.name for o in world.objects]
    numbers = range(4, 4 + min(count, MOST) // 100)
    large = with_objects(world, dict.fromkeys(f"{name} {n}" for name in names[:8] for n in numbers))
    wanted = [s for s in large.options if s.phrase in STEPS]
    rest = [s for s in large.options if s not in wanted and s != DONE]
    least = len(wanted) + len(ENDINGS)
    if not least <= count <= MOST:
        raise ValueError(f"{least} to {MOST} options can be scored, not {count}")
    spread = np.linspace(0, len(rest) - 1, count - len(wanted) - len(ENDINGS)).astype(int)
    return [*wanted, *(rest[i] for i in spread), *ENDINGS]


def prompts(world: World, everything: bool) -> list[tuple[str, SymbolicState]]:
    """Return the prompts of a plan's steps and the states they are asked in."""
    places = itertools.cycle(world.names_of_kind("surface"))
    there = {o.name: next(places) for o in world.objects} if everything else {}
    state = start_state(world, START | {"objects": there | START["objects"]})
    transcript = Transcript(INSTRUCTION, context(state.world, state.scene()))
    transcript.add_explanation(EXPLANATION)
    found = []
    for phrase in STEPS:
        found.append((transcript.prompt, state))
        skill = state.world.skill(phrase)
        transcript.add_skill(skill)
        state = state.after(skill)
    return found
