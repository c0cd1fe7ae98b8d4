"""How a predicate is asked for: the forms of the goal language, from a world's predicates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fmrl_ros.worlds.conditions import Predicate
from fmrl_ros.worlds.facts import Fact

_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Form:
    """How it is said that a predicate shall hold of things, or shall not.

    Attributes:
      predicate: Its name.
      arguments: Its arguments, in its own order; those that have no slot are anything.
      slots: The arguments in the order in which they are said.
      pieces: What stands before, between and behind the slots.
      negated: True if it shall not hold.
    """

    predicate: str
    arguments: tuple[str, ...]
    slots: tuple[str, ...]
    pieces: tuple[str, ...]
    negated: bool = False

    @classmethod
    def of(cls, predicate: Predicate, template: str, negated: bool = False) -> Form:
        """Return the form of a template, such as ``{block} in {container}``."""
        found = _SLOT.split(template)
        return cls(predicate.name, tuple(predicate.arguments), tuple(found[1::2]), tuple(found[::2]), negated)

    def text(self, filled: Sequence[str]) -> str:
        """Return the form with its slots filled."""
        return self.pieces[0] + "".join(word + piece for word, piece in zip(filled, self.pieces[1:], strict=True))

    def fact(self, filled: Sequence[str]) -> Fact:
        """Return the fact of which it speaks when its slots are filled."""
        bound = dict(zip(self.slots, filled, strict=True))
        return (self.predicate, *(bound.get(argument, "") for argument in self.arguments))


def forms(predicate: Predicate) -> Iterator[Form]:
    """Yield how it can be said that a predicate shall hold, and that it shall not: ``red block not in blue bowl``."""
    asked, denied = predicate.readings
    yield Form.of(predicate, asked)
    yield Form.of(predicate, denied, negated=True)
