"""Slips of the keyboard put right before a small model reads them, with a dictionary of English (pyspellchecker)."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from spellchecker import SpellChecker

from fmrl_ros.worlds.world import World

SHORTEST = 4
"""Shorter words are too easily mistaken for one another."""
_UNSEEN = 1e-9
"""Frequency of a word that the dictionary does not have."""
_WORD = re.compile(r"[^\W\d_]+")
_HYPHENATED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in lower case; those with hyphens also as a whole."""
    return frozenset(word.lower() for pattern in (_WORD, _HYPHENATED) for word in pattern.findall(text))


def known_words(world: World, prompt: str) -> frozenset[str]:
    """Return the words that the world has: those of what a prompt says of it, and of its skills."""
    return words_of(" ".join((prompt, *(skill.phrase for skill in world.options))))


def respell(sentence: str, known: Collection[str]) -> tuple[str, dict[str, str]]:
    """Return a sentence in which words that neither English nor the world has are read as their neighbours.

    A neighbour is one letter dropped, added, changed or swapped away; one that the world has goes before the others.
    Of several the likeliest is meant: its frequency times how likely it is mistyped so (a noisy channel: Kernighan,
    Church and Gale 1990, https://aclanthology.org/C90-2036). A word without a neighbour stays: it may be a name. One
    that the world writes with a hyphen gets it.

    Args:
      sentence: What was typed.
      known: Words in lower case that the world has; their plurals are known, too.

    Returns:
      The sentence, and what each changed word was read as.
    """
    english = _english()
    own = {*known, *(plural for word in known if len(word) >= SHORTEST for plural in _plurals(word))}
    joined = {word.replace("-", ""): word for word in own if "-" in word}
    changed: dict[str, str] = {}

    def read(match: re.Match[str]) -> str:
        typed = match.group()
        word = typed.lower()
        if word in own:
            return typed
        if word in joined:
            candidates = [joined[word]]
        elif len(word) < SHORTEST or english.known([word]):
            return typed
        else:
            near = [other for other in english.edit_distance_1(word) if other.isalpha()]
            candidates = [other for other in near if other in own] or sorted(english.known(near))
        if not candidates:
            return typed
        right = max(candidates, key=lambda meant: (english.word_usage_frequency(meant) + _UNSEEN) * _slip(word, meant))
        changed[typed] = right.capitalize() if typed[0].isupper() else right
        return changed[typed]

    return _WORD.sub(read, sentence), changed


def _plurals(word: str) -> tuple[str, ...]:
    return (f"{word}s", f"{word}es") if word.endswith(("s", "x", "z", "ch", "sh", "o")) else (f"{word}s",)


def _slip(typed: str, meant: str) -> float:
    """Return how likely a word is mistyped so: all kinds of slips are as likely, some have more ways to happen."""
    size, alphabet = len(meant), 26
    if len(typed) < size:
        return 1 / size
    if len(typed) > size:
        return 1 / size if _doubled(typed, meant) else 1 / (alphabet * size)
    return 1 / size if sorted(typed) == sorted(meant) else 1 / (alphabet * size)


def _doubled(typed: str, meant: str) -> bool:
    return any(typed == meant[:i] + meant[i - 1] + meant[i:] for i in range(1, len(meant) + 1))


@lru_cache(maxsize=1)
def _english() -> SpellChecker:
    return SpellChecker(distance=1)
