"""Every goal that says the same with other things: "a bowl, not the red one" is any of the other three."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fmrl_ros.meaning.description import KnownThings
from fmrl_ros.meaning.goal import MATCHING, Description, Goal, Part, Slot, Statement
from fmrl_ros.worlds.names import kind_of
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import World

MOST = 2000
"""More alternatives are not looked at."""


def alternatives(goal: Goal, world: World, scene: Scene | None = None) -> Iterator[Goal]:
    """Yield a goal with all things that its descriptions mean, at most `MOST` of them; the goal itself first.

    Args:
      goal: What was said.
      world: Says what there is.
      scene: Says what was so when it was said; None takes every description of a state as met.
    """
    things = KnownThings(world, scene)
    yield goal
    choices = [_parts(part, things, world) for part in goal.parts]
    yield from (Goal(parts) for parts in itertools.islice(itertools.product(*choices), MOST))


def _parts(part: Part, things: KnownThings, world: World) -> list[Part]:
    if not isinstance(part, Statement):
        return [part]
    kinds = next(p.arguments for p in world.predicates if p.name == part.form.predicate)
    filled: list[tuple[Slot, ...]] = [()]
    for name, slot in zip(part.form.slots, part.slots, strict=True):
        filled = [(*before, each) for before in filled for each in _slots(slot, things, kinds[name], before)]
    statements = (replace(part, slots=slots) for slots in filled)
    return [statement for statement in statements if _can_be(statement, world)]


def _can_be(statement: Statement, world: World) -> bool:
    """True if what is said can be: nothing is on itself."""
    return all(world.domain.fits(fact) for fact, _ in statement.literals if "" not in fact)


def _slots(slot: Slot, things: KnownThings, kinds: str, before: Sequence[Slot]) -> Iterator[Slot]:
    """Yield a slot with every choice of names that its description admits beside those of the slots before."""
    if slot.asked is None:
        yield slot
        return
    meant = things.meant(slot.asked, things.of_kinds(kinds))
    several = before[0].names if before else ()
    for names in _choices(slot.asked, meant, len(slot.names), several, things):
        yield replace(slot, names=names)


def _choices(
    asked: Description, meant: Sequence[str], count: int, several: Sequence[str], things: KnownThings
) -> Iterator[tuple[str, ...]]:
    if asked.relation.endswith(MATCHING):
        yield from itertools.product(*(things.matching(name, meant, asked.relation == MATCHING) for name in several))
    elif several:
        named = itertools.permutations(meant, count)
        yield from (names for names in named if not asked.different or len({*map(kind_of, names)}) == count)
    else:
        yield from itertools.combinations(meant, count)
