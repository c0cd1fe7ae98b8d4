"""A dictionary as a lexicon: what things are, what they are for, and how else they are called.

WordNet (Miller 1995, https://wordnet.princeton.edu) says of some ten thousand things that one can hold what they are a
kind of and what they are for. The lexicon that was written for this project says far more of far fewer. WordNet
also has two thousand verbs for what can be done to a thing and is none of a kitchen robot's skills.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

WORDNET = Path("/usr/share/wordnet")
"""Where Debian's and Ubuntu's package ``wordnet-base`` puts its files."""

_KINDS = {
    "instrumentality",
    "commodity",
    "covering",
    "decoration",
    "fabric",
    "creation",
    "toy",
    "food",
    "sheet",
    "strip",
}
"""What a thing that one can hold is a kind of, in WordNet's words; a few that one cannot (``_NOT_HELD``) come along."""
_NOT_HELD = {
    "vehicle", "system", "weaponry", "weapon", "explosive device", "floor cover", "fixture", "facility",
    "memory device", "vibrator", "contraceptive",
}  # fmt: skip
_SKILL_VERBS = {
    "move", "displace", "travel", "get", "acquire", "give", "transfer", "take", "put", "place", "lay", "pick", "hold",
    "grasp", "have", "find", "search", "bring", "carry", "throw", "open", "close", "shut", "release", "remove",
    "store", "keep", "want", "desire", "look", "see", "free", "discard", "dispose", "collect", "gather", "supply",
    "provide", "offer", "send", "deliver", "stop", "lift", "raise", "choose", "let", "leave", "lower", "drop",
    "clean", "arrange", "install",
}  # fmt: skip
"""What a skill does, or may be called, in WordNet's words; so is whatever is a way of doing it."""
_VERB_FILES = {"29", "30", "32", "33", "34", "35", "36", "37", "39", "41"}
"""WordNet's files of the verbs for what is done on purpose (lexnames(5WN)): change, contact, creation and the like."""
_TO_SOMETHING = "8"
"""WordNet's sentence frame "somebody ----s something"."""
_LONGEST = 70
"""Letters of a purpose at most."""
_BEGINNINGS = re.compile(
    r"\b(?:(?:usually |often |formerly |originally |that is |that are )?(?:used|worn|made|eaten|served|designed|"
    r"intended|filled|consisting|having|containing|resembling|producing|operated|carried|cooked|baked|prepared|flavou?red|placed)|"
    r"that|(?<!in )(?<!into )(?<!on )(?<!of )(?<!from )(?<!by )(?<!to )(?<!against )which|for|with)\b"
)
"""What in a definition begins to say what a thing is like or for."""


class DictionaryError(RuntimeError):
    """There is no dictionary; the message says how to get it."""


@dataclass(frozen=True)
class Entry:
    """A concept of the dictionary.

    Attributes:
      words: Its names, the usual one first.
      kinds: What it is a kind of, the next kind first.
      definitions: What is said of it, in clauses.
      uses: How it completes "something", as people see it; a dictionary does not say. See `concept_net.with_uses`.
    """

    words: tuple[str, ...]
    kinds: tuple[str, ...]
    definitions: tuple[str, ...]
    uses: tuple[str, ...] = ()


def entries(folder: Path = WORDNET) -> list[Entry]:
    """Return the dictionary's things that one can hold, each by its first meaning.

    Raises:
      DictionaryError: If WordNet's files are not in `folder`.
    """
    concepts, first = _read(folder, "noun")
    return [
        Entry(words, tuple(kinds), _clauses(concept.gloss))
        for concept in concepts.values()
        if (words := tuple(_plain(w) for w in concept.words if _usable(w) and first[w.lower()] == concept.offset))
        and (kinds := _kinds(concept, concepts)) is not None
    ]


def unsupported_verbs(folder: Path = WORDNET) -> list[str]:
    """Return the verbs, each by its first meaning, for what can be done to a thing and no skill does.

    Raises:
      DictionaryError: If WordNet's files are not in `folder`.
    """
    concepts, first = _read(folder, "verb")
    return [
        word
        for concept in concepts.values()
        if concept.file in _VERB_FILES and _TO_SOMETHING in concept.frames
        if _SKILL_VERBS.isdisjoint(word for kind in (concept, *_above(concept, concepts)) for word in kind.words)
        for word in concept.words
        if word.islower() and word.isalpha() and first[word] == concept.offset
    ]


