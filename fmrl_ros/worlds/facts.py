"""What holds in a world, and whether conditions are met by it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from fmrl_ros.worlds.conditions import ANYTHING, HELD, Condition, Predicate
from fmrl_ros.worlds.names import HAND, ROBOT

Fact = tuple[str, ...]
"""A predicate's name and its arguments, ``("at", "apple", "table")``."""
Bound = Mapping[str, str]
"""What arguments and variables of conditions stand for; `ROBOT` for itself."""
Clue = tuple[str, int, str]
"""A predicate, a position in its facts, and what stands there."""


class Domain:
    """What facts a world can have.

    Args:
      predicates: Its predicates; each follows at most from those before it.
      members: For each kind the names of what is of it.

    Attributes:
      predicates, members: The same, predicates by name.
      movable: The names of what the hand can hold.
      said: The predicates that have words.
      rank: For each name its place among all: those of a kind together, the robot last.
    """

    def __init__(self, predicates: Sequence[Predicate], members: Mapping[str, tuple[str, ...]]) -> None:
        self.predicates, self.members = {p.name: p for p in predicates}, members
        self.where = self._named(lambda p: p.where)
        self.said = self._named(lambda p: bool(p.words))
        self.when = {p.name: [ordered(c, p.arguments) for c in p.when] for p in predicates if p.when}
        self.rank = {name: index for index, name in enumerate(_robot_last(members))}
        self.movable = frozenset(self._of_argument(HELD, 0)) if HELD in self.predicates else frozenset()
        self._members = {kind: frozenset(names) for kind, names in members.items()}
        self._alternatives: dict[Fact, tuple[list[list[Check]], Bound]] = {}

    def _named(self, are: Callable[[Predicate], bool]) -> frozenset[str]:
        return frozenset(p.name for p in self.predicates.values() if are(p))

    def is_a(self, name: str, kinds: str) -> bool:
        """True if something is of one of some kinds, joined by ``|``."""
        return any(name in self._members.get(kind, ()) for kind in kinds.split("|"))

    def fits(self, fact: Fact) -> bool:
        """True if every argument of a fact is of a kind that its predicate takes, and no two are the same."""
        kinds = self.predicates[fact[0]].arguments.values()
        arguments = fact[1:]
        alike = len(arguments) == len(kinds) == len(set(arguments))
        return alike and all(self.is_a(name, k) for name, k in zip(arguments, kinds, strict=True))

    def whereabouts(self, thing: str, location: str) -> Fact | None:
        """Return the fact that a thing is at a location, or in the hand; None if nothing can say so."""
        if location == HAND:
            return (HELD, thing) if thing in self.movable else None
        facts = ((p.name, thing, location) for p in self.predicates.values() if p.where and len(p.arguments) == 2)
        return next((fact for fact in facts if self.fits(fact)), None)

    def locations(self, thing: str) -> list[str]:
        """Return where a thing can be."""
        where = [p for p in self.predicates.values() if p.where and self.is_a(thing, next(iter(p.arguments.values())))]
        found = [HAND for p in where if p.name == HELD]
        return found + [name for p in where if len(p.arguments) == 2 for name in self._of_argument(p.name, 1)]

    def all_of(self, predicate: str) -> Iterator[Fact]:
        """Yield every fact of a predicate that there can be, in the world's order."""
        count = len(self.predicates[predicate].arguments)
        for arguments in itertools.product(*(self._of_argument(predicate, index) for index in range(count))):
            yield (predicate, *arguments)

    def alternatives(self, fact: Fact) -> tuple[list[list[Check]], Bound]:
        """Return the conditions, one list of which must be met for a fact to follow, and what their arguments are."""
        if fact not in self._alternatives:
            each = self.when[fact[0]] if self.fits(fact) else []
            bound = self.named(c for conditions in each for c in conditions)
            bound |= dict(zip(self.predicates[fact[0]].arguments, fact[1:], strict=True))
            self._alternatives[fact] = [[Check.of(c, bound, self) for c in conditions] for conditions in each], bound
        return self._alternatives[fact]

    def named(self, conditions: Iterable[Condition]) -> dict[str, str]:
        """Return what stands for itself in some conditions: the robot, and things by their names."""
        names = {name for condition in conditions for name in condition.arguments}
        return {ROBOT: ROBOT} | {name: name for name in names if name in self.rank}

    def _of_argument(self, predicate: str, index: int) -> list[str]:
        kinds = list(self.predicates[predicate].arguments.values())[index]
        return [name for kind in kinds.split("|") for name in self.members.get(kind, ())]


