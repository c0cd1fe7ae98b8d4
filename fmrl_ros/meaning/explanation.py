"""Explanations: what a planner's model writes about an instruction before its first step, as typed parts and as text.

Parts are separated by ``"; "``: ``open DRAWER``, ``close DRAWER``, ``go to PLACE``, ``find THING``, ``pick up THING``,
``put down``, ``THING to PLACE``, ``THING beside THING to PLACE`` (where the other one is), ``REQUEST: THING, ... to
PLACE``, ``REQUEST: none`` and ``no skill``. A ``REQUEST`` is a tag or a kind of thing, in the singular or the plural,
``held`` or ``at PLACE``; ``all``, a number or ``different`` may stand before it, and ``, not REQUEST`` or ``, also
REQUEST`` behind it: what it must not be, or must be as well. The whole may begin with what the hand holds:
``hand: tea; tea to user``.

This is the one place that reads and writes that text; the grammar (`explanation_grammar`) holds a model to it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from fmrl_ros.meaning.english import plural
from fmrl_ros.worlds.names import kind_of
from fmrl_ros.worlds.world import World

HELD, NONE, NO_SKILL = "held", "none", "no skill"
BESIDE, BETWEEN_PARTS, BETWEEN_NAMES = " beside ", "; ", ", "
OPEN, CLOSE, GO, FIND, PICK, PUT_DOWN = "open", "close", "go to", "find", "pick up", "put down"
VERBS = (OPEN, CLOSE, GO, FIND, PICK, PUT_DOWN)
"""What a part may begin with that is about no delivery."""
_NONE_OF_IT = f": {NONE}"
_HAND_PART = re.compile(r"hand: [^;]*;\s*")
_REQUEST = re.compile(r"(?:(all|[1-9]) )?(different )?(.*?)(?:, (not|also) (.*))?")


@dataclass(frozen=True)
class Request:
    """What things are asked for by, where it is not their names: ``2 different fruit, not apple``.

    Attributes:
      kind: A tag, a kind or a name; `HELD`, or ``at`` and a place.
      quantity: ``all``, a digit, or nothing for one.
      different: No two of a kind are meant.
      relation: ``not``, ``also`` or nothing: how `other` restricts it.
      other: As `kind`.
    """

    kind: str
    quantity: str = ""
    different: bool = False
    relation: str = ""
    other: str = ""

    @classmethod
    def parse(cls, text: str) -> Request | None:
        """Return the request that a text states, or None."""
        found = _REQUEST.fullmatch(text)
        if found is None:
            return None
        quantity, different, kind, relation, other = (group or "" for group in found.groups())
        names = (kind, other) if relation else (kind,)
        if not all(name and name == name.strip() for name in names):
            return None
        return cls(kind, quantity, bool(different), relation, other)

    def __str__(self) -> str:
        """Return the text of which `parse` makes it."""
        words = (self.quantity, "different" if self.different else "", self.kind)
        asked = " ".join(word for word in words if word)
        return f"{asked}, {self.relation} {self.other}" if self.relation else asked

    def count(self, candidates: int) -> int:
        """Return how many things are requested, where there are `candidates`."""
        return candidates if self.quantity == "all" else min(int(self.quantity or 1), candidates)


@dataclass(frozen=True)
class Transfer:
    """Things that go to a place.

    Attributes:
      listed: Their names, with commas.
      place: Where they go; empty for where `beside` is.
      request: What they are asked for by; empty for their names.
      beside: What is at the place already, if that is how it was named.
    """

    listed: str
    place: str
    request: str = ""
    beside: str = ""

    @property
    def things(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.listed.split(BETWEEN_NAMES))

    def __str__(self) -> str:
        """Return its text."""
        beside = f"{BESIDE}{self.beside}" if self.beside else ""
        goes = f"{self.listed}{beside}" + (f" to {self.place}" if self.place else "")
        return f"{self.request}: {goes}" if self.request else goes


@dataclass(frozen=True)
class Act:
    """Something that is done with a drawer, a place or a thing: one of the `VERBS`, and with what."""

    verb: str
    what: str = ""

    def __str__(self) -> str:
        """Return its text."""
        return f"{self.verb} {self.what}".rstrip()


@dataclass(frozen=True)
class Impossible:
    """What cannot be done: there is nothing of that kind, or, where it is empty, no skill for it."""

    missing: str = ""

    def __str__(self) -> str:
        """Return its text."""
        return f"{self.missing}{_NONE_OF_IT}" if self.missing else NO_SKILL


@dataclass(frozen=True)
class Unreadable:
    """A part that is none of the others."""

    text: str

    def __str__(self) -> str:
        """Return its text."""
        return self.text


Part = Transfer | Act | Impossible | Unreadable


def parse(explanation: str, places: Collection[str]) -> list[Part]:
    """Return the parts of an explanation, without what the hand held.

    Args:
      explanation: Its text.
      places: Where things can go.
    """
    text = _HAND_PART.sub("", explanation.strip().rstrip(";"), count=1)
    return [parse_part(part, places) for part in text.split(BETWEEN_PARTS)]


def parse_part(text: str, places: Collection[str]) -> Part:
    """Return the part that a text states.

    What things are called may begin as a verb does (``open fire: poker to user``, ``open sandwich to table``), and have
    a "to" in it (``guide to rome to user``): the longest place at the end is where a delivery goes.
    """
    if refuses(text):
        return Impossible(text.removesuffix(_NONE_OF_IT).removesuffix(NO_SKILL))
    request, _, rest = text.rpartition(": ")
    goes, place = _split_place(rest, places)
    verb = next((verb for verb in VERBS if f"{text} ".startswith(f"{verb} ")), "")
    what = text[len(verb) + 1 :]
    if verb and bool(what) != (verb == PUT_DOWN) and ":" not in what and not _split_place(what, places)[1]:
        return Act(verb, what)
    listed, _, beside = goes.partition(BESIDE)
    return Transfer(listed, place, request, beside) if place or beside else Unreadable(text)


def write(parts: Collection[Part]) -> str:
    """Return the text of which `parse` makes the parts."""
    return BETWEEN_PARTS.join(map(str, parts))


def refuses(explanation: str) -> bool:
    """True if an explanation says that something cannot be done."""
    return any(part == NO_SKILL or part.endswith(_NONE_OF_IT) for part in explanation.strip().split(BETWEEN_PARTS))


def _split_place(text: str, places: Collection[str]) -> tuple[str, str]:
    """Return what stands before ``to`` and a place, and the place; the whole and nothing if it does not end so."""
    place = max((place for place in places if text.endswith(f" to {place}")), key=len, default="")
    return (text.removesuffix(f" to {place}"), place) if place else (text, "")


def names_of(thing: str, world: World) -> frozenset[str]:
    """Return what a thing can be requested as: by its name, its kind or one of its tags, in singular or plural."""
    kinds = (kind_of(thing), *world.object(thing).tags)
    return frozenset((thing, *kinds, *map(plural, kinds)))
