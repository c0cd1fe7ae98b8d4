"""A world: its objects and places, and the skill grammar that expands to a finite list of options."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.worlds.conditions import Predicate
from fmrl_ros.worlds.facts import Domain, Fact
from fmrl_ros.worlds.names import ROBOT
from fmrl_ros.worlds.rules import GroundRule, SkillGrammar, SkillRule


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

REFUSE = Skill("refuse", (), "say that it cannot be done")
"""The option with which the planner says that no skill of the robot does what was asked."""


@dataclass(frozen=True)
class WorldObject:
    """An object with a name.

    Attributes:
      color: Linear RGB in [0, 1].
      size: Bounding box, m.
      tags, description: What a language model is told about it; empty where the name says enough.
    """

    name: str
    kind: str
    color: tuple[float, float, float] = (0.5, 0.5, 0.5)
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    tags: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True)
class Place:
    """A named place where things can be.

    Attributes:
      position: (x, y), m, base frame; zero in a world without physics.
      kind: Which arguments of skills it can fill.
      aliases: Other names by which people call it.
      tags: What it is, beside its kind.
    """

    name: str
    position: tuple[float, float] = (0.0, 0.0)
    kind: str = "place"
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fixture:
    """A part that is built in: a drawer or a button.

    Attributes:
      position: Of a closed drawer's handle, or of a button's top, (x, y, z), m, base frame.
      size: Bounding box of that handle or button, m.
      travel: How far and where `position` moves from closed to open, m; 0 for a button.
      inside: Middle of what shows of an open drawer, from its handle, m.
      edge: Middle of the upper edge of a drawer's front, on its inner side, from its handle, m.
    """

    name: str
    kind: str
    position: tuple[float, float, float]
    size: tuple[float, float, float]
    travel: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inside: tuple[float, float, float] = (0.0, 0.0, 0.0)
    edge: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class World:
    """Everything that can be named in a world, as read from its YAML file.

    Attributes:
      table_x, table_y: Where objects may stand, in metres in the base frame; None in a world without physics.
      fixtures: What is built in.
      directions: By kind (``side``, ``way``) the words for a direction, each with its unit vector in the base frame.
      extremes: Words for what stands out among others (``leftmost``), each with the way in which it does, base frame.
      predicates: What can be true in it; each follows at most from those before it.
    """

    name: str
    objects: tuple[WorldObject, ...]
    places: tuple[Place, ...]
    grammar: tuple[SkillGrammar, ...]
    table_x: tuple[float, float] | None = None
    table_y: tuple[float, float] | None = None
    fixtures: tuple[Fixture, ...] = ()
    directions: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict)
    predicates: tuple[Predicate, ...] = ()
    extremes: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)

    @cached_property
    def options(self) -> tuple[Skill, ...]:
        """Every skill with every valid argument, then ``done``."""
        skills = []
        for entry in self.grammar:
            choices = [self.names_of_kind(kind) for kind in entry.arguments.values()]
            for values in itertools.product(*choices):
                phrase = entry.phrase.format(**dict(zip(entry.arguments, values, strict=True)))
                if len(set(values)) == len(values):
                    skills.append(Skill(entry.name, values, phrase))
        return (*skills, DONE)

    def names_of_kind(self, kind: str) -> tuple[str, ...]:
        """Return the names of all objects, fixtures, places or directions of a kind; ``|`` joins kinds."""
        return tuple(name for each in kind.split("|") for name in self._members.get(each, ()))

    @cached_property
    def _members(self) -> dict[str, tuple[str, ...]]:
        named: tuple[WorldObject | Fixture | Place, ...] = (*self.objects, *self.fixtures, *self.places)
        members: dict[str, tuple[str, ...]] = {ROBOT: (ROBOT,)}
        for entry in named:
            members[entry.kind] = (*members.get(entry.kind, ()), entry.name)
        return members | {kind: tuple(words) for kind, words in self.directions.items()}

    @cached_property
    def domain(self) -> Domain:
        """What can hold in it."""
        return Domain(self.predicates, self._members)

    def options_for(self, fact: Fact) -> list[Skill]:
        """Return the options that are for a fact, in the order of the world."""
        names = itertools.product(*((name, "") for name in fact[1:]))
        found = {option for each in names for option in self._purposes.get((fact[0], *each), ())}
        return [self.options[index] for index in sorted(found)]

    @cached_property
    def _purposes(self) -> dict[Fact, list[int]]:
        """The options, by number, for each fact that they achieve; an argument is empty that the state says."""
        purposes: dict[Fact, list[int]] = {}
        for index, option in enumerate(self.options):
            rule = self.rule(option)
            for fact in rule.achieves if rule else ():
                purposes.setdefault(fact, []).append(index)
        return purposes

    def rule(self, skill: Skill) -> GroundRule | None:
        """Return when a skill is possible and what it does; None if the world does not say so."""
        try:
            return self._rules[skill]  # looked up for every option of every decision
        except KeyError:
            return self._rules.setdefault(skill, self._bound_rule(skill))

    @cached_property
    def _rules(self) -> dict[Skill, GroundRule | None]:
        return {}

    @cached_property
    def _skill_rules(self) -> dict[str, list[SkillRule]]:
        rules: dict[str, list[SkillRule]] = {}
        for entry in self.grammar:
            rules.setdefault(entry.name, []).append(SkillRule(entry, self.domain))
        return rules

    def _bound_rule(self, skill: Skill) -> GroundRule | None:
        for rule in self._skill_rules.get(skill.name, ()):
            names = rule.grammar.arguments
            if rule.grammar.achieves and len(names) == len(skill.arguments):
                phrase = rule.grammar.phrase.format(**dict(zip(names, skill.arguments, strict=True)))
                if phrase == skill.phrase:
                    return GroundRule.of(rule, skill.arguments, self.domain)
        return None

    def object(self, name: str) -> WorldObject:
        """Return an object by name. Raises UnknownNameError, which lists the valid ones."""
        if name not in self._objects:
            raise UnknownNameError("object", name, self._objects)
        return self._objects[name]

    @cached_property
    def _objects(self) -> dict[str, WorldObject]:
        return {entry.name: entry for entry in self.objects}

    def fixture(self, name: str) -> Fixture:
        """Return a fixture by name. Raises UnknownNameError, which lists the valid ones."""
        if name not in self._fixtures:
            raise UnknownNameError("fixture", name, self._fixtures)
        return self._fixtures[name]

    @cached_property
    def _fixtures(self) -> dict[str, Fixture]:
        return {entry.name: entry for entry in self.fixtures}

    def direction(self, name: str) -> NDArray[np.float64]:
        """Return the unit vector, shape [2], base frame, of a direction. Raises UnknownNameError."""
        if name not in self._vectors:
            raise UnknownNameError("direction", name, self._vectors)
        return self._vectors[name]

    @cached_property
    def _vectors(self) -> dict[str, NDArray[np.float64]]:
        return {word: np.array(vector) for words in self.directions.values() for word, vector in words.items()}

    def place(self, name: str) -> Place:
        """Return a place by name. Raises UnknownNameError, which lists the valid ones."""
        if name not in self._places:
            raise UnknownNameError("place", name, self._places)
        return self._places[name]

    @cached_property
    def _places(self) -> dict[str, Place]:
        return {entry.name: entry for entry in self.places}

    def skill(self, phrase: str) -> Skill:
        """Return the option with this phrase. Raises UnknownNameError, which lists the valid ones."""
        for option in self.options:
            if option.phrase == phrase:
                return option
        raise UnknownNameError("skill phrase", phrase, [o.phrase for o in self.options])

    @property
    def table(self) -> NDArray[np.float64]:
        """Where objects may stand, [low, high], shape [2, 2], m, base frame.

        Raises ValueError for a world without physics.
        """
        if self.table_x is None or self.table_y is None:
            raise ValueError(f"the world '{self.name}' has no physical scene; it can be planned in (fmrl plan)")
        return np.array([self.table_x, self.table_y]).T


def load_world(name: str) -> World:
    """Read a world by name, or from a YAML file of one's own.

    A file may say ``extends: NAME``, or ``extends: FILE.yaml``: then it has that world's objects, places and skills.
    Its own lists replace those, but its skills are added; one with the name and phrase of a skill that is there changes
    what it says of that.

    Raises:
      UnknownNameError: If no world of that name exists; lists the valid ones.
      ValueError: If a file cannot be read or says what cannot be; names file, line, entry and what is valid.
    """
    from fmrl_ros.worlds.world_entries import names_of  # pydantic is slow to import
    from fmrl_ros.worlds.world_file import read_world

    said = read_world(name)
    entries = {key: [each.entry for each in listed] for key, listed in said.lists.items()}
    return World(
        said.name,
        tuple(
            WorldObject(thing, e.kind, e.color, e.size, e.tags, e.description)
            for e in entries["objects"]
            for thing in names_of(e)
        ),
        tuple(Place(e.name, e.position, e.kind, e.aliases, e.tags) for e in entries["places"]),
        tuple(SkillGrammar(**dict(e)) for e in entries["skills"]),
        said.table.x if said.table else None,
        said.table.y if said.table else None,
        tuple(Fixture(**dict(e)) for e in entries["fixtures"]),
        said.directions,
        tuple(Predicate(**dict(e)) for e in entries["predicates"]),
        said.extremes,
    )
