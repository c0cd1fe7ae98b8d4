"""What a sentence means, as typed parts and as text: the goal language, the same in every world.

A goal is a list of parts, done in order, separated by ``"; "``. Most are statements of what shall hold, in forms that
follow from the world's predicates (`fmrl_ros.meaning.form`): ``red block in blue bowl``, ``drawer not open``. Where the
sentence does not name the things, a part says by what they are asked for, and then which they are::

    all block, not red block: green block, blue block in bowl, matching: green bowl, blue bowl

The other parts are conditions on what is seen (``if drawer open: no``), what cannot be done (``orange block: none``,
``no skill``), and what is no request at all (`SpeechAct`). `fmrl_ros.meaning.goal_grammar` reads the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from fmrl_ros.meaning.form import Form
from fmrl_ros.worlds.facts import Fact

ALL, DIFFERENT, NOT, ALSO, MATCHING, HELD = "all", "different", "not", "also", "matching", "held"
NONE, NO_SKILL, YES, NO, IF = "none", "no skill", "yes", "no", "if "
BETWEEN_PARTS, BETWEEN_NAMES, AFTER_REQUEST = "; ", ", ", ": "

Literal = tuple[Fact, bool]
"""A fact, and whether it shall hold; an empty argument is anything."""


class SpeechAct(Enum):
    """What is said beside requests: nothing moves then, or all that moves stops."""

    NOTHING = "nothing"
    STOP = "stop"
    QUESTION = "question"
    TALK = "talk"
    UNCLEAR = "unclear"

    def __str__(self) -> str:
        """Return its text."""
        return self.value


@dataclass(frozen=True)
class Description:
    """By what things are asked for, where it is not their names.

    Attributes:
      head: A kind, a tag, a name, or `HELD`.
      quantity: `ALL`, a number, or nothing for one.
      different: No two of a kind are meant.
      relation: `NOT`, `ALSO`, `MATCHING` (each has a tag of the thing that it goes with), ``not matching``, or how it
        stands out among all (``leftmost``); nothing if the head says all.
      other: What it must not be, or must be as well: as `head`, or a state (``in drawer``).
    """

    head: str
    quantity: str = ""
    different: bool = False
    relation: str = ""
    other: str = ""

    def __str__(self) -> str:
        """Return its text."""
        words = (self.quantity, DIFFERENT if self.different else "", self.head)
        restriction = f"{self.relation} {self.other}".rstrip()
        return " ".join(word for word in words if word) + (f", {restriction}" if restriction else "")

    @property
    def pairs(self) -> bool:
        """True if there is one of them for each thing that goes with them."""
        return self.different or self.relation.endswith(MATCHING)

    def count(self, candidates: int) -> int:
        """Return how many are meant, of so many candidates."""
        return candidates if self.quantity == ALL else min(int(self.quantity or 1), candidates)


@dataclass(frozen=True)
class Slot:
    """What fills an argument of a statement: names, and by what they were asked for if it was not by name."""

    names: tuple[str, ...]
    asked: Description | None = None

    def __str__(self) -> str:
        """Return its text."""
        listed = BETWEEN_NAMES.join(self.names)
        return f"{self.asked}{AFTER_REQUEST}{listed}" if self.asked else listed


@dataclass(frozen=True)
class Statement:
    """What shall hold, or shall not: a form with its slots filled."""

    form: Form
    slots: tuple[Slot, ...]

    def __str__(self) -> str:
        """Return its text."""
        return self.form.text([str(slot) for slot in self.slots])

    @property
    def literals(self) -> tuple[Literal, ...]:
        """Every fact that it is about: lists of one length go pairwise, and one thing goes with each of several."""
        count = max((len(slot.names) for slot in self.slots), default=1)
        filled = ([slot.names[i if len(slot.names) > 1 else 0] for slot in self.slots] for i in range(count))
        return tuple((self.form.fact(arguments), not self.form.negated) for arguments in filled)


@dataclass(frozen=True)
class Condition:
    """What the rest depends on, and whether the scene shows it."""

    statement: Statement
    holds: bool

    def __str__(self) -> str:
        """Return its text."""
        return f"{IF}{self.statement}{AFTER_REQUEST}{YES if self.holds else NO}"


@dataclass(frozen=True)
class Impossible:
    """What cannot be done: there is nothing of that kind, or, where it is empty, no skill for it."""

    missing: str = ""

    def __str__(self) -> str:
        """Return its text."""
        return f"{self.missing}{AFTER_REQUEST}{NONE}" if self.missing else NO_SKILL


Part = Statement | Condition | Impossible | SpeechAct


@dataclass(frozen=True)
class Goal:
    """All parts of what a sentence means, in order."""

    parts: tuple[Part, ...]

    def __str__(self) -> str:
        """Return its text."""
        return BETWEEN_PARTS.join(map(str, self.parts))

    @property
    def statements(self) -> Sequence[Statement]:
        """What shall hold, in order."""
        return [part for part in self.parts if isinstance(part, Statement)]

    @property
    def literals(self) -> Iterator[Literal]:
        """Yield every fact that shall hold or not, in order."""
        for statement in self.statements:
            yield from statement.literals

    @property
    def refused(self) -> Impossible | None:
        """The part that cannot be done, if there is one."""
        return next((part for part in self.parts if isinstance(part, Impossible)), None)

    @property
    def act(self) -> SpeechAct | None:
        """What is said if it is no request."""
        return next((part for part in self.parts if isinstance(part, SpeechAct)), None)
