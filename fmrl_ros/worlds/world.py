"""A world: its objects and places, and the skill grammar that expands to a finite list of options."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from fmrl_ros.home import user_path
from fmrl_ros.plugins import UnknownNameError

WORLDS = Path(__file__).parent


def kind_of(name: str) -> str:
    """Return a thing's name without its number."""
    kind, _, number = name.rpartition(" ")
    return kind if number.isdigit() else name


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

PLACING_SKILLS = ("place_in", "place_on", "place_at", "put_down", "bring")
"""Skills that do something with what was picked up."""


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


SEPARATORS = ",;:"
"""Marks that separate names in plans and prompts."""
RESERVED = ("robot", "hand")
"""What plans and prompts call the robot and its hand."""


@dataclass(frozen=True)
class Place:
    """A named place where things can be.

    Attributes:
      position: (x, y), m, base frame; zero in a world without physics.
      kind: Which arguments of skills it can fill.
      aliases: Other names by which people call it.
    """

    name: str
    position: tuple[float, float] = (0.0, 0.0)
    kind: str = "place"
    aliases: tuple[str, ...] = ()


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
class SkillGrammar:
    """A skill's phrase template and the kinds of things (joined by ``|``) that each of its arguments ranges over.

    Attributes:
      policy: File of the policy that does it, if it is not the package's own.
      affordance: Probability of success for a policy without a critic.
      calibration: Slope and offset from the logit of that policy's value to the probability of success.
    """

    name: str
    phrase: str
    arguments: dict[str, str]
    policy: Path | None = None
    affordance: float | None = None
    calibration: tuple[float, float] | None = None


@dataclass(frozen=True)
class World:
    """Everything that can be named in a world, as read from its YAML file.

    Attributes:
      table_x, table_y: Where objects may stand, in metres in the base frame; None in a world without physics.
      fixtures: What is built in.
      directions: By kind (``side``, ``way``) the words for a direction, each with its unit vector in the base frame.
    """

    name: str
    objects: tuple[WorldObject, ...]
    places: tuple[Place, ...]
    grammar: tuple[SkillGrammar, ...]
    table_x: tuple[float, float] | None = None
    table_y: tuple[float, float] | None = None
    fixtures: tuple[Fixture, ...] = ()
    directions: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict)

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
        if "|" in kind:
            return tuple(name for each in kind.split("|") for name in self.names_of_kind(each))
        if kind in self.directions:
            return tuple(self.directions[kind])
        named: tuple[WorldObject | Fixture | Place, ...] = (*self.objects, *self.fixtures, *self.places)
        return tuple(entry.name for entry in named if entry.kind == kind)

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

    @cached_property
    def nouns(self) -> frozenset[str]:
        """Every word that names an object, a kind, a colour or a place of this world."""
        named = [o.name for o in self.objects] + [o.kind for o in self.objects] + [p.name for p in self.places]
        return frozenset(word for name in named for word in re.findall(r"[a-z0-9]+", name.lower()))


def world_names() -> list[str]:
    """Return the names of the worlds that ship with the package."""
    return sorted(path.stem for path in WORLDS.glob("*.yaml"))


