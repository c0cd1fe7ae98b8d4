"""Reads the goal language (`fmrl_ros.meaning.goal`), and says letter by letter what can be written in it.

The model says what an instruction means; which things have a tag, what is where and what is in the hand is known, and
not left to it. After ``all block, not red block:`` it can only name blocks that are not the red one, and all of these;
where nothing is as asked, it can only say ``none`` (grounded decoding: Huang et al. 2023,
https://arxiv.org/abs/2303.00855).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from fmrl_ros.meaning.description import KnownThings
from fmrl_ros.meaning.form import Form, forms
from fmrl_ros.meaning.goal import (
    AFTER_REQUEST,
    ALL,
    ALSO,
    BETWEEN_NAMES,
    BETWEEN_PARTS,
    DIFFERENT,
    HELD,
    IF,
    MATCHING,
    NO,
    NONE,
    NOT,
    YES,
    Condition,
    Description,
    Goal,
    Impossible,
    Part,
    Slot,
    SpeechAct,
    Statement,
)
from fmrl_ros.worlds.facts import Fact
from fmrl_ros.worlds.names import kind_of
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import World

T = TypeVar("T")
Read = Iterator[tuple[T, str]]
"""What the beginning of a text says, in every way in which it can be read, each with what is left of the text."""

QUANTITIES = (ALL, *map(str, range(2, 10)))
LONGEST_NAME = 4
"""Words of the instruction that may name together what is not there."""
_ALONE = (Impossible(), *SpeechAct)
"""Parts that are all of a goal, or all that follows a condition."""


class GoalError(ValueError):
    """A text that is no goal of this world; the message names it."""


class GoalGrammar:
    """The goals that can be written about a scene, or, without a scene, in a world.

    Args:
      world: Its predicates are what can be asked for, its things what they can be asked of.
      scene: Says which of them are there, and what holds. None admits every description, whatever it says.
      instruction: What was said: what is not there has up to four of its words for a name, or some of them and a kind.
      refusal: False if something must be asked for that can be done: nothing is ``none``, and it is a request.

    Attributes:
      world: The world.
    """

    def __init__(self, world: World, scene: Scene | None = None, instruction: str = "", refusal: bool = True) -> None:
        self.world, self._refusal = world, refusal
        self._things = KnownThings(world, scene)
        self._forms = tuple(form for predicate in world.predicates for form in forms(predicate))
        kinds = {thing.kind for thing in world.objects}
        runs = {*_word_runs(instruction)}
        named = {f"{run} {kind}" for run in runs for kind in kinds if len(run.split()) < LONGEST_NAME}
        self._runs = sorted((runs | named) - self._things.known.keys())
        self._cuts: set[str] = set()
        self._expected: dict[str, tuple[frozenset[str], bool]] = {}

    def viable(self, text: str, ended: bool) -> bool:
        """True if a text is a goal (`ended`) or the beginning of one.

        A writer asks that of many texts that differ in their last letters, so that what can follow a text is kept.
        """
        written = text.lstrip()
        known = max((end for end in range(len(written) + 1) if written[:end] in self._expected), default=0)
        viable = self._leads_to(written[:known], written[known:])
        return viable and (not ended or self._what_follows(written)[1])

    def _leads_to(self, text: str, more: str) -> bool:
        """True if more letters can stand behind a text."""
        pieces, whole = self._what_follows(text)
        if not more:
            return whole or bool(pieces)
        if any(piece.startswith(more) for piece in pieces):
            return True
        begun = [piece for piece in pieces if more.startswith(piece)]
        return any(self._leads_to(text + piece, more.removeprefix(piece)) for piece in begun)

    def _what_follows(self, text: str) -> tuple[frozenset[str], bool]:
        """Return the pieces of which one must follow a text, and whether it can end there instead."""
        if text not in self._expected:
            self._cuts = set()
            whole = [rest == "" for _, rest in self._goal(text)]
            self._expected[text] = frozenset(self._cuts), any(whole)
        return self._expected[text]

    def parse(self, text: str) -> Goal:
        """Return the goal that a text states. Raises GoalError if it states none."""
        goal = next((goal for goal, rest in self._goal(text.strip()) if not rest), None)
        if goal is None:
            raise GoalError(f"'{text.strip()}' is no goal in the world '{self.world.name}'")
        return goal

    # What stands where. Each method reads the beginning of a text; where that ends too early, it notes what is missing.

    def _goal(self, text: str, before: tuple[Part, ...] = ()) -> Read[Goal]:
        for part, rest in self._part(text, before):
            parts = (*before, part)
            yield Goal(parts), rest
            if part not in _ALONE:
                for left in self._literal(rest, BETWEEN_PARTS):
                    yield from self._goal(left, parts)

    def _part(self, text: str, before: Sequence[Part]) -> Read[Part]:
        if self._refusal and all(isinstance(part, Condition) for part in before):
            words = {str(part): part for part in _ALONE}
            yield from ((words[word], rest) for word, rest in self._one_of(text, words))
        if not before or isinstance(before[-1], Condition):
            for left in self._literal(text, IF):
                yield from self._condition(left)
        yield from self._statement(text)
        if self._refusal:
            yield from self._impossible(text)

    def _condition(self, text: str) -> Read[Condition]:
        for form in self._forms:
            for slots, rest in self._slots(text, form, named=True):
                statement = Statement(form, slots)
                truth = self._things.holds(statement)
                for word, left in self._one_of(rest, [f"{AFTER_REQUEST}{word}" for word in _answers(truth)]):
                    yield Condition(statement, word.endswith(YES)), left

    def _statement(self, text: str) -> Read[Statement]:
        for form in self._forms:
            for slots, rest in self._slots(text, form):
                yield Statement(form, slots), rest

    def _impossible(self, text: str) -> Read[Impossible]:
        """Read what there is nothing of: as it was said, or a description that nothing meets."""
        for name, rest in self._one_of(text, self._runs):
            for left in self._literal(rest, f"{AFTER_REQUEST}{NONE}"):
                yield Impossible(name), left
        for rest in () if self._things.known[HELD] else self._literal(text, f"{HELD}{AFTER_REQUEST}{NONE}"):
            yield Impossible(HELD), rest
        for asked, rest in self._description(text, self._things.names, ()):
            if not self._things.certain(asked):
                for left in self._literal(rest, f"{AFTER_REQUEST}{NONE}"):
                    yield Impossible(str(asked)), left

    def _slots(
        self, text: str, form: Form, named: bool = False, before: tuple[Slot, ...] = ()
    ) -> Read[tuple[Slot, ...]]:
        """Read a form from behind the slots that are filled; with `named`, things have their names."""
        for left in self._literal(text, form.pieces[len(before)]):
            if len(before) == len(form.slots):
                if self._fits(form, before):
                    yield before, left
                continue
            for slot, rest in self._slot(left, self._kinds(form, len(before)), before, named):
                yield from self._slots(rest, form, named, (*before, slot))

    def _slot(self, text: str, kinds: str, before: tuple[Slot, ...], named: bool) -> Read[Slot]:
        several = before[0].names if before else ()
        valid = [name for name in self._things.of_kinds(kinds) if several != (name,)]
        yield from ((Slot((name,)), rest) for name, rest in self._one_of(text, valid))
        for asked, rest in () if named else self._description(text, valid, several):
            for left in self._literal(rest, AFTER_REQUEST):
                for names, end in self._names(left, asked, valid, several):
                    yield Slot(names, asked), end

    def _description(self, text: str, valid: Collection[str], several: tuple[str, ...]) -> Read[Description]:
        """Read by what things of `valid` are asked for that go with `several`, if with any."""
        for quantity, after_quantity in self._optional(text, QUANTITIES):
            for different, left in self._optional(after_quantity, (DIFFERENT,)):
                for head, rest in self._one_of(left, self._things.heads(valid)):
                    asked = Description(head, quantity, bool(different))
                    yield asked, rest
                    yield from self._restricted(rest, asked, several)

    def _restricted(self, text: str, asked: Description, several: tuple[str, ...]) -> Read[Description]:
        for left in self._literal(text, BETWEEN_NAMES):
            alone = [*self.world.extremes, *((MATCHING, f"{NOT} {MATCHING}") if several else ())]
            for word, rest in self._one_of(left, alone):
                yield Description(asked.head, asked.quantity, asked.different, word), rest
            for relation, after in self._one_of(left, (f"{NOT} ", f"{ALSO} ")):
                for other, rest in self._one_of(after, self._things.known):
                    yield Description(asked.head, asked.quantity, asked.different, relation.strip(), other), rest

    def _names(
        self, text: str, asked: Description, valid: Collection[str], several: tuple[str, ...]
    ) -> Read[tuple[str, ...]]:
        """Read as many names as are asked for, of things that are as asked."""
        meant = self._things.meant(asked, valid)
        if several and asked.pairs:
            counts = [len(several)]
        elif asked.quantity == ALL and not self._things.knows(asked):
            counts = list(range(len(meant), 0, -1))
        else:
            counts = [asked.count(len(meant))]
        for count in counts:
            yield from self._more_names(text, asked, meant, several, count)

    def _more_names(
        self,
        text: str,
        asked: Description,
        meant: Sequence[str],
        several: tuple[str, ...],
        count: int,
        before: tuple[str, ...] = (),
    ) -> Read[tuple[str, ...]]:
        left = self._left(asked, meant, several, before)
        for name, rest in self._one_of(text, left):
            names = (*before, name)
            if len(names) == count or not self._left(asked, meant, several, names):
                yield names, rest
                continue
            for after in self._literal(rest, BETWEEN_NAMES):
                yield from self._more_names(after, asked, meant, several, count, names)

    def _left(
        self, asked: Description, meant: Sequence[str], several: tuple[str, ...], before: tuple[str, ...]
    ) -> Sequence[str]:
        """Return what may be named after what has been named."""
        if asked.relation.endswith(MATCHING):
            if len(before) == len(several):
                return ()
            return self._things.matching(several[len(before)], meant, asked.relation == MATCHING)
        kinds = {kind_of(name) for name in before}
        return [name for name in meant if name not in before and not (asked.different and kind_of(name) in kinds)]

    # Letters.

    def _literal(self, text: str, piece: str) -> Iterator[str]:
        """Yield what is left behind a piece of text, if a text begins with it."""
        if text.startswith(piece):
            yield text[len(piece) :]
        elif piece.startswith(text):
            self._cuts.add(piece[len(text) :])

    def _one_of(self, text: str, words: Iterable[str]) -> Read[str]:
        for word in words:
            for rest in self._literal(text, word):
                yield word, rest

    def _optional(self, text: str, words: Iterable[str]) -> Read[str]:
        yield "", text
        for word in words:
            for rest in self._literal(text, f"{word} "):
                yield word, rest

    # What the world says.

    def _kinds(self, form: Form, index: int) -> str:
        return self._arguments[form.predicate][form.slots[index]]

    @cached_property
    def _arguments(self) -> Mapping[str, Mapping[str, str]]:
        return {predicate.name: predicate.arguments for predicate in self.world.predicates}

    def _fits(self, form: Form, slots: tuple[Slot, ...]) -> bool:
        """True if what is said can be: a block is not on itself."""
        return all(self._can_be(fact) for fact, _ in Statement(form, slots).literals)

    def _can_be(self, fact: Fact) -> bool:
        return "" in fact or self.world.domain.fits(fact)


def _answers(truth: bool | None) -> tuple[str, ...]:
    """Return what may be said of whether something holds; both if it is not known."""
    return (YES, NO) if truth is None else (YES,) if truth else (NO,)


def _word_runs(instruction: str) -> Iterator[str]:
    """Yield every run of up to `LONGEST_NAME` words of an instruction, in lower case."""
    words = re.findall(r"[\w'-]+", instruction.lower())
    for first in range(len(words)):
        for length in range(1, LONGEST_NAME + 1):
            yield " ".join(words[first : first + length])
