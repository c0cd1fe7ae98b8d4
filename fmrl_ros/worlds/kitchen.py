"""The start of a task, as people write it: where the robot is, and each thing, what is open, and what else is true."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.worlds.conditions import parse_conditions
from fmrl_ros.worlds.facts import Fact
from fmrl_ros.worlds.names import HAND, SEPARATORS, checked_name
from fmrl_ros.worlds.symbolic import TABLE, SymbolicState
from fmrl_ros.worlds.world import Place, World, WorldObject

START_KEYS = ("robot_at", "holding", "objects", "open", "facts")
"""What `start_state` reads of a task."""


def start_state(world: World, start: Mapping[str, Any], add_places: bool = False) -> SymbolicState:
    """Return the state that a task describes.

    Args:
      world: The world; things of which it has fewer, or none, are added to it.
      start: ``{"robot_at": place, "holding": thing or None, "objects": {thing: place}, "open": [drawer], "facts":
        ["tight(wing nut)", "in(chisel, tool box)"]}``; aliases of places will do. Without objects, there is one of each
        kind on the first surface; in a world without surfaces, all that there is, nowhere in particular.
      add_places: Whether a place that the world lacks is added to it as a surface, or is an error.

    Raises:
      UnknownNameError: If a place is unknown; lists the valid ones.
      ValueError: If an entry is malformed; names it.
    """
    names = _start_names(world, start)
    locations = _start_locations(world, names)
    robot_at = place_name(world, names.robot_at)
    if add_places:
        world = _with_places(world, [*locations.values(), robot_at])
    drawers = frozenset(place_name(world, drawer) for drawer in names.open)
    if unknown := sorted(drawers - set(world.names_of_kind("drawer"))):
        raise UnknownNameError("drawer", unknown[0], world.names_of_kind("drawer"))
    state = SymbolicState.of(with_objects(world, locations), locations, robot_at, drawers)
    for fact in _start_facts(world, start.get("facts") or []):
        state = state.with_fact(fact)
    return state


def _start_facts(world: World, said: object) -> Iterator[Fact]:
    """Yield what a start says that is true. Raises ValueError, which names what is no fact, or follows from others."""
    if not isinstance(said, Sequence) or isinstance(said, str):
        raise ValueError(f"start: 'facts' must be a list such as [\"tight(wing nut)\"], not {said!r}")
    valid = [name for name in world.domain.predicates if name not in world.domain.when]
    for condition in (each for text in said for each in parse_conditions(str(text))):
        if condition.predicate not in valid or condition.negated:
            raise UnknownNameError("fact of a start", str(condition), [f"{name}(...)" for name in valid])
        yield (condition.predicate, *condition.arguments)


@dataclass(frozen=True)
class _StartNames:
    """The names in a task's start, as its author wrote them; an empty string where there is none."""

    objects: Mapping[str, str]
    open: Sequence[str]
    holding: str
    robot_at: str


def _start_names(world: World, start: Mapping[str, Any]) -> _StartNames:
    """Return the names in a task's start. Raises ValueError, which names the entry that is malformed."""
    objects = _all_there(world) if start.get("objects") is None else start["objects"]
    if not isinstance(objects, Mapping):
        raise ValueError(f"start: 'objects' must map things to places, not {objects!r}")
    opened = start.get("open") or []
    if not isinstance(opened, (list, tuple)):
        raise ValueError(f"start: 'open' must be a list of drawers, not {opened!r}")
    names = _StartNames(objects, opened, start.get("holding") or "", start.get("robot_at") or "")
    _check_start_names(names)
    return names


def _all_there(world: World) -> dict[str, str]:
    """Return where things are of which a start says nothing; see `start_state`."""
    surfaces = world.names_of_kind("surface")
    if surfaces:
        return dict.fromkeys(_kinds(world), surfaces[0])
    return {thing.name: TABLE for thing in world.objects if thing.name in world.domain.movable}


def _check_start_names(names: _StartNames) -> None:
    """Raise ValueError unless every name is a string, and none is blank that may not be left out."""
    entries = [("holding", names.holding), ("robot_at", names.robot_at), *(("open", drawer) for drawer in names.open)]
    entries += [(f"objects: {thing}", place) for thing, place in names.objects.items()]
    for entry, value in entries:
        may_be_blank = entry in ("holding", "robot_at")
        if not isinstance(value, str) or not (value.strip() or may_be_blank):
            raise ValueError(f"start: '{entry}' must be a name, not {value!r}")


def _start_locations(world: World, names: _StartNames) -> dict[str, str]:
    """Return where each thing is at the start. Raises ValueError if a thing is there twice."""
    locations: dict[str, str] = {}
    for thing, place in names.objects.items():
        name = object_name(world, thing)
        if name in locations:
            raise ValueError(f"start: 'objects' has '{name}' twice; number several of a kind: '{name} 2'")
        locations[name] = place_name(world, place)
    if names.holding:
        locations[object_name(world, names.holding)] = HAND  # even where `objects` puts it elsewhere
    return locations


def start_of(state: SymbolicState) -> dict[str, Any]:
    """Return the start from which `start_state` makes this state."""
    there = {thing: place for thing, place in state.locations.items() if place != HAND}
    return {"robot_at": state.robot_at, "holding": state.held, "objects": there, "open": sorted(state.open)}


def unknown_places(world: World, state: SymbolicState) -> list[str]:
    """Return the places of a state that `world` lacks."""
    known = {p.name for p in world.places}
    return [p.name for p in state.world.places if p.name not in known]


def _with_places(world: World, names: Iterable[str]) -> World:
    known = {HAND, "", *(p.name for p in world.places)}
    if not world.names_of_kind("surface"):
        return world
    lacking = [name for name in dict.fromkeys(names) if name not in known]
    return replace(world, places=(*world.places, *(Place(name, kind="surface") for name in lacking)))


def _normalized(name: object) -> str:
    return " ".join(str(name).lower().split()).removeprefix("the ").strip()


def _kinds(world: World) -> list[str]:
    return [o.name for o in world.objects if not o.name.rpartition(" ")[2].isdigit()]


def object_name(world: World, name: str) -> str:
    """Return a thing's name as the world spells it.

    An unknown name is returned in lower case, without the marks that separate names in plans and prompts.

    Raises:
      ValueError: If nothing can be called so.
    """
    plain = _normalized(re.sub(f"[{SEPARATORS}]", " ", str(name)))
    known = next((o.name for o in world.objects if o.name.casefold() == plain.casefold()), None)
    return known or checked_name(plain, [p.name for p in world.places])


def place_name(world: World, name: str) -> str:
    """Return the name of the place of that name or alias; an unknown one is returned as by `object_name`."""
    plain = _normalized(re.sub(f"[{SEPARATORS}]", " ", str(name)))
    if plain in ("gripper", "robot", "in hand"):
        return HAND
    same = (p.name for p in world.places if plain in (p.name.casefold(), *(a.casefold() for a in p.aliases)))
    return next(same, plain)


def with_objects(world: World, names: Mapping[str, Any]) -> World:
    """Return the world with those of `names` that it lacks: "coke can 4" is another coke can."""
    lacking = [name for name in names if name not in {o.name for o in world.objects}]
    return replace(world, objects=(*world.objects, *(_another(world, name) for name in lacking))) if lacking else world


def _another(world: World, name: str) -> WorldObject:
    kind, _, number = name.rpartition(" ")
    like = next((o for o in world.objects if number.isdigit() and o.name == kind), None)
    return replace(like, name=name) if like else WorldObject(name, "item")
