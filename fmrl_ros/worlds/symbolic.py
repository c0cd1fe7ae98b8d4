"""The symbolic tabletop: where each block is, which skills are feasible from there and what they do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fmrl_ros.worlds.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.world import Skill, World

HAND = "hand"
"""Location of the block in the gripper."""
TABLE = "table"
"""Location of a block that stands somewhere on the table, at none of the named places."""


class InfeasibleSkillError(ValueError):
    """A skill was applied in a state that does not allow it; the message names both."""


@dataclass(frozen=True)
class SymbolicState:
    """Where every block is.

    Attributes:
      world: The world, for the names that a location may have.
      locations: For each block ``hand``, ``table``, a place, a bowl or another block (it stands on that one).
    """

    world: World
    locations: Mapping[str, str]

    def __post_init__(self) -> None:
        valid = {HAND, TABLE, *self.bowls, *self.blocks, *self.places}
        if set(self.locations) != set(self.blocks):
            raise ValueError(f"locations must name exactly the blocks {', '.join(self.blocks)}")
        for block, location in self.locations.items():
            if location not in valid or location == block:
                raise ValueError(f"'{block}' cannot be at '{location}'; valid: {', '.join(sorted(valid))}")
        if sum(location == HAND for location in self.locations.values()) > 1:
            raise ValueError("the hand holds more than one block")

    @property
    def blocks(self) -> tuple[str, ...]:
        """Names of the blocks, in the world's order."""
        return self.world.names_of_kind("block")

    @property
    def bowls(self) -> tuple[str, ...]:
        """Names of the bowls, in the world's order."""
        return self.world.names_of_kind("bowl")

    @property
    def places(self) -> tuple[str, ...]:
        """Names of the places, in the world's order."""
        return self.world.names_of_kind("place")

    @cached_property
    def held(self) -> str | None:
        """The block in the hand, or None."""
        return next((b for b, location in self.locations.items() if location == HAND), None)

    def at(self, location: str) -> tuple[str, ...]:
        """Return the blocks at a location, in the world's order."""
        return tuple(b for b in self.blocks if self.locations[b] == location)

    def defines(self, skill: Skill) -> bool:
        """True if this symbolic world has a precondition and an effect for the skill."""
        if skill.name == "place_in":
            return skill.arguments[0] in self.bowls
        return skill.name in ("pick", "done", "refuse") or (skill.name == "place_at" and len(skill.arguments) == 1)

    def feasible(self, skill: Skill) -> bool:
        """True if `skill` can succeed from here. A place holds one block, a bowl any number.

        Raises:
          ValueError: If the symbolic world does not know the skill's name.
        """
        if not self.defines(skill):
            raise ValueError(f"the symbolic tabletop has no effect for skill '{skill.phrase}'")
        if skill.name == "pick":
            return self.held is None and not self.at(skill.arguments[0])
        if skill.name == "place_in":
            return self.held is not None
        if skill.name == "place_at":
            return self.held is not None and not self.at(skill.arguments[0])
        return True

    def achieved(self, skill: Skill) -> bool:
        """True if what `skill` leads to holds already, so that it need not be done."""
        return skill.name == "pick" and self.held == skill.arguments[0]

    def after(self, skill: Skill) -> SymbolicState:
        """Return the state that `skill` leads to when it succeeds.

        Raises:
          InfeasibleSkillError: If it is not feasible from here.
        """
        if not self.feasible(skill):
            raise InfeasibleSkillError(f"'{skill.phrase}' is not feasible when the state is {dict(self.locations)}")
        if skill.name == "pick":
            return self.moved(skill.arguments[0], HAND)
        if skill.name in ("place_in", "place_at") and self.held is not None:
            return self.moved(self.held, skill.arguments[0])
        return self

    def moved(self, block: str, location: str) -> SymbolicState:
        """Return the state with `block` at another location."""
        return SymbolicState(self.world, {**self.locations, block: location})

    def dropped(self) -> SymbolicState:
        """Return the state in which what was held has fallen on the table."""
        return self if self.held is None else self.moved(self.held, TABLE)

    def scene(self, stamp: float = 0.0, unseen: Iterable[str] = ()) -> Scene:
        """Return what perfect cameras would report, with nominal positions; `unseen` blocks are left out."""
        hidden = set(unseen)
        objects = tuple(
            SceneObject(o.name, o.kind, (0.5, 0.0, o.size[2] / 2), 0.0, o.size, 1.0)
            for o in self.world.objects
            if o.name not in hidden
        )
        relations = [self._relation(b, location) for b, location in self.locations.items() if b not in hidden]
        found = tuple(r for r in relations if r is not None)
        empty = tuple(Relation(b, "empty") for b in self.bowls if not self.at(b))
        clear = tuple(Relation(p, "clear") for p in self.places if not self.at(p))
        return Scene(stamp, objects, (*found, *empty, *clear))

    def _relation(self, block: str, location: str) -> Relation | None:
        if location == TABLE:
            return None
        if location == HAND:
            return Relation(block, "held")
        predicate = "in" if location in self.bowls else "at" if location in self.places else "on"
        return Relation(block, predicate, location)


def random_state(world: World, rng: np.random.Generator, holding: float = 0.15, on_table: float = 0.6) -> SymbolicState:
    """Draw a state.

    Args:
      world: The world.
      rng: Source of randomness.
      holding: Probability that the hand holds a block.
      on_table: Probability of each other block to stand on the table, at no named place.
    """
    locations: dict[str, str] = {}
    places = list(world.names_of_kind("place"))
    bowls = world.names_of_kind("bowl")
    blocks = world.names_of_kind("block")
    held = str(rng.choice(blocks)) if rng.random() < holding else None
    for block in blocks:
        draw = rng.random()
        if block == held:
            locations[block] = HAND
        elif draw < on_table:
            locations[block] = TABLE
        elif draw < on_table + (1 - on_table) / 2 and places:
            locations[block] = places.pop(int(rng.integers(len(places))))
        else:
            locations[block] = str(rng.choice(bowls))
    return SymbolicState(world, locations)
