"""Why something is not done, and what to do next: one sentence that fits on a line."""

from __future__ import annotations

from string import Formatter
from typing import NewType

MOST_LETTERS = 120
"""Of a refusal."""

Refusal = NewType("Refusal", str)
"""A sentence that `refusal` has made."""


def refusal(cause: str, step: str, /, **said: object) -> Refusal:
    """Return the sentence ``cause; step``, which has at most `MOST_LETTERS` letters.

    Args:
      cause: Why it is not done; one clause, with fields (``{name}``) for what differs from case to case.
      step: The one thing to do next; one clause, with such fields, too.
      said: What the fields stand for: a person's words, names, the messages of errors. The longest are shortened, with
        an ellipsis, where the sentence would be too long; the words of `cause` and `step` themselves never are.
    """
    sentence = f"{cause}; {step}"
    fields = [name for _, name, _, _ in Formatter().parse(sentence) if name]
    words = {name: " ".join(str(said[name]).split()) for name in fields}
    room = MOST_LETTERS - len(sentence.format(**dict.fromkeys(fields, "")))
    most = _share([len(text) for text in words.values()], room)
    return Refusal(sentence.format(**{name: _shortened(text, most) for name, text in words.items()}))


class RefusalError(Exception):
    """An error that ends an instruction; its message says in full what `refusal` says in a line.

    Args:
      cause: Why, with its source named (node, service, server).
      step: The one thing to do next; empty for the class's own.
    """

    STEP = "see the robot's logs"

    def __init__(self, cause: str, step: str = "") -> None:
        super().__init__(f"{cause}; {step}" if step else cause)
        self.refusal = refusal("{cause}", step or self.STEP, cause=cause)


def _share(lengths: list[int], room: int) -> int:
    """Return how long each of some texts may be at most, so that all fit into the room: the shorter leave theirs."""
    for count, length in zip(range(len(lengths), 0, -1), sorted(lengths), strict=True):
        if length * count > room:
            return max(1, room // count)
        room -= length
    return max(lengths, default=0)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "\u2026"
