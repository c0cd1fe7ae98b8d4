"""A world's YAML file: what may stand in it, and what is wrong with it, by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import Formatter
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from fmrl_ros.home import user_path
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.worlds.marked_yaml import MarkedYaml
from fmrl_ros.worlds.names import checked_name, numbered

WORLDS = Path(__file__).parent

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]
Length = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Range = tuple[Number, Number]
Vector = tuple[Number, Number, Number]
Name = Annotated[str, AfterValidator(lambda name: checked_name(" ".join(name.split())))]
"""Of a thing, as `checked_name` allows it, with single spaces."""


class Entry(BaseModel):
    """One entry of a world's file; it has a line of its own in errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ObjectEntry(Entry):
    """As many objects of a kind as it counts; see `fmrl_ros.worlds.world.WorldObject`."""

    name: Name
    kind: Words
    count: Annotated[int, Field(ge=1)] = 1
    color: tuple[Share, Share, Share] = (0.5, 0.5, 0.5)
    size: tuple[Length, Length, Length] = (0.0, 0.0, 0.0)
    tags: tuple[Words, ...] = ()
    description: str = ""


class PlaceEntry(Entry):
    """See `fmrl_ros.worlds.world.Place`."""

    name: Name
    position: Range = (0.0, 0.0)
    kind: Words = "place"
    aliases: tuple[Words, ...] = ()


class FixtureEntry(Entry):
    """See `fmrl_ros.worlds.world.Fixture`."""

    name: Name
    kind: Words
    position: Vector
    size: tuple[Length, Length, Length]
    travel: Vector = (0.0, 0.0, 0.0)
    inside: Vector = (0.0, 0.0, 0.0)
    edge: Vector = (0.0, 0.0, 0.0)


class SkillEntry(Entry):
    """See `fmrl_ros.worlds.world.SkillGrammar`."""

    name: Words
    phrase: Words
    arguments: dict[str, Words] = {}
    policy: Path | None = None
    affordance: Share | None = None
    calibration: Range | None = None


class TableEntry(Entry):
    """Where objects may stand, m, base frame."""

    x: Range
    y: Range


class WorldEntries(Entry):
    """All that a world's file may say; see `fmrl_ros.worlds.world.World`."""

    name: Words = ""
    extends: Words = ""
    table: TableEntry | None = None
    objects: tuple[ObjectEntry, ...] = ()
    places: tuple[PlaceEntry, ...] = ()
    fixtures: tuple[FixtureEntry, ...] = ()
    directions: dict[Name, dict[Name, Range]] = {}
    skills: tuple[SkillEntry, ...] = ()


LISTS: dict[str, type[Entry]] = {
    "objects": ObjectEntry,
    "places": PlaceEntry,
    "fixtures": FixtureEntry,
    "skills": SkillEntry,
}
"""The lists of a world's file, and what an entry of each may say."""
NEEDED = ("name", "objects", "places", "skills")
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


@dataclass(frozen=True)
class Said:
    """An entry of a list, with the file that says it and its place there."""

    entry: Any
    marks: MarkedYaml
    location: tuple[str | int, ...]

    def error(self, *where_and_message: str) -> ValueError:
        """Return an error about it, or about what is behind some keys in it; the message comes last."""
        *keys, message = where_and_message
        return self.marks.error([*self.location, *keys], message)

    @property
    def place(self) -> str:
        """The file and the line."""
        return f"{self.marks.path.name}:{self.marks.line(self.location)}"


class WorldDescription:
    """What a world's file says, with all that it extends.

    Args:
      chain: The files, each on top of those before it.

    Attributes:
      name, table, directions: See `fmrl_ros.worlds.world.World`.
      lists: The entries of each list of `LISTS`.

    Raises:
      ValueError: If entries do not fit together; names file, line, entry and what is valid.
    """

    def __init__(self, chain: Sequence[WorldFile]) -> None:
        self.name = ""
        self.table: TableEntry | None = None
        self.directions: dict[str, dict[str, Range]] = {}
        self.lists: dict[str, list[Said]] = {key: [] for key in LISTS}
        self._kinds: set[str] = set()
        for file in chain:
            self._take(file)
        self._check_names()
        for skill in self.lists["skills"]:
            self._check_phrase(skill)
            self._check_kinds(skill)

    def _take(self, file: WorldFile) -> None:
        """Take what one more file says, in place of what is there."""
        self._kinds.update(_kinds(file.entries))
        for key in file.entries.model_fields_set - {"extends"}:
            if key in LISTS:
                self._take_list(key, file)
            else:
                setattr(self, key, getattr(file.entries, key))

    def _take_list(self, key: str, file: WorldFile) -> None:
        """Take a file's list in place of the present one; but skills are added to those that are there."""
        entries = getattr(file.entries, key)
        own = [Said(entry, file.marks, (key, index)) for index, entry in enumerate(entries)]
        if key != "skills":
            self.lists[key] = own
            return
        listed = {_skill_key(each.entry): each for each in self.lists[key]}
        taken = [_policy_path(_on_top(each, listed.pop(_skill_key(each.entry), None))) for each in own]
        self.lists[key] = [*listed.values(), *taken]

    def _check_names(self) -> None:
        """Refuse two things of one name, and two skills of one phrase."""
        things = [each for key in ("objects", "places", "fixtures") for each in self.lists[key]]
        named = [((), each, name) for each in things for name in names_of(each.entry)]
        said = [(("phrase",), each, each.entry.phrase) for each in self.lists["skills"]]
        seen: dict[tuple[tuple[str, ...], str], Said] = {}
        for keys, each, name in (*named, *said):
            if other := seen.get((keys, name)):
                twice = f"two {'skills read' if keys else 'things are called'} '{name}'"
                raise each.error(*keys, f"{twice}; the other is in {other.place}; rename one")
            seen[keys, name] = each

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


def names_of(entry: Any) -> list[str]:
    """Return the names of what an entry says: one, or as many as it counts."""
    return [numbered(entry.name, number) for number in range(1, getattr(entry, "count", 1) + 1)]


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


def _kinds(entries: WorldEntries) -> Iterator[str]:
    """Yield the kinds that have members in a file."""
    for listed in (entries.objects, entries.places, entries.fixtures):
        yield from (entry.kind for entry in listed)
    yield from (kind for kind, words in entries.directions.items() if words)


def _skill_key(entry: SkillEntry) -> tuple[str, str]:
    return entry.name, entry.phrase


def _on_top(said: Said, other: Said | None) -> Said:
    """Return an entry that has from another what it leaves out."""
    if other is None:
        return said
    own = {key: getattr(said.entry, key) for key in said.entry.model_fields_set}
    return replace(said, entry=other.entry.model_copy(update=own))


def _policy_path(said: Said) -> Said:
    """Return an entry with the path of its policy, which its file gives beside itself."""
    if said.entry.policy is None:
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
