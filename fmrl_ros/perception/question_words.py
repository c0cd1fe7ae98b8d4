"""The words of questions about a scene: what is asked, and the kinds, names, relations, states and extremes in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fmrl_ros.perception.question_form import question_in
from fmrl_ros.worlds.world import World

Token = tuple[str, str]
"""A typed word, (type, value); types are asked, kind, name, predicate, state and extreme."""
TABLE, ROBOT, ANY = "table", "you", "thing"
"""Values of words for the table, the robot itself, and a thing of any kind."""
_FILLERS = frozenset({
    "the", "a", "an", "there", "now", "do", "does", "did", "you", "can", "see", "it", "that", "any", "of", "them",
    "right", "please", "tell", "me", "to", "they", "and", "one", "ones",
})  # fmt: skip
_QUESTION_WORDS = {
    "where": "where",
    "what": "what",
    "which": "what",
    "how many": "how many",
    "is": "is",
    "are": "is",
    "has": "is",
    **dict.fromkeys(("is there", "are there", "there is", "there are"), "is there"),
    **dict.fromkeys(("do you see", "can you see", "could you see", "have you seen"), "is there"),
    "count": "how many",
    **dict.fromkeys(("describe the scene", "describe the table", "describe what", "where is everything"), "what"),
}
_KIND_SYNONYMS = {
    "block": ("cube", "brick", "box", "piece"),
    "bowl": ("dish", "basin", "container"),
}
"""Other words for a kind of thing, where a world has things of that kind."""
_PREDICATES = {
    "in": ("in", "inside", "into", "within"),
    "on": ("on", "on top of", "upon"),
    "at": ("at",),
    "near": ("near", "next to", "beside", "close to", "by"),
    "left of": ("left of", "to the left of"),
    "right of": ("right of", "to the right of"),
    "behind": ("behind",),
    "in front of": ("in front of", "before"),
}
_STATES = {
    "open": ("open", "opened"),
    "closed": ("closed", "shut"),
    "empty": ("empty",),
    "full": ("full",),
    "clear": ("clear", "free"),
    "lit": ("lit", "lit up"),
    "held": ("held", "holding", "hold", "in your hand", "in the hand", "in your gripper", "in the gripper"),
}
_EXTREMES: dict[str, tuple[str, ...]] = {
    "nearest": ("nearest", "closest", "nearest to", "closest to"),
    "farthest": ("farthest", "furthest", "farthest from", "furthest from"),
    "leftmost": ("leftmost", "furthest left", "farthest left"),
    "rightmost": ("rightmost", "furthest right", "farthest right"),
    "highest": ("highest", "topmost"),
}


def _phrases(world: World) -> dict[str, Token]:
    """Return the typed word that each phrase stands for; a name goes before a word that is spelled like it."""
    return {
        **_kind_phrases(world),
        **{phrase: ("asked", value) for phrase, value in _QUESTION_WORDS.items()},
        **_synonyms("predicate", _PREDICATES),
        **_synonyms("state", _STATES),
        **_synonyms("extreme", _EXTREMES),
        **_name_phrases(world),
    }


def _kind_phrases(world: World) -> dict[str, Token]:
    kinds = {*(o.kind for o in world.objects), *(f.kind for f in world.fixtures), ANY}
    words = {form: kind for kind in kinds for word in _words_for(kind) for form in (word, _plural(word))}
    words |= dict.fromkeys(("object", "objects", "anything", "something"), ANY)
    return {word: ("kind", kind) for word, kind in words.items()}


def _words_for(kind: str) -> tuple[str, ...]:
    return (kind, *_KIND_SYNONYMS.get(kind, ()))


def _plural(word: str) -> str:
    return f"{word}es" if word.endswith(("s", "x", "z", "ch", "sh")) else f"{word}s"


def _synonyms(type_: str, table: Mapping[str, Sequence[str]]) -> dict[str, Token]:
    return {phrase: (type_, value) for value, phrases in table.items() for phrase in phrases}


def _name_phrases(world: World) -> dict[str, Token]:
    words = dict.fromkeys(("yourself", "the robot", f"to {ROBOT}", f"from {ROBOT}"), ROBOT)
    words |= {form: o.name for o in world.objects for word in _names(o.name, o.kind) for form in (word, _plural(word))}
    words |= {alias: place.name for place in world.places for alias in place.aliases}
    names = [entry.name for entries in (world.objects, world.fixtures, world.places) for entry in entries]
    words |= {name: name for name in (TABLE, *names)}
    return {word: ("name", name) for word, name in words.items()}


def _names(name: str, kind: str) -> tuple[str, ...]:
    """Return what a thing may be called: a "red block" is a "red cube", too."""
    if not name.endswith(f" {kind}"):
        return (name,)
    return tuple(name.removesuffix(kind) + word for word in _words_for(kind))


class QuestionReader:
    """Turns questions about a world into typed words."""

    def __init__(self, world: World) -> None:
        phrases = _phrases(world)
        self._phrases = {tuple(phrase.split()): token for phrase, token in phrases.items()}
        self._longest = max(map(len, self._phrases))

    def read(self, question: str) -> tuple[list[Token], list[str]]:
        """Return the typed words, and the words that are unknown; fillers are left out."""
        rest = re.findall(r"[a-z0-9]+(?:'[a-z]+)*", question_in(question))
        words, unknown_words = [], [] if rest else ["nothing"]
        while rest:
            length = next((n for n in range(self._longest, 0, -1) if tuple(rest[:n]) in self._phrases), 0)
            if length:
                words.append(self._phrases[tuple(rest[:length])])
            elif rest[0] not in _FILLERS:
                unknown_words.append(rest[0])
            rest = rest[max(length, 1) :]
        return words, unknown_words
