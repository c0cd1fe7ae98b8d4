"""What may stand in a world's YAML file, entry by entry; see `fmrl_ros.worlds.world` for what it means."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from fmrl_ros.worlds.conditions import Condition, parse_conditions
from fmrl_ros.worlds.names import checked_name, checked_word, numbered

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]
Length = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Range = tuple[Number, Number]
Vector = tuple[Number, Number, Number]
Name = Annotated[str, AfterValidator(lambda name: checked_name(" ".join(name.split())))]
"""Of a thing, as `checked_name` allows it, with single spaces."""
Word = Annotated[Words, AfterValidator(checked_word)]
"""A kind or a tag, as `checked_word` allows it."""

Reading = Annotated[str, AfterValidator(lambda said: " ".join(said.split()))]
"""Of a goal, with single spaces."""
Conditions = Annotated[tuple[Condition, ...], BeforeValidator(lambda said: parse_conditions(_joined(said)))]
"""A text of conditions with commas between them, or a list of such texts: all of them."""
Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z]\w*$")]


def _joined(said: object) -> str:
    texts = said if isinstance(said, list) else [said]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("conditions are a text, or a list of texts, such as 'not held(_), open(place)'")
    return ", ".join(map(str, texts))


class Entry(BaseModel):
    """One entry of a world's file; it has a line of its own in errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ObjectEntry(Entry):
    """As many objects of a kind as it counts; see `fmrl_ros.worlds.world.WorldObject`."""

    name: Name
    kind: Word
    count: Annotated[int, Field(ge=1)] = 1
    color: tuple[Share, Share, Share] = (0.5, 0.5, 0.5)
    size: tuple[Length, Length, Length] = (0.0, 0.0, 0.0)
    tags: tuple[Word, ...] = ()
    description: str = ""


class PlaceEntry(Entry):
    """See `fmrl_ros.worlds.world.Place`."""

    name: Name
    position: Range = (0.0, 0.0)
    kind: Word = "place"
    aliases: tuple[Words, ...] = ()
    tags: tuple[Word, ...] = ()


class FixtureEntry(Entry):
    """See `fmrl_ros.worlds.world.Fixture`."""

    name: Name
    kind: Word
    position: Vector
    size: tuple[Length, Length, Length]
    travel: Vector = (0.0, 0.0, 0.0)
    inside: Vector = (0.0, 0.0, 0.0)
    edge: Vector = (0.0, 0.0, 0.0)


class PredicateEntry(Entry):
    """See `fmrl_ros.worlds.conditions.Predicate`."""

    name: Identifier
    arguments: Annotated[dict[Identifier, Words], Field(min_length=1, max_length=3)]
    where: bool = False
    when: tuple[Conditions, ...] = ()
    words: tuple[()] | tuple[Words, Words] = ()
    asked: Reading = ""
    denied: Reading = ""
    inverse: Reading = ""


class SkillEntry(Entry):
    """See `fmrl_ros.worlds.world.SkillGrammar`."""

    name: Words
    phrase: Words
    arguments: dict[Identifier, Words] = {}
    requires: Conditions = ()
    achieves: Conditions = ()
    undoes: Conditions = ()
    also: Conditions = ()
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
    extremes: dict[Name, Vector] = {}
    predicates: tuple[PredicateEntry, ...] = ()
    skills: tuple[SkillEntry, ...] = ()


def names_of(entry: ObjectEntry | PlaceEntry | FixtureEntry) -> list[str]:
    """Return the names of what an entry says: one, or as many as it counts."""
    return [numbered(entry.name, number) for number in range(1, getattr(entry, "count", 1) + 1)]
