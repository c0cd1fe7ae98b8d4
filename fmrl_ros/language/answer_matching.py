"""Scores of options by their likeness to a free answer, for servers that give no log-probabilities.

They rank options but are no probabilities of the model: an option that the answer names gets `NAMED` of the mass, one
that it is only most like `CHOSEN`, and the others share the rest by their likeness to the answer.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

NAMED, CHOSEN = 1 - 1e-5, 0.9
"""Probability given to the option that an answer names, and to one that it is only most like or that is ruled out."""


def match_scores(answer: str, options: Sequence[str]) -> NDArray[np.float64]:
    """Return log scores, shape [n], of options by their likeness to a free answer."""
    if len(options) == 1:
        return np.zeros(1)
    said = _plain(answer)
    likeness = np.array([difflib.SequenceMatcher(None, said, _plain(option)).ratio() for option in options])
    named = named_option(answer, options)
    best, share = (int(np.argmax(likeness)), CHOSEN) if named is None else (named, NAMED)
    rest = likeness + 1e-3
    rest[best] = 0.0
    shares = (1 - share) * rest / rest.sum()
    shares[best] = share
    return np.asarray(np.log(shares))


def named_option(answer: str, options: Sequence[str]) -> int | None:
    """Return which option, the longest of several, stands word for word in an answer; None if none does."""
    said = _plain(answer)
    named = [(len(o), -i) for i, o in enumerate(options) if re.search(rf"(?<!\w){re.escape(_plain(o))}(?!\w)", said)]
    return -max(named)[1] if named else None


def _plain(text: str) -> str:
    return text.strip().strip("-*\"'`. ").lower()
