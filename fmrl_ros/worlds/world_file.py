"""A world's YAML file: what may stand in it, and what is wrong with it, by line."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import Formatter
from typing import Any

from pydantic import ValidationError

from fmrl_ros.home import user_path
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.worlds.condition_check import ConditionCheck
from fmrl_ros.worlds.goal_check import check_quantities, check_readings
from fmrl_ros.worlds.marked_yaml import MarkedYaml, Said
from fmrl_ros.worlds.names import ROBOT
from fmrl_ros.worlds.world_entries import (
    Entry,
    FixtureEntry,
    ObjectEntry,
    PlaceEntry,
    PredicateEntry,
    Range,
    SkillEntry,
    TableEntry,
    Vector,
    WorldEntries,
    names_of,
)

WORLDS = Path(__file__).parent

LISTS: dict[str, type[Entry]] = {
    "objects": ObjectEntry,
    "places": PlaceEntry,
    "fixtures": FixtureEntry,
    "predicates": PredicateEntry,
    "skills": SkillEntry,
}
"""The lists of a world's file, and what an entry of each may say."""
ADDED: dict[str, Callable[[Any], Hashable]] = {
    "predicates": lambda entry: entry.name,
    "skills": lambda entry: (entry.name, entry.phrase),
}
"""The lists to which a file adds, where it replaces the others; by what an entry changes one that is there."""
NEEDED = ("name", "objects", "places", "predicates", "skills")
"""What a world that extends no other must say."""


@dataclass(frozen=True)
class WorldFile:
    """A file of the chain by which one world extends another: as it was read, and what it says."""

    marks: MarkedYaml
    entries: WorldEntries

    @classmethod
    def read(cls, path: Path) -> WorldFile:
        """Read a file.

        Raises:
          ValueError: If it cannot be read or an entry is malformed; names file, line, entry and what is valid.
        """
        try:
            marks = MarkedYaml.read(path)
        except OSError as error:
            raise ValueError(f"cannot read the world {path}: {error.strerror}") from error
        if not isinstance(marks.tree, dict):
            raise ValueError(f"{path}: expected a mapping; see fmrl_ros/worlds/tabletop.yaml")
        try:
            entries = WorldEntries.model_validate(marks.tree)
        except ValidationError as error:
            first = error.errors()[0]
            raise marks.error(first["loc"], _what_is_wrong(first)) from None
        for key in () if entries.extends else NEEDED:
            if key not in entries.model_fields_set:
                raise marks.error([], f"'{key}' is missing; a world says {', '.join(NEEDED)}, or which it extends")
        return cls(marks, entries)


class WorldDescription:
    """What a world's file says, with all that it extends.

    Args:
      chain: The files, each on top of those before it.

    Attributes:
      name, table, directions, extremes: See `fmrl_ros.worlds.world.World`.
      lists: The entries of each list of `LISTS`.

    Raises:
      ValueError: If entries do not fit together; names file, line, entry and what is valid.
    """

    def __init__(self, chain: Sequence[WorldFile]) -> None:
        self.name = ""
        self.table: TableEntry | None = None
        self.directions: dict[str, dict[str, Range]] = {}
        self.extremes: dict[str, Vector] = {}
        self.lists: dict[str, list[Said]] = {key: [] for key in LISTS}
        self._kinds: dict[str, list[str]] = {ROBOT: [ROBOT]}
        for file in chain:
            self._take(file)
        self._check_names()
        for said in (*self.lists["predicates"], *self.lists["skills"]):
            self._check_kinds(said)
        check_quantities(self._things)
        check_readings(self.lists["predicates"], self._kinds)
        check = ConditionCheck(self._kinds, self.lists["predicates"])
        for skill in self.lists["skills"]:
            self._check_phrase(skill)
            check.skill(skill)

    def _take(self, file: WorldFile) -> None:
        """Take what one more file says, in place of what is there."""
        for kind, name in _members(file.entries):
            self._kinds.setdefault(kind, []).append(name)
        for key in file.entries.model_fields_set - {"extends"}:
            if key in LISTS:
                self._take_list(key, file)
            else:
                setattr(self, key, getattr(file.entries, key))

    def _take_list(self, key: str, file: WorldFile) -> None:
        """Take a file's list: its entries beside those that are there, or in their place."""
        entries = getattr(file.entries, key)
        own = [Said(entry, file.marks, (key, index)) for index, entry in enumerate(entries)]
        told_apart = ADDED.get(key)
        if told_apart is None:
            self.lists[key] = own
            return
        there = {told_apart(each.entry): each for each in self.lists[key]}
        taken = [_policy_path(_on_top(each, there.pop(told_apart(each.entry), None))) for each in own]
        self.lists[key] = [*there.values(), *taken]

    @property
    def _things(self) -> list[Said]:
        return [each for key in ("objects", "places", "fixtures") for each in self.lists[key]]

    def _check_names(self) -> None:
        """Refuse two things of one name, and two skills of one phrase."""
        named = [("things are called", each, name) for each in self._things for name in names_of(each.entry)]
        named += [("predicates are called", each, each.entry.name) for each in self.lists["predicates"]]
        named += [("skills read", each, each.entry.phrase) for each in self.lists["skills"]]
        seen: dict[tuple[str, str], Said] = {}
        for what, each, name in named:
            if other := seen.get((what, name)):
                raise each.error(f"two {what} '{name}'; the other is in {other.place}; rename one")
            seen[what, name] = each
        self._check_directions()

    def _check_directions(self) -> None:
        """Refuse a thing that is called like a direction."""
        for said in self._things:
            for name in names_of(said.entry):
                if kind := next((kind for kind, words in self.directions.items() if name in words), ""):
                    raise said.error(f"'{name}' is a {kind}, too, under 'directions'; rename one")

    def _check_phrase(self, skill: Said) -> None:
        """Refuse a phrase that does not say exactly the arguments, each in braces."""
        arguments = list(skill.entry.arguments)
        try:
            said = [field for _, field, _, _ in Formatter().parse(skill.entry.phrase) if field is not None]
        except ValueError as error:
            raise skill.error("phrase", f"{error}; write each argument in braces") from error
        if sorted(said) != sorted(arguments):
            valid = ", ".join(f"{{{name}}}" for name in arguments) or "no braces"
            raise skill.error("phrase", f"'{skill.entry.phrase}' must say each argument once; valid: {valid}")

    def _check_kinds(self, said: Said) -> None:
        """Refuse an argument of which a kind has no members, in the world or in one that it extends."""
        for argument, kinds in said.entry.arguments.items():
            for kind in kinds.split("|"):
                if kind not in self._kinds:
                    valid = ", ".join(sorted(self._kinds))
                    raise said.error("arguments", argument, f"nothing is of kind '{kind}'; valid: {valid}")


