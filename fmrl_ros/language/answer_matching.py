"""Which option a free answer states, for servers that give no log-probabilities.

An answer states an option where a sentence or a line of it is the option and nothing else, or ends with it behind a
colon ("I would say: done."). What only mentions options, or is spelt like one, states none: it may be a thought, a
question, or the opposite.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

NAMED, CHOSEN = 1 - 1e-5, 0.9
"""Probability given to the option that an answer states, and to one that is ruled out where another follows."""

_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+")
_MARKUP = " \t\r*_#>-\"'`.,;!(){}[]\u201c\u201d\u2018\u2019"
"""What may stand around an option: list marks, quotes, brackets, the end of a sentence. A question mark may not."""


def stated_option(answer: str, options: Sequence[str]) -> int | None:
    """Return which option an answer states; None if it states none, or more than one.

    The last sentence counts, whatever was considered before; the first one if the rest mentions no other option.
    """
    numbers = {_plain(option): i for i, option in reversed(list(enumerate(options)))}
    if (whole := numbers.get(_plain(answer))) is not None:
        return whole
    stated = [_stated_in(sentence, numbers) for sentence in _SENTENCES.split(answer) if _plain(sentence)]
    found = {number for number in stated if number is not None}
    if len(found) != 1:
        return None
    (number,) = found
    if stated[-1] == number or (stated[0] == number and not _mentioned(answer, options) - {number}):
        return number
    return None


def scores_of(stated: int, count: int) -> NDArray[np.float64]:
    """Return log scores, shape [count], nats: nearly all of the mass is on the option that is stated."""
    shares = np.full(count, (1 - NAMED) / max(1, count - 1))
    shares[stated] = NAMED if count > 1 else 1.0
    return np.asarray(np.log(shares))


def _stated_in(sentence: str, numbers: dict[str, int]) -> int | None:
    """Return which option a sentence is, as a whole or behind its last colon."""
    whole = numbers.get(_plain(sentence))
    return numbers.get(_plain(sentence.rpartition(":")[2])) if whole is None else whole


def _mentioned(answer: str, options: Sequence[str]) -> set[int]:
    """Return which options stand in an answer, those that are only part of a longer one left out."""
    said, found = _plain(answer), set[int]()
    for number, option in sorted(enumerate(options), key=lambda each: -len(each[1])):
        said, count = re.subn(rf"(?<!\w){re.escape(_plain(option))}(?!\w)", "", said)
        found |= {number} if count else set()
    return found


def _plain(text: str) -> str:
    """Return a text in small letters, without marks around it or a number before it."""
    text = re.sub(r"^[\s*_#>-]*\d+[.)]\s+", "", text)
    return " ".join(text.strip(_MARKUP + "\n").lower().split())
