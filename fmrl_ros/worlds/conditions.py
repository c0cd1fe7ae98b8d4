"""Predicates, and the conditions that a world's YAML file states with them.

A condition reads ``at(object, p)`` or ``not held(_)``. Its arguments are those of the skill or predicate to which it
belongs, ``robot``, ``_`` for anything, or other names: variables, for which one choice must meet all conditions
together. A kind of things is a predicate of one argument: ``surface(p)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fmrl_ros.worlds.names import ROBOT

ANYTHING = "_"
"""The argument of a condition that anything meets."""
HELD = "held"
"""The predicate of what is in the hand. Things of its kind can be moved."""
IS_OPEN, IS_CLOSED = "open", "closed"
"""The predicates of a drawer."""
_CONDITION = re.compile(r"(not\s+)?([a-z]\w*)\s*\(([^()]*)\)")


@dataclass(frozen=True)
class Condition:
    """One predicate over arguments, or its negation.

    Attributes:
      predicate: Name of a predicate, or of a kind.
      arguments: Names of arguments and variables, `ROBOT`, or `ANYTHING`.
      negated: True if it must not hold.
    """

    predicate: str
    arguments: tuple[str, ...]
    negated: bool = False

    def __str__(self) -> str:
        return f"{'not ' if self.negated else ''}{self.predicate}({', '.join(self.arguments)})"

    def variables(self, arguments: Iterable[str]) -> set[str]:
        """Return the names in it that are variables where the arguments are these."""
        return set(self.arguments) - {*arguments, ROBOT, ANYTHING}


@dataclass(frozen=True)
class Predicate:
    """What can be true of things.

    Attributes:
      arguments: For each argument the kinds (joined by ``|``) that may fill it.
      where: True if it says where its first argument is. A thing is in one place, in one way.
      when: Alternatives, each conditions that hold together: then it holds, and otherwise it does not. Empty for what
        only skills change.
      words: How it reads when it is true and when it is not; empty for what is only a condition of others. Then no
        scene and no sentence says it.
      asked: How a goal says that it shall hold; by default its name stands behind its first argument.
      denied: How a goal says that it shall hold of nothing; by default "not" stands before its name.
      inverse: What a goal calls the second argument after the first: "with red block" what has the red block in it. By
        default the second argument's own name.
    """

    name: str
    arguments: Mapping[str, str]
    where: bool = False
    when: tuple[tuple[Condition, ...], ...] = ()
    words: tuple[str, ...] = field(default=())
    asked: str = ""
    denied: str = ""
    inverse: str = ""

    @property
    def readings(self) -> tuple[str, str]:
        """How a goal says that it shall hold, and that it shall not, with arguments in braces."""
        first, *others = (f"{{{argument}}}" for argument in self.arguments)
        asked = self.asked or " ".join([first, self.name, *others])
        before, brace, after = asked.partition("}")
        return asked, self.denied or f"{before}{brace} not{after}"


def parse_conditions(text: str) -> tuple[Condition, ...]:
    """Read conditions with commas between them.

    Raises:
      ValueError: If a part is none; names it.
    """
    found, rest = [], text.strip()
    while rest:
        match = _CONDITION.match(rest)
        after = rest[match.end() :].lstrip() if match else rest
        if match is None or (after and not after.startswith(",")):
            raise ValueError(f"'{rest}' is no condition; write 'predicate(argument, ...)', in a list with quotes")
        negation, predicate, arguments = match.groups()
        found.append(Condition(predicate, tuple(a.strip() for a in arguments.split(",")), negation is not None))
        rest = after[1:].lstrip()
    return tuple(found)
