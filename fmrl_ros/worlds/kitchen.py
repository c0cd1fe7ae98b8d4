"""The symbolic kitchen: where the robot and each thing is, which skills are feasible from there and what they do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.worlds.names import ROBOT, SEPARATORS, checked_name
from fmrl_ros.worlds.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.symbolic import HAND, InfeasibleSkillError
from fmrl_ros.worlds.world import Place, Skill, World, WorldObject


@dataclass(frozen=True)
class KitchenState:
    """Where everything is.

    Attributes:
      world: The world, for its names.
      robot_at: The place where the robot stands; empty if it is none of them.
      locations: For each thing that is there ``hand`` or a place.
      open: The drawers that are open.
    """

    world: World
    robot_at: str
    locations: Mapping[str, str]
    open: frozenset[str] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        valid = {HAND, *self.surfaces, *self.drawers, *self.people}
        for thing, location in self.locations.items():
            self.world.object(thing)
            if location not in valid:
                raise UnknownNameError(f"place of '{thing}'", location, sorted(valid))
        if self.robot_at and self.robot_at not in valid - {HAND}:
            raise UnknownNameError("place of the robot", self.robot_at, sorted(valid - {HAND}))
        if len(self.at(HAND)) > 1:
            raise ValueError(f"the hand holds more than one thing: {', '.join(self.at(HAND))}")

    @property
    def surfaces(self) -> tuple[str, ...]:
        """Places to put things on."""
        return self.world.names_of_kind("surface")

    @property
    def drawers(self) -> tuple[str, ...]:
        """Places to put things in; closed at first."""
        return self.world.names_of_kind("drawer")

    @property
    def people(self) -> tuple[str, ...]:
        """Who is given things."""
        return self.world.names_of_kind("person")

    @property
    def held(self) -> str | None:
        """The thing in the hand, or None."""
        return next(iter(self.at(HAND)), None)

    def at(self, location: str) -> tuple[str, ...]:
        """Return the things at a location."""
        return tuple(thing for thing, place in self.locations.items() if place == location)

    def defines(self, skill: Skill) -> bool:
        """True if this symbolic world has a precondition and an effect for the skill."""
        return skill.name in (*_FEASIBLE, "done", "refuse")

    def reachable(self, thing: str) -> bool:
        """True if the thing is there, and in no closed drawer."""
        location = self.locations.get(thing)
        return location is not None and (location not in self.drawers or location in self.open)

    def feasible(self, skill: Skill) -> bool:
        """True if `skill` can succeed from here.

        Raises:
          ValueError: If the symbolic world does not know the skill's name.
        """
        if not self.defines(skill):
            raise ValueError(f"the symbolic kitchen has no effect for skill '{skill.phrase}'")
        test = _FEASIBLE.get(skill.name)
        return test is None or test(self, *skill.arguments)

    def achieved(self, skill: Skill) -> bool:
        """True if what `skill` leads to holds already, so that it need not be done."""
        test = _ACHIEVED.get(skill.name)
        return test is not None and test(self, *skill.arguments)

    def after(self, skill: Skill) -> KitchenState:
        """Return the state that `skill` leads to when it succeeds.

        Raises:
          InfeasibleSkillError: If it is not feasible from here.
        """
        if not self.feasible(skill):
            raise InfeasibleSkillError(f"'{skill.phrase}' is not feasible when the state is {self}")
        effect = _EFFECT.get(skill.name)
        return self if effect is None else effect(self, *skill.arguments)

    def moved(self, thing: str, location: str) -> KitchenState:
        """Return the state with `thing` at another location."""
        return replace(self, locations={**self.locations, thing: location})

    def dropped(self) -> KitchenState:
        """Return the state in which what was held has fallen where the robot stands."""
        spot = self.robot_at if self.robot_at in self.surfaces else self.surfaces[0]
        return self if self.held is None else self.moved(self.held, spot)

    def scene(self, stamp: float = 0.0) -> Scene:
        """Return what a robot that knows the kitchen would report: things and places by name, without positions."""
        known = [(thing, self.world.object(thing)) for thing in self.locations]
        objects = tuple(SceneObject(name, o.kind, (0.0, 0.0, 0.0), 0.0, o.size, 1.0) for name, o in known)
        relations = [
            Relation(thing, "held") if location == HAND else Relation(thing, "at", location)
            for thing, location in self.locations.items()
        ]
        relations += [Relation(drawer, "open") for drawer in self.drawers if drawer in self.open]
        if self.robot_at:
            relations.append(Relation(ROBOT, "at", self.robot_at))
        return Scene(stamp, objects, tuple(relations))


def _picks(s: KitchenState, thing: str) -> bool:
    return s.held is None and s.reachable(thing) and s.locations[thing] == s.robot_at


_FEASIBLE: dict[str, Callable[..., bool]] = {
    "find": lambda s, thing: s.reachable(thing) and s.held != thing,
    "pick": _picks,
    "put_down": lambda s, thing: s.held == thing and s.robot_at in s.surfaces,
    "place_on": lambda s, thing, place: s.held == thing and s.robot_at == place,
    "place_in": lambda s, thing, drawer: s.held == thing and drawer in s.open,
    "go_to": lambda s, place: s.robot_at != place,
    "bring": lambda s: s.held is not None and bool(s.people),
    "open": lambda s, drawer: s.held is None and drawer not in s.open,
    "close": lambda s, drawer: drawer in s.open,
}

_ACHIEVED: dict[str, Callable[..., bool]] = {
    "find": lambda s, thing: s.held == thing,
    "pick": lambda s, thing: s.held == thing,
    "go_to": lambda s, place: s.robot_at == place,
    "open": lambda s, drawer: drawer in s.open,
    "close": lambda s, drawer: drawer not in s.open,
}

_EFFECT: dict[str, Callable[..., KitchenState]] = {
    "find": lambda s, thing: replace(s, robot_at=s.locations[thing]),
    "pick": lambda s, thing: s.moved(thing, HAND),
    "put_down": lambda s, thing: s.moved(thing, s.robot_at),
    "place_on": lambda s, thing, place: s.moved(thing, place),
    "place_in": lambda s, thing, drawer: replace(s.moved(thing, drawer), robot_at=drawer),
    "go_to": lambda s, place: replace(s, robot_at=place),
    "bring": lambda s: replace(s.moved(s.held, s.people[0]), robot_at=s.people[0]),
    "open": lambda s, drawer: replace(s, open=s.open | {drawer}, robot_at=drawer),
    "close": lambda s, drawer: replace(s, open=s.open - {drawer}, robot_at=drawer),
}


START_KEYS = ("robot_at", "holding", "objects", "open")
"""What `start_state` reads of a task."""


def start_state(world: World, start: Mapping[str, Any], add_places: bool = False) -> KitchenState:
    """Return the state that a task describes.

    Args:
      world: The world; things of which it has fewer, or none, are added to it.
      start: ``{"robot_at": place, "holding": thing or None, "objects": {thing: place}, "open": [drawer]}``; aliases of
        places will do. Without objects, there is one of each kind on the first surface.
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
    return KitchenState(with_objects(world, locations), robot_at, locations, drawers)


