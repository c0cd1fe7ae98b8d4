"""Kitchen requests written one by one, beside those of the generator, each with what it asks for.

What a request asks for stands in the words of explanations (`planning/explanation.py`), with bars between several
things or kinds that will do: ``drink, not soda to user``, ``cup to table; bowl to table``, ``fork: none``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import yaml

from fmrl_ros.planning.explanation import HELD, NO_SKILL, NONE, names_of
from fmrl_ros.planning.kitchen_goals import Delivery, KitchenGoal
from fmrl_ros.planning.kitchen_instructions import KitchenTask
from fmrl_ros.worlds.kitchen import KitchenState, start_state
from fmrl_ros.worlds.world import World

REQUESTS = Path(__file__).with_name("kitchen_written.yaml")
_QUANTITY = re.compile(r"(?:(all|\d) )?(different )?(.*)")


def written_tasks(world: World, split: str, file: Path = REQUESTS) -> list[KitchenTask]:
    """Return the written requests of a split, ``dev`` or ``test``, in the order of the file.

    Raises:
      ValueError: If one of them asks for what its scene has not; names it.
    """
    tree = yaml.safe_load(file.read_text(encoding="utf-8"))
    starts = {name: start_state(world, scene) for name, scene in tree["scenes"].items()}
    return [
        KitchenTask("written", said, starts[scene], goal_of(meaning, starts[scene]))
        for scene, requests in tree[split].items()
        for said, meaning in requests.items()
    ]


def goal_of(meaning: str, start: KitchenState) -> KitchenGoal:
    """Return the condition that a request's meaning puts on the kitchen.

    Raises:
      ValueError: If it names a thing, kind or place that the kitchen has not; names the part.
    """
    goal = KitchenGoal()
    for part in meaning.split("; "):
        if part == NO_SKILL or part.endswith(f": {NONE}"):
            goal = replace(goal, impossible=True, missing=part.removesuffix(f": {NONE}").removesuffix(NO_SKILL))
        else:
            verb = next((verb for verb in _VERBS if part.startswith(verb)), "")
            goal = _VERBS[verb](goal, part.removeprefix(verb), start) if verb else _with_delivery(goal, part, start)
    return goal


def _with_delivery(goal: KitchenGoal, part: str, start: KitchenState) -> KitchenGoal:
    wanted, to, place = part.rpartition(" to ")
    match = _QUANTITY.fullmatch(wanted)
    if not to or match is None:
        raise ValueError(f"'{part}' does not end with 'to' and a place")
    number, different, kinds = match.groups()
    count = None if number == "all" else int(number or 1)
    delivery = Delivery(_of(kinds, start), _place(place, start), count, different=bool(different))
    return replace(goal, deliveries=(*goal.deliveries, delivery))


def _place(name: str, start: KitchenState) -> str:
    """Return the place's name. Raises ValueError, with those that there are, if there is none of that name."""
    valid = [place.name for place in start.world.places]
    if name not in valid:
        raise ValueError(f"no place of the kitchen is '{name}'; valid: {', '.join(valid)}")
    return name


def _of(kinds: str, start: KitchenState) -> tuple[str, ...]:
    """Return the things that will do. Raises ValueError if there is none."""
    several = [_with(kind, start) for kind in kinds.split("|")]
    names = tuple(name for name in start.locations if any(name in each for each in several))
    if not names:
        raise ValueError(f"nothing in this scene is '{kinds}'; here is {', '.join(start.locations)}")
    return names


def _with(kind: str, start: KitchenState) -> set[str]:
    first, *more = kind.split(", ")
    found = _called(first, start)
    for condition in more:
        word, _, other = condition.partition(" ")
        found = {"not": found.difference, "also": found.intersection}[word](_called(other, start))
    return found


def _called(kind: str, start: KitchenState) -> set[str]:
    if kind == HELD:
        return {start.held} if start.held else set()
    if kind.startswith("at "):
        return set(start.at(kind.removeprefix("at ")))
    return {name for name in start.locations if kind in names_of(name, start.world)}


_VERBS: dict[str, Callable[[KitchenGoal, str, KitchenState], KitchenGoal]] = {
    "open ": lambda goal, drawer, start: replace(goal, opened=(*goal.opened, _place(drawer, start))),
    "close ": lambda goal, drawer, start: replace(goal, closed=(*goal.closed, _place(drawer, start))),
    "go to ": lambda goal, place, start: replace(goal, robot_at=_place(place, start)),
    "find ": lambda goal, kinds, start: replace(goal, find=_of(kinds, start)),
    "pick up ": lambda goal, kinds, start: replace(goal, hold=_of(kinds, start)),
    "put down": lambda goal, nothing, start: replace(goal, release=True),
}