def _robot_last(members: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return all names, those of a kind together."""
    return [name for kind in sorted(members, key=ROBOT.__eq__) for name in members[kind]]


def ordered(conditions: Sequence[Condition], arguments: Mapping[str, str]) -> tuple[Condition, ...]:
    """Return conditions in an order in which they can be checked: what binds no variable first, then what binds one
    before what is not to hold of it.
    """
    left, found, bound = list(conditions), [], set(arguments)
    while left:
        ready = [c for c in left if not c.variables(bound)] or [c for c in left if not c.negated] or left
        found.append(ready[0])
        left.remove(ready[0])
        bound |= ready[0].variables(bound)
    return tuple(found)


@dataclass(frozen=True)
class Check:
    """A condition with what its arguments stand for, prepared to be checked often and fast.

    Attributes:
      condition: The condition.
      pattern: Predicate and arguments, each empty that is a variable or anything.
      listed: True if it is about facts that are listed, not about a kind or about what follows.
      binds: True if it has variables that stand for nothing yet.
      clues: Keys of `Facts`; where one is missing, no fact meets the pattern. Where there is one argument, a fact does
        exactly if the key is there.
    """

    condition: Condition
    pattern: Fact
    listed: bool
    binds: bool
    clues: tuple[Clue, ...]

    @classmethod
    def of(cls, condition: Condition, bound: Bound, domain: Domain) -> Check:
        """Prepare a condition."""
        pattern = (condition.predicate, *(bound.get(name, "") for name in condition.arguments))
        binds = not condition.negated and bool(condition.variables(bound))
        clues = tuple((pattern[0], index, name) for index, name in enumerate(pattern) if name and index)
        listed = pattern[0] in domain.predicates and pattern[0] not in domain.when
        return cls(condition, pattern, listed, binds, clues or ((pattern[0], 0, pattern[0]),))


class Facts:
    """All that holds, ready for questions.

    Args:
      domain: What can hold.
      facts: What holds, but for what follows from it.
    """

    def __init__(self, domain: Domain, facts: frozenset[Fact]) -> None:
        self._domain, self._facts = domain, facts
        self._followed: dict[Fact, bool] = {}

    @cached_property
    def _by_clue(self) -> dict[Clue, list[Fact]]:
        """The facts of each predicate, and those with each argument at each position."""
        found: dict[Clue, list[Fact]] = {}
        for fact in sorted(self._facts):
            for index, name in enumerate(fact):
                found.setdefault((fact[0], index, name), []).append(fact)
        return found

    def about(self, thing: str) -> list[Fact]:
        """Return the facts that say where something is: one, if any."""
        return [fact for name in self._domain.where for fact in self._by_clue.get((name, 1, thing), ())]

    def meets(self, checks: Sequence[Check], bound: Bound) -> bool:
        """True if conditions, in an order that `ordered` makes, are met together.

        Args:
          checks: The conditions.
          bound: What their arguments stand for.
        """
        for index, check in enumerate(checks):
            if check.binds:
                if check.listed and check.clues[0] not in self._by_clue:
                    return False
                return next(self._choices([c.condition for c in checks[index:]], bound), None) is not None
            if self._found(check) == check.condition.negated:
                return False
        return True

    def choices(self, checks: Sequence[Check], bound: Bound) -> Iterator[Bound]:
        """Yield what arguments and variables stand for, for every choice that meets conditions together."""
        return self._choices([check.condition for check in checks], bound)

    def matching(self, condition: Condition, bound: Bound) -> Iterator[Fact]:
        """Yield the facts by which a condition, were it not negated, is met."""
        return self._matching(Check.of(condition, bound, self._domain))

    def all_like(self, pattern: Fact) -> list[Fact]:
        """Return the facts that hold and meet a pattern, in which an empty argument is anything."""
        bound = {str(index): name for index, name in enumerate(pattern) if name and index}
        arguments = tuple(str(index) if name else ANYTHING for index, name in enumerate(pattern) if index)
        return list(self.matching(Condition(pattern[0], arguments), bound))

    def any_of(self, pattern: Fact) -> bool:
        """True if a fact holds that meets a pattern."""
        return self.holds(pattern) if "" not in pattern else bool(self.all_like(pattern))

    def follows(self, fact: Fact) -> bool:
        """True if a fact follows from what holds."""
        if fact not in self._followed:
            alternatives, bound = self._domain.alternatives(fact)
            self._followed[fact] = any(self.meets(checks, bound) for checks in alternatives)
        return self._followed[fact]

    def _found(self, check: Check) -> bool:
        """True if a fact meets a check."""
        if "" not in check.pattern:
            return self.holds(check.pattern)
        if check.listed and len(check.clues) == 1:
            return check.clues[0] in self._by_clue
        return next(self._matching(check), None) is not None

    def holds(self, fact: Fact) -> bool:
        """True if a fact is listed, follows, or says of something its kind."""
        if fact in self._facts:
            return True
        domain = self._domain
        if fact[0] in domain.when:
            return self.follows(fact)
        return fact[0] not in domain.predicates and domain.is_a(fact[1], fact[0])

    def _choices(self, conditions: Sequence[Condition], bound: Bound) -> Iterator[Bound]:
        for index, condition in enumerate(conditions):
            pattern = (condition.predicate, *[bound.get(name, "") for name in condition.arguments])
            if "" not in pattern:
                met = self.holds(pattern)
            else:
                check = Check.of(condition, bound, self._domain)
                if check.binds:
                    yield from self._choices_among(self._matching(check), conditions[index:], bound)
                    return
                met = self._found(check)
            if met == condition.negated:
                return
        yield bound

    def _choices_among(self, facts: Iterator[Fact], conditions: Sequence[Condition], bound: Bound) -> Iterator[Bound]:
        """Yield the choices in which one of some facts meets the first of the conditions."""
        for fact in facts:
            chosen = _chosen(conditions[0], fact, bound)
            if chosen is not None:
                yield from self._choices(conditions[1:], chosen)

    def _matching(self, check: Check) -> Iterator[Fact]:
        pattern, known = check.pattern, self._candidates(check)
        return iter(known) if check.listed and len(check.clues) == 1 else (f for f in known if _fits(f, pattern))

    def _candidates(self, check: Check) -> Iterable[Fact]:
        """Return the facts of a check's predicate that hold, all or those that share an argument with its pattern."""
        if check.listed:
            return self._by_clue.get(check.clues[0], ())
        name, domain = check.pattern[0], self._domain
        if name in domain.when:
            return filter(self.follows, domain.all_of(name))
        return ((name, thing) for thing in domain.members.get(name, ()))


def _fits(fact: Fact, pattern: Fact) -> bool:
    return all(wanted in ("", said) for said, wanted in zip(fact, pattern, strict=True))


def _chosen(condition: Condition, fact: Fact, bound: Bound) -> Bound | None:
    """Return what is bound, and what a fact binds in a condition; None if a variable would be two things."""
    chosen = dict(bound)
    for name, value in zip(condition.arguments, fact[1:], strict=True):
        if name != ANYTHING and chosen.setdefault(name, value) != value:
            return None
    return chosen