def world_names() -> list[str]:
    """Return the names of the worlds that ship with the package."""
    return sorted(path.stem for path in WORLDS.glob("*.yaml"))


def read_world(name: str) -> WorldDescription:
    """Read a world by name, or from a YAML file, on top of the one that it extends.

    Raises:
      UnknownNameError: If no world of that name exists; lists the valid ones.
      ValueError: If a file cannot be read or says what cannot be; names file, line, entry and what is valid.
    """
    return WorldDescription(_chain(_path(name)))


def _path(name: str, kind: str = "world", folder: Path | None = None) -> Path:
    """Return the file of a world; one that another file names is looked for beside that."""
    path = user_path(name)
    if path.suffix in (".yaml", ".yml"):
        return (folder or Path()) / path
    if name not in world_names():
        raise UnknownNameError(kind, name, [*world_names(), "a file ending in .yaml"])
    return WORLDS / f"{name}.yaml"


def _chain(path: Path) -> list[WorldFile]:
    """Return a file and those that it extends, directly and through others, the first one first."""
    file = WorldFile.read(path)
    chain = [file]
    while file.entries.extends:
        try:
            path = _path(file.entries.extends, "world to extend", path.parent)
        except UnknownNameError as error:
            raise file.marks.error(["extends"], str(error)) from error
        if path.resolve() in [each.marks.path.resolve() for each in chain]:
            names = " extends ".join([*(each.marks.path.name for each in chain), path.name])
            raise file.marks.error(["extends"], f"{names}; leave one of these out")
        file = WorldFile.read(path)
        chain.append(file)
    return chain[::-1]


def _members(entries: WorldEntries) -> Iterator[tuple[str, str]]:
    """Yield what a file has of each kind: kind and name."""
    for listed in (entries.objects, entries.places, entries.fixtures):
        yield from ((entry.kind, name) for entry in listed for name in names_of(entry))
    yield from ((kind, word) for kind, words in entries.directions.items() for word in words)


def _on_top(said: Said, other: Said | None) -> Said:
    """Return an entry that has from another what it leaves out."""
    if other is None:
        return said
    own = {key: getattr(said.entry, key) for key in said.entry.model_fields_set}
    return replace(said, entry=other.entry.model_copy(update=own))


def _policy_path(said: Said) -> Said:
    """Return an entry with the path of its policy, which its file gives beside itself."""
    if getattr(said.entry, "policy", None) is None:
        return said
    path = (said.marks.path.parent / user_path(said.entry.policy)).resolve()
    return replace(said, entry=said.entry.model_copy(update={"policy": path}))


def _what_is_wrong(error: Any) -> str:
    """Return in words what pydantic found."""
    first, *rest = error["loc"]
    if error["type"] == "extra_forbidden":
        model = LISTS.get(first, TableEntry) if rest else WorldEntries
        return f"unknown entry; valid: {', '.join(sorted(model.model_fields))}"
    if error["type"] == "missing":
        return "is missing"
    wrong = f"{error['msg'].removeprefix('Value error, ')}"
    return wrong if error["type"] == "value_error" else f"{wrong}, not {error['input']!r}"
