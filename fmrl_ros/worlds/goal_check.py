"""Whether a goal can say what a world's file names, and can tell it apart; what it cannot is named by line.

How goals are written follows from the file (`fmrl_ros.meaning.goal`): a predicate's name, or what it says with `asked`
and `denied`, between names, kinds and tags of things.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fmrl_ros.worlds.conditions import HELD, Predicate
from fmrl_ros.worlds.marked_yaml import Said
from fmrl_ros.worlds.names import GOAL_WORDS, QUANTITIES, SEPARATORS, goal_word, kind_of
from fmrl_ros.worlds.world_entries import PredicateEntry, names_of

_SLOT = re.compile(r"\{([^{}]*)\}")
_TRUTH = ("holds", "does not hold")


@dataclass(frozen=True)
class _Reading:
    """How a goal says that a predicate shall hold, or shall not.

    Attributes:
      said: The predicate's entry.
      key: Under what it may say so.
      text: What it reads.
      truth: What that asks for.
    """

    said: Said
    key: str
    text: str
    truth: str

    def like(self, other: _Reading, members: Mapping[str, Collection[str]]) -> bool:
        """True if both may read the same when their slots are filled."""
        pairs = ((self, other), (other, self))
        if any(not one.kinds and re.fullmatch(another.pattern(members), one.text) for one, another in pairs):
            return True
        if self.pieces != other.pieces:
            return False
        return all({*own} & {*those} for own, those in zip(self.kinds, other.kinds, strict=True))

    @property
    def pieces(self) -> list[str]:
        """What stands before, between and behind the slots."""
        return _SLOT.split(self.text)[::2]

    @property
    def kinds(self) -> list[list[str]]:
        """The kinds that may fill each slot."""
        return [self.said.entry.arguments[slot].split("|") for slot in _SLOT.findall(self.text)]

    def pattern(self, members: Mapping[str, Collection[str]]) -> str:
        """Return an expression for all that it reads when its slots are filled with things that there are."""
        first, *others = map(re.escape, self.pieces)
        names = ("|".join(re.escape(name) for kind in kinds for name in members[kind]) for kinds in self.kinds)
        return first + "".join(f"(?:{each}){piece}" for each, piece in zip(names, others, strict=True))


def check_readings(predicates: Sequence[Said], members: Mapping[str, Collection[str]]) -> None:
    """Refuse predicates that a goal cannot say, and such as read like another.

    Args:
      predicates: The predicates.
      members: For every kind of things their names.

    Raises:
      ValueError: Names file, line, predicate and what is valid.
    """
    seen: list[_Reading] = []
    for said in predicates:
        _check_predicate(said)
        for reading in _readings(said):
            if other := next((each for each in seen if reading.like(each, members)), None):
                same = f"'{other.said.entry.name}' {other.truth}; that is in {other.said.place}"
                valid = "other words, under 'asked' or 'denied'"
                raise said.error(reading.key, f"'{reading.text}' is how a goal says that {same}; valid: {valid}")
            seen.append(reading)


def _readings(said: Said) -> Iterator[_Reading]:
    readings = Predicate(**dict(said.entry)).readings
    for key, text, truth in zip(("asked", "denied"), readings, _TRUTH, strict=True):
        yield _Reading(said, key, text, truth)


def _check_predicate(said: Said) -> None:
    """Refuse a predicate that is called like a goal's own word, and words of it that no goal can say."""
    entry: PredicateEntry = said.entry
    if entry.name != HELD and goal_word(entry.name):
        raise said.error(f"'{entry.name}' is a word of goals; call it otherwise, such as 'is_{entry.name}'")
    for key in ("asked", "denied", "inverse"):
        text = getattr(entry, key)
        if wrong := next((mark for mark in SEPARATORS if mark in text), ""):
            raise said.error(key, f"'{text}' has a '{wrong}' in it, which separates what goals say: leave it out")
    for key in ("asked", "denied"):
        if getattr(entry, key):
            _check_slots(said, key, getattr(entry, key))
            _check_beginning(said, key, getattr(entry, key))


def _check_slots(said: Said, key: str, text: str) -> None:
    """Refuse words that do not say the arguments: all of them, or, of what shall not hold, some."""
    slots = _SLOT.findall(text)
    arguments = [*said.entry.arguments]
    unpaired = "}{" in text or {*"{}"} & {*_SLOT.sub("", text)}
    wrong = unpaired or len({*slots}) < len(slots) or not {*slots} <= {*arguments}
    if wrong or (key == "asked" and len(slots) < len(arguments)):
        valid = ", ".join(f"{{{name}}}" for name in arguments)
        how = "each argument once, in words" if key == "asked" else "no argument twice, and nothing else in braces"
        raise said.error(key, f"'{text}' must say {how}; valid: {valid}")


def _check_beginning(said: Said, key: str, text: str) -> None:
    """Refuse words that a goal cannot tell from its own: ``stop``, ``if {it} rings``, ``all {it} clean``."""
    first, _, rest = text.lower().partition(" ")
    if text.lower() in GOAL_WORDS or (rest and first in (*QUANTITIES, "if")):
        raise said.error(
            key, f"'{text}' reads like what goals say themselves; valid: other words, such as those of a state"
        )


def check_quantities(things: Sequence[Said]) -> None:
    """Refuse a word for things that reads like so many of another word: "2 block", beside "block".

    Raises:
      ValueError: Names file, line, thing and what is valid.
    """
    words = {word for said in things for word in _words_for(said)}
    for said in things:
        for word in _words_for(said):
            quantity, _, rest = word.partition(" ")
            if quantity.lower() in QUANTITIES and rest in words:
                raise said.error(f"'{word}' reads like '{quantity}' of '{rest}' in a goal; valid: another beginning")


def _words_for(said: Said) -> list[str]:
    """Return by what a thing can be asked for: its names, its kind, its tags."""
    names = names_of(said.entry)
    return [*names, *map(kind_of, names), said.entry.kind, *getattr(said.entry, "tags", ())]
