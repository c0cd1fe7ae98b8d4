"""Corrects typing errors before a small model reads them, by how often English has each word (wordfreq)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from string import ascii_lowercase

from wordfreq import get_frequency_dict

from fmrl_ros.worlds.world import World

SHORTEST = 4
"""Shorter words are too easily mistaken for one another."""
TYPING_ERROR_RATE = 0.02
"""Share of words that are mistyped."""
_MIN_OWN_FREQUENCY = 1e-4
"""Least frequency of a word that the world has: a person speaks of what there is."""
_UNSEEN_FREQUENCY = 1e-9
"""Frequency of a word that English does not have; it has those above 1e-8, names and known misspellings among them."""
_WORD = re.compile(r"[^\W\d_]+")
_HYPHENATED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_TYPED = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in lower case; those with hyphens also as a whole."""
    return frozenset(word.lower() for pattern in (_WORD, _HYPHENATED) for word in pattern.findall(text))


def known_words(world: World, prompt: str) -> frozenset[str]:
    """Return the words that the world has: those of what a prompt says of it, and of its skills."""
    return words_of(" ".join((prompt, *(skill.phrase for skill in world.options))))


def respell(sentence: str, known: Collection[str]) -> tuple[str, dict[str, str]]:
    """Return a sentence in which words are read as their neighbours where that is likelier than what was typed.

    A neighbour is one letter dropped, added, changed or swapped away. A noisy channel (Kernighan, Church and Gale 1990,
    https://aclanthology.org/C90-2036) says how likely a word is meant: as often as English has it, at least
    `_MIN_OWN_FREQUENCY` if the world has it, times how likely it is mistyped so. Words that the world has stay as they
    are, and so do words with an apostrophe. A word that the world writes with a hyphen gets it.

    Args:
      sentence: What was typed.
      known: Words in lower case that the world has; their plurals are known, too.

    Returns:
      The sentence, and what each changed word was read as.
    """
    lexicon = _Lexicon(known)
    changed: dict[str, str] = {}

    def read(match: re.Match[str]) -> str:
        typed = match.group()
        right = lexicon.read(typed.lower())
        if right == typed.lower():
            return typed
        changed[typed] = right.capitalize() if typed[0].isupper() else right
        return changed[typed]

    return _TYPED.sub(read, sentence), changed


class _Lexicon:
    """How often each word is meant: as often as English has it, or the world's own words at least.

    Args:
      known: Words in lower case that the world has.
    """

    def __init__(self, known: Collection[str]) -> None:
        self._english = _english()
        self._own = {*known, *(plural for word in known if len(word) >= SHORTEST for plural in _plurals(word))}
        self._hyphenated = {word.replace("-", ""): word for word in self._own if "-" in word}

    def read(self, word: str) -> str:
        """Return the word that is most likely meant where one was typed, in lower case."""
        if word in self._own:
            return word
        if word in self._hyphenated:
            return self._hyphenated[word]
        if len(word) < SHORTEST or not word.isalpha():
            return word
        near = (other for other in _neighbours(word) if other in self._english or other in self._own)
        likely = {other: TYPING_ERROR_RATE * self._frequency(other) * _slip_probability(word, other) for other in near}
        best = max(likely, key=likely.__getitem__, default=word)
        return best if likely.get(best, 0.0) > (1 - TYPING_ERROR_RATE) * self._frequency(word) else word

    def _frequency(self, word: str) -> float:
        return max(self._english.get(word, _UNSEEN_FREQUENCY), _MIN_OWN_FREQUENCY if word in self._own else 0.0)


def _neighbours(word: str) -> Iterator[str]:
    """Yield every row of letters from which the word is one slip away."""
    for i in range(len(word) + 1):
        before, after = word[:i], word[i:]
        yield from (before + letter + after for letter in ascii_lowercase)
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in ascii_lowercase if letter != after[0])
        if len(after) > 1 and after[0] != after[1]:
            yield before + after[1] + after[0] + after[2:]


def _plurals(word: str) -> tuple[str, ...]:
    return (f"{word}s", f"{word}es") if word.endswith(("s", "x", "z", "ch", "sh", "o")) else (f"{word}s",)


def _slip_probability(typed: str, meant: str) -> float:
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
def _english() -> dict[str, float]:
    """Return how often each English word is met, as a share of all words."""
    return get_frequency_dict("en")
