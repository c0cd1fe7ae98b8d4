"""Who says what is generated: draws words and frames of one split, and speaks as people do, politely or with typos."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from fmrl_ros.learning.planner import table_wording as w
from fmrl_ros.learning.planner.sentences import SPLITS, Split, typo
from fmrl_ros.learning.planner.table_wording import is_command, words

T = TypeVar("T")


class Speaker:
    """Draws sentences of one split, which shares no frame with the others; words are shared.

    A share `typos` of the sentences has a typo.
    """

    def __init__(self, split: Split, seed: int, typos: float = 0.06) -> None:
        self.split, self.typos = split, typos
        self.rng = np.random.default_rng([seed, SPLITS.index(split)])

    def pick(self, choices: Sequence[T]) -> T:
        """Draw one of `choices`."""
        return choices[int(self.rng.integers(len(choices)))]

    def drawn(self, choices: Sequence[T], count: int) -> list[T]:
        """Draw up to `count` different ones of `choices`, in random order."""
        return [choices[i] for i in self.rng.permutation(len(choices))[:count]]

    def chance(self, share: float) -> bool:
        """Return True in this share of the calls."""
        return bool(self.rng.random() < share)

    def frames(self, key: str) -> Sequence[str]:
        """Return the frames of this split."""
        return w.section("frames")[key][self.split]

    def say(self, key: str, command: bool = False, /, **slots: str) -> str:
        """Return a frame of this split, one that is a command if so wished, with its slots filled."""
        frames = self.frames(key)
        return self.filled(self.pick([f for f in frames if is_command(f)] if command else frames), **slots)

    def filled(self, frame: str, **slots: str) -> str:
        """Return a frame with its slots filled; words are drawn."""
        said = re.sub(r"\{(\w+)\}", lambda m: slots[m[1]] if m[1] in slots else self.pick(words(m[1])), frame)
        return re.sub(r"\b(pick|lift|fish) up (it|that)(?=$|[,.;])", r"\1 \2 up", said)

    def dressed(self, sentence: str, command: bool) -> str:
        """Return a sentence as a person may type it: polite or not, in capitals or not, with a typo or not."""
        before = "ask" if command and self.chance(0.3) else "address" if self.chance(0.1) else ""
        if before:
            sentence = f"{self.pick(words(before))} {sentence}"
        question = "?" if re.match("(could|can|would|will|may) |how about|.*, could you", sentence) else "."
        if self.chance(0.12):
            sentence = f"{sentence.rstrip(',')}{self.pick((',', '', ''))} {self.pick(words('after'))}"
        if self.chance(0.06):
            sentence = sentence.replace("the ", "")
        if self.chance(self.typos):
            sentence = typo(sentence, self.rng)
        if self.chance(0.35):
            sentence = re.sub(r"(^|[.?] )([a-z])|\bi\b", lambda m: m[0].upper(), sentence)
        if self.chance(0.01):
            sentence = sentence.upper()
        return sentence.replace(",,", ",").rstrip(",") + self.pick(("", "", "", ".", "!", question))
