"""What generated sentences of every world share: splits, courtesy, and slips of the keyboard."""

from __future__ import annotations

from typing import Literal

import numpy as np

Split = Literal["train", "dev", "test"]
SPLITS: tuple[Split, ...] = ("train", "dev", "test")

POLITE_BEFORE = (
    "please", "could you", "can you", "would you", "i want you to", "i would like you to", "robot,",
    "hey robot,", "now", "kindly", "your task is to", "go ahead and", "could you please", "can you please",
    "would you please", "i need you to", "hey,", "ok,", "okay,", "next,", "try to", "you should",
    "you need to", "be so kind and", "hi,", "hello robot,", "quickly", "carefully", "gently", "slowly",
    "just", "well,", "so", "help me and", "would you mind to", "let us", "will you",
)  # fmt: skip
POLITE_AFTER = (
    "please", "now", "for me", "thanks", "thank you", "carefully", "gently", "quickly", "slowly",
    "right now", "if you can", "robot", "when you are ready", "will you", "again", "first", "too",
    "as well", "with care", "at once", "today",
)  # fmt: skip


def typo(sentence: str, rng: np.random.Generator) -> str:
    """Return the sentence with one letter of one longer word dropped, doubled or swapped with the next."""
    written = sentence.split(" ")
    longer = [i for i, word in enumerate(written) if len(word) >= 5 and word.isalpha()]
    if not longer:
        return sentence
    index = longer[int(rng.integers(len(longer)))]
    word, k = written[index], int(rng.integers(1, len(written[index]) - 1))
    middle = (word[k + 1], word[k] * 2 + word[k + 1], word[k + 1] + word[k])[int(rng.integers(3))]
    written[index] = word[:k] + middle + word[k + 2 :]
    return " ".join(written)
