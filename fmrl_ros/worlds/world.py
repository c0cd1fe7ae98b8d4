"""A world: its objects and places, and the skill grammar that expands to a finite list of options."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from fmrl_ros.plugins import UnknownNameError

WORLDS = Path(__file__).parent


@dataclass(frozen=True)
class Skill:
    """A skill with its arguments filled in: one option that a planner may choose.

    Attributes:
      name: The skill's name in the library, for example ``pick``.
      arguments: Values in the order of the grammar, for example ``("red block",)``.
      phrase: What the language model scores, for example ``pick up the red block``.
    """

    name: str
    arguments: tuple[str, ...]
    phrase: str


DONE = Skill("done", (), "done")
"""The option that ends a plan, as in SayCan."""


@dataclass(frozen=True)
class WorldObject:
    """An object kind with a name: `color` is linear RGB in [0, 1], `size` its bounding box in metres."""

    name: str
    kind: str
    color: tuple[float, float, float]
    size: tuple[float, float, float]


@dataclass(frozen=True)
class Place:
    """A named spot on the table: `position` is (x, y) in metres in the base frame."""

    name: str
    position: tuple[float, float]


@dataclass(frozen=True)
class SkillGrammar:
    """A skill's phrase template and the kind of thing each of its arguments ranges over."""

    name: str
    phrase: str
    arguments: dict[str, str]


@dataclass(frozen=True)
class World:
    """Everything that can be named in a world, as read from its YAML file.

    Attributes:
      table_x, table_y: Where objects may stand, in metres in the base frame.
    """

    name: str
    objects: tuple[WorldObject, ...]
    places: tuple[Place, ...]
    grammar: tuple[SkillGrammar, ...]
    table_x: tuple[float, float]
    table_y: tuple[float, float]

    @cached_property
    def options(self) -> tuple[Skill, ...]:
        """Every skill with every valid argument, then ``done``."""
        skills = []
        for entry in self.grammar:
            choices = [self.names_of_kind(kind) for kind in entry.arguments.values()]
            for values in itertools.product(*choices):
                phrase = entry.phrase.format(**dict(zip(entry.arguments, values, strict=True)))
                skills.append(Skill(entry.name, values, phrase))
        return (*skills, DONE)

    def names_of_kind(self, kind: str) -> tuple[str, ...]:
        """Return the names of all objects of a kind; the kind ``place`` is the world's places."""
        if kind == "place":
            return tuple(p.name for p in self.places)
        return tuple(o.name for o in self.objects if o.kind == kind)

    def object(self, name: str) -> WorldObject:
        """Return an object by name. Raises UnknownNameError, which lists the valid ones."""
        for candidate in self.objects:
            if candidate.name == name:
                return candidate
        raise UnknownNameError("object", name, [o.name for o in self.objects])

    def place(self, name: str) -> Place:
        """Return a place by name. Raises UnknownNameError, which lists the valid ones."""
        for candidate in self.places:
            if candidate.name == name:
                return candidate
        raise UnknownNameError("place", name, [p.name for p in self.places])

    def skill(self, phrase: str) -> Skill:
        """Return the option with this phrase. Raises UnknownNameError, which lists the valid ones."""
        for option in self.options:
            if option.phrase == phrase:
                return option
        raise UnknownNameError("skill phrase", phrase, [o.phrase for o in self.options])

    @cached_property
    def nouns(self) -> frozenset[str]:
        """Every word that names an object, a kind, a colour or a place of this world."""
        named = [o.name for o in self.objects] + [o.kind for o in self.objects] + [p.name for p in self.places]
        return frozenset(word for name in named for word in re.findall(r"[a-z0-9]+", name.lower()))


def world_names() -> list[str]:
    """Return the names of the worlds that ship with the package."""
    return sorted(path.stem for path in WORLDS.glob("*.yaml"))


def load_world(name: str) -> World:
    """Read a world by name.

    Raises:
      UnknownNameError: If no world of that name exists; lists the valid ones.
      ValueError: If its file is malformed; names the file and the entry.
    """
    path = WORLDS / f"{name}.yaml"
    if name not in world_names():
        raise UnknownNameError("world", name, world_names())
    try:
        return _parse(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path.name}: missing or malformed entry {error}") from error


def _parse(tree: dict[str, Any]) -> World:
    objects = tuple(WorldObject(o["name"], o["kind"], tuple(o["color"]), tuple(o["size"])) for o in tree["objects"])
    places = tuple(Place(p["name"], tuple(p["position"])) for p in tree["places"])
    grammar = tuple(SkillGrammar(s["name"], s["phrase"], dict(s["arguments"])) for s in tree["skills"])
    names = [o.name for o in objects] + [p.name for p in places]
    if len(set(names)) != len(names):
        raise ValueError(f"world '{tree['name']}': two objects or places share a name")
    x, y = tree["table"]["x"], tree["table"]["y"]
    return World(tree["name"], objects, places, grammar, (x[0], x[1]), (y[0], y[1]))