def verbs(folder: Path = WORDNET) -> set[str]:
    """Return all verbs. Raises DictionaryError as `entries` does."""
    return set(_read(folder, "verb")[1])


def purpose_of(definition: str) -> str | None:
    """Return how a definition completes "something ...", as in "something for cutting wire"; None where it does not."""
    found = _BEGINNINGS.search(definition, pos=definition.find(" ") + 1)
    if found is None or found.start() == 0:
        return None
    purpose = definition[found.start() :].replace("which ", "that ", 1)
    purpose = re.sub(r"^(?:usually |often |formerly |originally |that is |that are )?used (to|for) ", r"\1 ", purpose)
    return purpose if 2 <= len(purpose.split()) <= 12 and len(purpose) <= _LONGEST else None


@dataclass(frozen=True)
class _Concept:
    offset: str
    file: str
    words: tuple[str, ...]
    kinds: tuple[str, ...]
    frames: frozenset[str]
    gloss: str

    @classmethod
    def parse(cls, line: str) -> _Concept:
        """Read a line of ``data.noun`` or ``data.verb``; wndb(5WN) says what is in it."""
        fields, _, gloss = line.partition(" | ")
        offset, file, _, count, *rest = fields.split()
        words = tuple(rest[: 2 * int(count, 16) : 2])
        many, *rest = rest[2 * int(count, 16) :]
        pointers, frames = rest[: 4 * int(many)], rest[4 * int(many) + 1 :]
        kinds = tuple(to for sign, to in zip(pointers[::4], pointers[1::4], strict=True) if sign == "@")
        return cls(offset, file, words, kinds, frozenset(f.lstrip("0") for f in frames[1::3]), gloss.strip())


@cache
def _read(folder: Path, part: str) -> tuple[dict[str, _Concept], dict[str, str]]:
    """Return the concepts of a part of speech by their offsets, and the offset of each word's first meaning."""
    try:
        data = (folder / f"data.{part}").read_text(encoding="latin-1")
        index = (folder / f"index.{part}").read_text(encoding="latin-1")
    except OSError as error:
        raise DictionaryError(
            f"no WordNet in {folder} ({error.strerror}): install it with 'sudo apt-get install wordnet-base'"
        ) from error
    first = {}
    for line in index.splitlines():
        if not line.startswith(" "):
            fields = line.split()
            first[fields[0]] = fields[-int(fields[2])]  # the offsets are the last fields, the first meaning's first
    several = [_Concept.parse(line) for line in data.splitlines() if not line.startswith(" ")]
    return {concept.offset: concept for concept in several}, first


def _kinds(concept: _Concept, concepts: dict[str, _Concept]) -> list[str] | None:
    """Return what a concept is a kind of, up to what one can hold; None for what one cannot."""
    above = list(_above(concept, concepts))
    names = [_plain(kind.words[0]) for kind in above]
    if any(name in _NOT_HELD for name in (*map(_plain, concept.words), *names)):
        return None
    until = next((i for i, name in enumerate(names) if name in _KINDS), None)
    return None if until is None else [n for n, k in zip(names[:until], above, strict=False) if _usable(k.words[0])]


def _above(concept: _Concept, concepts: dict[str, _Concept]) -> Iterator[_Concept]:
    while concept.kinds:
        concept = concepts[concept.kinds[0]]
        yield concept


def _usable(word: str) -> bool:
    return word.islower() and word.replace("_", "").replace("-", "").isalpha() and word.count("_") < 3 and len(word) > 2


def _plain(word: str) -> str:
    return word.replace("_", " ")


def _clauses(gloss: str) -> tuple[str, ...]:
    """Return a definition's clauses without examples and brackets."""
    plain = re.sub(r'"[^"]*"|\([^)]*\)', "", gloss)
    return tuple(clause for part in plain.split(";") if (clause := " ".join(part.split()).strip(" ,:")))