def load_world(name: str) -> World:
    """Read a world by name, or from a YAML file of one's own.

    A file may say ``extends: NAME``: then it has that world's objects, places and skills, and adds its own skills; one
    with the name and phrase of a skill that is there replaces it.

    Raises:
      UnknownNameError: If no world of that name exists; lists the valid ones.
      ValueError: If its file is missing or malformed; names the file and the entry.
    """
    path = user_path(name)
    if path.suffix not in (".yaml", ".yml"):
        path = WORLDS / f"{name}.yaml"
        if name not in world_names():
            raise UnknownNameError("world", name, [*world_names(), "a file ending in .yaml"])
    try:
        return _parse(_read(path))
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path}: missing or malformed entry {error}") from error
    except OSError as error:
        raise ValueError(f"cannot read the world {path}: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise ValueError(f"{path} is not valid YAML: {error}") from error
    except UnknownNameError:
        raise
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _read(path: Path) -> dict[str, Any]:
    """Return a file's entries, on top of those of the world that it extends; its policies' paths are absolute."""
    tree = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(tree, dict):
        raise ValueError("expected a mapping; see fmrl_ros/worlds/tabletop.yaml")
    for entry in tree.get("skills", ()):
        if "policy" in entry:
            entry["policy"] = str((path.parent / user_path(entry["policy"])).resolve())
    if "extends" not in tree:
        return tree
    base = tree.pop("extends")
    if base not in world_names():
        raise UnknownNameError("world to extend", base, world_names())
    base_tree = _read(WORLDS / f"{base}.yaml")
    own = {(entry["name"], entry["phrase"]) for entry in tree.get("skills", ())}
    kept = [entry for entry in base_tree["skills"] if (entry["name"], entry["phrase"]) not in own]
    return {**base_tree, **tree, "skills": [*kept, *tree.get("skills", ())]}


def _grammar(entry: dict[str, Any]) -> SkillGrammar:
    calibration = entry.get("calibration")
    return SkillGrammar(
        entry["name"],
        entry["phrase"],
        dict(entry.get("arguments", {})),
        Path(entry["policy"]) if "policy" in entry else None,
        float(entry["affordance"]) if "affordance" in entry else None,
        (float(calibration[0]), float(calibration[1])) if calibration else None,
    )


def numbered(name: str, number: int) -> str:
    """Return the name of the `number`-th object of a kind: the first has none, then "coke can 2"."""
    return name if number == 1 else f"{name} {number}"


def checked_name(name: str, places: Collection[str] = ()) -> str:
    """Return a thing's name.

    Raises:
      ValueError: If nothing can be called so: it is empty or a place's, is the robot's or its hand's, or has in it what
        separates names in plans.
    """
    if not name:
        raise ValueError("a thing has no name")
    if name in RESERVED or name in places:
        other = "a place" if name in places else "the robot or its hand"
        raise ValueError(f"a thing cannot be called '{name}', because {other} is")
    if wrong := next((mark for mark in SEPARATORS if mark in name), ""):
        raise ValueError(f"the name '{name}' has a '{wrong}' in it, which separates names in plans: leave it out")
    return name


def _objects(entry: dict[str, Any]) -> Iterator[WorldObject]:
    """Yield an entry's objects: one, or as many as it counts."""
    name = checked_name(" ".join(str(entry["name"]).split()))
    tags = entry.get("tags") or ()
    if isinstance(tags, str) or not all(isinstance(tag, str) and tag.strip() for tag in tags):
        raise ValueError(f"'{name}': 'tags' must be a list of words, not {tags!r}")
    given = {key: tuple(entry[key]) for key in ("color", "size") if key in entry}
    for number in range(1, int(entry.get("count", 1)) + 1):
        description = str(entry.get("description", ""))
        yield WorldObject(numbered(name, number), entry["kind"], description=description, tags=tuple(tags), **given)


def _place(entry: dict[str, Any]) -> Place:
    position = tuple(entry.get("position", (0.0, 0.0)))
    return Place(entry["name"], position, entry.get("kind", "place"), tuple(entry.get("aliases", ())))


def _fixture(entry: dict[str, Any]) -> Fixture:
    vectors = {key: tuple(entry[key]) for key in ("position", "size", "travel", "inside", "edge") if key in entry}
    return Fixture(entry["name"], entry["kind"], **vectors)


def _directions(tree: dict[str, Any]) -> dict[str, dict[str, tuple[float, float]]]:
    entries = tree.get("directions", {})
    return {kind: {word: tuple(vector) for word, vector in words.items()} for kind, words in entries.items()}


def _table(tree: dict[str, Any]) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """Return where objects may stand along x and along y, m; None for each in a world without physics."""
    if "table" not in tree:
        return None, None
    (x_low, x_high), (y_low, y_high) = (tree["table"][axis] for axis in "xy")
    return (x_low, x_high), (y_low, y_high)


def _parse(tree: dict[str, Any]) -> World:
    objects = tuple(each for entry in tree["objects"] for each in _objects(entry))
    places = tuple(_place(entry) for entry in tree["places"])
    grammar = tuple(_grammar(entry) for entry in tree["skills"])
    fixtures = tuple(_fixture(entry) for entry in tree.get("fixtures", ()))
    directions = _directions(tree)
    names = [o.name for o in objects] + [p.name for p in places] + [f.name for f in fixtures]
    if len(set(names)) != len(names):
        raise ValueError(f"world '{tree['name']}': two objects or places share a name")
    table_x, table_y = _table(tree)
    return World(tree["name"], objects, places, grammar, table_x, table_y, fixtures, directions)