@dataclass(frozen=True)
class _StartNames:
    """The names in a task's start, as its author wrote them; an empty string where there is none."""

    objects: Mapping[str, str]
    open: Sequence[str]
    holding: str
    robot_at: str


def _start_names(world: World, start: Mapping[str, Any]) -> _StartNames:
    """Return the names in a task's start. Raises ValueError, which names the entry that is malformed."""
    surfaces = world.names_of_kind("surface")
    if not surfaces:
        raise ValueError(f"the world '{world.name}' has no surfaces to plan with; take 'kitchen', or extend it")
    objects = start.get("objects")
    if objects is None:
        objects = dict.fromkeys(_kinds(world), surfaces[0])
    if not isinstance(objects, Mapping):
        raise ValueError(f"start: 'objects' must map things to places, not {objects!r}")
    opened = start.get("open") or []
    if not isinstance(opened, (list, tuple)):
        raise ValueError(f"start: 'open' must be a list of drawers, not {opened!r}")
    names = _StartNames(objects, opened, start.get("holding") or "", start.get("robot_at") or "")
    _check_start_names(names)
    return names


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


def start_of(state: KitchenState) -> dict[str, Any]:
    """Return the start from which `start_state` makes this state."""
    there = {thing: place for thing, place in state.locations.items() if place != HAND}
    return {"robot_at": state.robot_at, "holding": state.held, "objects": there, "open": sorted(state.open)}


def unknown_places(world: World, state: KitchenState) -> list[str]:
    """Return the places of a state that `world` lacks."""
    known = {p.name for p in world.places}
    return [p.name for p in state.world.places if p.name not in known]


def _with_places(world: World, names: Iterable[str]) -> World:
    known = {HAND, "", *(p.name for p in world.places)}
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
