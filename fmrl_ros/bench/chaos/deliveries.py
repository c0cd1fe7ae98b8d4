"""What the robot is told while something goes wrong: to bring a block into a bowl or to a place, in plain words."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fmrl_ros.bench.loop import LoopTask
from fmrl_ros.worlds.world import Skill, World

_IN_BOWL = (
    "put the {block} in the {bowl}",
    "place the {block} into the {bowl}",
    "the {block} goes in the {bowl}, please",
)
_AT_PLACE = ("move the {block} to the {place}", "put the {block} at the {place}", "bring the {block} to the {place}")


@dataclass(frozen=True)
class Delivery(LoopTask):
    """An instruction about a block and where it goes; the skills that carry it out."""

    block: str
    target: str
    skills: tuple[Skill, ...]


def deliveries(world: World, first_seed: int, count: int) -> Iterator[Delivery]:
    """Return `count` seeded deliveries, in a bowl and at a place in turn."""
    for seed, in_bowl in zip(range(first_seed, first_seed + count), itertools.cycle((True, False)), strict=False):
        rng = np.random.default_rng(seed)
        block = str(rng.choice(world.names_of_kind("block")))
        target = str(rng.choice(world.names_of_kind("bowl" if in_bowl else "place")))
        template = str(rng.choice(_IN_BOWL if in_bowl else _AT_PLACE))
        instruction = template.format(block=block, bowl=target, place=target)
        relation = "in" if in_bowl else "at"
        skills = (*world.options_for(("held", block)), *world.options_for((relation, block, target)))
        yield Delivery(seed, instruction, f"{block} {relation} {target}", block, target, skills)
