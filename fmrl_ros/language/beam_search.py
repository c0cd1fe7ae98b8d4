"""A beam search for the likeliest texts of a grammar: which beginnings are followed, and which texts were found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from fmrl_ros.language.language_model import Grammar

PARTIAL_LETTER, MAX_PARTIAL = "\ufffd", 3
"""Stands where tokens end within a letter: once, or for each of its bytes, at most `MAX_PARTIAL` times."""


@dataclass(frozen=True)
class Beam:
    """The beginning of a text.

    Attributes:
      log_p: Its log-probability.
      tokens, text: What it says; the text is cut before a stop string.
      ended: Whether it is whole.
      slots: Where its tokens are in the cache, as far as they were read.
    """

    log_p: float = 0.0
    tokens: tuple[int, ...] = ()
    text: str = ""
    ended: bool = False
    slots: tuple[int, ...] = ()


@dataclass
class BeamSearch:
    """A search for the likeliest texts of a grammar.

    Attributes:
      grammar: Says what can be written.
      beams: Number of beginnings that are followed at a time.
      count: Number of texts to find.
      within: Nats; a text that is less likely than the likeliest by more is not followed.
      live: The beginnings that are followed, the likeliest first.
      found: Whole texts, the likeliest first.
    """

    grammar: Grammar
    beams: int
    count: int = 1
    within: float = math.inf
    live: list[Beam] = field(default_factory=lambda: [Beam()])
    found: list[Beam] = field(default_factory=list)

    def take(self, ways: Sequence[Beam]) -> None:
        """Add every way to go on from the live beams, and keep those worth following.

        Beams with the same text in other tokens are one, with the likeliest tokens. Parts of different letters only
        look the same.
        """
        unique: dict[tuple[str | tuple[int, ...], bool], Beam] = {}
        for beam in sorted([*self.found, *ways], key=lambda beam: -beam.log_p):
            said = beam.tokens if beam.text.endswith(PARTIAL_LETTER) else beam.text
            unique.setdefault((said, beam.ended), beam)
        ranked = list(unique.values())
        least = ranked[0].log_p - self.within if ranked else -math.inf
        self.found = [beam for beam in ranked if beam.ended and beam.log_p >= least][: self.count]
        if len(self.found) == self.count:
            least = max(least, self.found[-1].log_p)
        self.live = [beam for beam in ranked if not beam.ended and beam.log_p > least][: self.beams]
