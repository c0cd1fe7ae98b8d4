"""What a written kitchen request asks for, read from its meaning in the words of explanations.

Bars stand between several things or kinds that will do: ``drink, not soda to user``, ``coke can|pepsi can to user``,
``cup to table; bowl to table``, ``fork: none``. See `meaning/explanation.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from fmrl_ros.meaning.explanation import (
    CLOSE,
    FIND,
    GO,
    HELD,
    OPEN,
    PICK,
    PUT_DOWN,
    Act,
    Impossible,
    Transfer,
    names_of,
    parse,
)
from fmrl_ros.meaning.kitchen_goals import Delivery, KitchenGoal
from fmrl_ros.worlds.names import kind_of
from fmrl_ros.worlds.symbolic import SymbolicState

_QUANTITY = re.compile(r"(?:(all|\d) )?(different )?(.*)")


class NotHereError(ValueError):
    """What a request is about is not in this kitchen, or not so that it makes sense; the message says what."""


def goal_of(meaning: str, start: SymbolicState) -> KitchenGoal:
    """Return the condition that a request's meaning puts on the kitchen.

    Raises:
      NotHereError: If it names a thing or kind that is not there; names it, and what is.
      ValueError: If it is no meaning, or names a place that the kitchen has not; names the part.
    """
    goal = KitchenGoal()
    for part in parse(meaning, [place.name for place in start.world.places]):
        if isinstance(part, Impossible):
            goal = replace(goal, impossible=True, missing=part.missing)
        elif isinstance(part, Act):
            goal = _VERBS[part.verb](goal, part.what, start)
        elif isinstance(part, Transfer):
            goal = replace(goal, deliveries=(*goal.deliveries, _delivery(part, start)))
        else:
            valid = ", ".join(place.name for place in start.world.places)
            raise ValueError(f"'{part}' does not end with 'to' and a place of the kitchen; valid: {valid}")
    return goal


def _delivery(part: Transfer, start: SymbolicState) -> Delivery:
    if part.beside:
        return Delivery(_candidates(part.listed, start), _place_of(part, start), beside=part.beside)
    found = _QUANTITY.fullmatch(part.listed)
    number, different, kinds = found.groups() if found else (None, None, part.listed)
    count = None if number == "all" else int(number or 1)
    names = _candidates(kinds, start)
    one_thing = "|" in kinds or (not number and kinds in {kind_of(name) for name in start.locations})
    return Delivery(names, part.place, count, "" if one_thing else kinds, different=bool(different))


def _place_of(part: Transfer, start: SymbolicState) -> str:
    """Return where the things are beside which others are to be put."""
    places = {start.locations[name] for name in _candidates(part.beside, start)}
    if len(places) > 1 or not places <= set(start.world.names_of_kind("surface")):
        raise NotHereError(f"'{part.beside}' is not at one place on which '{part.listed}' could be put")
    return places.pop()


def _place(name: str, start: SymbolicState) -> str:
    """Return the place's name. Raises ValueError, with those that there are, if there is none of that name."""
    valid = [place.name for place in start.world.places]
    if name not in valid:
        raise ValueError(f"no place of the kitchen is '{name}'; valid: {', '.join(valid)}")
    return name


def _candidates(kinds: str, start: SymbolicState) -> tuple[str, ...]:
    """Return the things that will do. Raises NotHereError if there is none."""
    several = [_of_kind(kind, start) for kind in kinds.split("|")]
    names = tuple(name for name in start.locations if any(name in each for each in several))
    if not names:
        raise NotHereError(f"nothing in this scene is '{kinds}'; here is {', '.join(start.locations)}")
    return names


def _of_kind(kind: str, start: SymbolicState) -> set[str]:
    first, *more = kind.split(", ")
    found = _named(first, start)
    for condition in more:
        word, _, other = condition.partition(" ")
        if word not in ("not", "also"):
            raise ValueError(f"'{condition}' begins neither with 'not' nor with 'also'")
        found = {"not": found.difference, "also": found.intersection}[word](_named(other, start))
    return found


def _named(kind: str, start: SymbolicState) -> set[str]:
    if kind == HELD:
        return {start.held} if start.held else set()
    if kind.startswith("at "):
        return set(start.at(kind.removeprefix("at ")))
    return {name for name in start.locations if kind in names_of(name, start.world)}


_VERBS: dict[str, Callable[[KitchenGoal, str, SymbolicState], KitchenGoal]] = {
    OPEN: lambda goal, drawer, start: replace(goal, opened=(*goal.opened, _place(drawer, start))),
    CLOSE: lambda goal, drawer, start: replace(
        goal, closed=(*goal.closed, _place(drawer, start)), opened=tuple(d for d in goal.opened if d != drawer)
    ),
    GO: lambda goal, place, start: replace(goal, robot_at=_place(place, start)),
    FIND: lambda goal, kinds, start: replace(goal, find=_candidates(kinds, start)),
    PICK: lambda goal, kinds, start: replace(goal, hold=_candidates(kinds, start)),
    PUT_DOWN: lambda goal, nothing, start: replace(goal, release=True),
}
