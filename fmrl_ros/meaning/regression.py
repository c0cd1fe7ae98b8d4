"""Which skills are on the way to what shall hold: from a goal back to what is possible now.

A skill that is for what is wanted is on the way if it is possible. If it is not, what it requires and does not hold is
wanted, too (regression, as in STRIPS: Fikes and Nilsson 1971, https://doi.org/10.1016/0004-3702(71)90010-5).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fmrl_ros.meaning.exclusion import excludes
from fmrl_ros.meaning.goal import Literal
from fmrl_ros.worlds.conditions import ANYTHING, Condition
from fmrl_ros.worlds.facts import Bound, Fact, Facts
from fmrl_ros.worlds.names import ROBOT
from fmrl_ros.worlds.rules import GroundRule
from fmrl_ros.worlds.world import Skill, World


class Regression:
    """Finds the skills that are on the way to what shall hold, from what holds now.

    Args:
      world: Its skills say what they require and what they lead to.
      facts: What holds.
    """

    def __init__(self, world: World, facts: Facts) -> None:
        self._world, self._domain, self._facts = world, world.domain, facts
        self._seen: set[Literal] = set()

    def towards(self, literals: Iterable[Literal]) -> set[Skill]:
        """Return the skills that are possible now and on the way to some of what shall hold and does not.

        Where one of them brings some of that about at once, only such: what is in the hand goes where it shall be.
        """
        wanted = list(literals)
        found: set[Skill] = set().union(*(self._at_once(literal) for literal in wanted))
        for literal in () if found else wanted:
            found |= self._towards(literal)
        return found

    def needed(self, literals: Iterable[Literal]) -> set[Literal]:
        """Return what holds now and is required by the skills that bring about what shall hold, and by those before."""
        found: set[Literal] = set()
        for literal in literals:
            held, missing = self._required(literal)
            found |= held
            for before in missing:
                found |= {each for each in self._required(before)[0] if not excludes(self._domain, before, each)}
        return found

    def _required(self, literal: Literal) -> tuple[set[Literal], set[Literal]]:
        """Return what the skills after which something is as a literal says require: what holds, and what does not."""
        ways = self._ways(literal) if literal[0][0] not in self._domain.when else ()
        required = {_literal(condition, bound) for _, rule, bound in ways for condition in rule.rule.requires}
        held = {(fact, wanted) for fact, wanted in required if self._facts.any_of(fact) == wanted}
        return held, required - held

    def _at_once(self, literal: Literal) -> set[Skill]:
        """Return the skills that are possible and after which something is as a literal says that is not so now."""
        fact, wanted = literal
        if fact[0] in self._domain.when or self._facts.any_of(fact) == wanted:
            return set()
        return {skill for skill, rule, bound in self._ways(literal) if self._is_possible(rule, bound)}

    def _towards(self, literal: Literal) -> set[Skill]:
        fact, wanted = literal
        if literal in self._seen or self._facts.any_of(fact) == wanted:
            return set()
        self._seen.add(literal)
        if fact[0] in self._domain.when:
            return self.towards(self._reasons(fact, wanted))
        if possible := self._at_once(literal):
            return possible
        missing = [list(self._missing(rule, bound)) for _, rule, bound in self._ways(literal)]
        least = min(map(len, missing), default=0)
        return self.towards(each for some in missing if len(some) == least for each in self._first(some))

    def _is_possible(self, rule: GroundRule, bound: Bound) -> bool:
        return next(self._facts.choices(rule.requires, bound), None) is not None

    def _ways(self, literal: Literal) -> Iterator[tuple[Skill, GroundRule, Bound]]:
        """Yield the skills after which something is as a literal says, with what that says of their variables."""
        fact, wanted = literal
        return self._making(fact) if wanted else self._ending(fact)

    def _first(self, missing: Sequence[Literal]) -> list[Literal]:
        """Return what to bring about first: what could not be any more where the rest holds.

        A drawer is opened with an empty hand, so that it is opened before what goes there is picked up.
        """
        return [each for each in missing if not any(self._comes_before(other, each) for other in missing)]

    def _comes_before(self, literal: Literal, other: Literal) -> bool:
        """True if nothing can bring one thing about where another one holds."""
        if literal == other or (literal[0][0] in self._domain.when and not any(self._reasons(*literal))):
            return False
        causes = [*self._reasons(*literal)] if literal[0][0] in self._domain.when else [literal]
        ways = [way for cause in causes for way in self._ways(cause)]
        return bool(ways) and all(self._needs_without(rule, bound, other) for _, rule, bound in ways)

    def _needs_without(self, rule: GroundRule, bound: Bound, other: Literal) -> bool:
        """True if a rule requires what cannot be where something holds."""
        return any(excludes(self._domain, other, _literal(condition, bound)) for condition in rule.rule.requires)

    def _reasons(self, fact: Fact, wanted: bool) -> Iterator[Literal]:
        """Yield what would make a fact that follows from others true, or false."""
        for each in self._domain.all_of(fact[0]) if "" in fact else (fact,):
            alternatives, bound = self._domain.alternatives(each)
            if "" in fact and not (_alike(each, fact) and self._facts.holds(each) != wanted):
                continue
            for checks in alternatives:
                if self._facts.meets(checks, bound) != wanted:
                    yield from self._changes([check.condition for check in checks], bound, wanted)

    def _changes(self, conditions: Sequence[Condition], bound: Bound, wanted: bool) -> Iterator[Literal]:
        for condition in conditions:
            literal = _literal(condition, bound)
            if wanted:
                yield literal
            else:
                yield literal[0], not literal[1]

    def _making(self, fact: Fact) -> Iterator[tuple[Skill, GroundRule, Bound]]:
        """Yield the skills after which a fact holds, with what that says of their variables."""
        for skill in self._world.options:
            rule = self._world.rule(skill)
            if rule is not None:
                bounds = (_unified(condition, fact, rule.bound) for condition in rule.rule.changes)
                yield from ((skill, rule, bound) for bound in bounds if bound is not None)

    def _ending(self, pattern: Fact) -> Iterator[tuple[Skill, GroundRule, Bound]]:
        """Yield the skills after which no fact meets a pattern: what is meant is elsewhere then, or no longer so."""
        for fact in self._facts.all_like(pattern) if "" in pattern else (pattern,):
            for skill in self._world.options:
                rule = self._world.rule(skill)
                if rule is None:
                    continue
                bounds = [_unified(c, fact, rule.bound) for c in rule.rule.grammar.undoes if c.predicate == fact[0]]
                bounds += self._moving(rule, fact)
                yield from ((skill, rule, bound) for bound in bounds if bound is not None)

    def _moving(self, rule: GroundRule, fact: Fact) -> Iterator[Bound | None]:
        """Yield what a rule's variables are where it brings elsewhere what a fact says to be somewhere."""
        where = self._domain.where
        for condition in rule.rule.changes if fact[0] in where else ():
            if condition.predicate in where and _unified(condition, fact, rule.bound) is None:
                yield _unified(
                    Condition(condition.predicate, condition.arguments[:1]), fact[:2], rule.bound, any_of=True
                )

    def _missing(self, rule: GroundRule, bound: Bound) -> Iterator[Literal]:
        """Yield what a rule requires and does not hold; a variable is what the first facts that fit say."""
        for condition in rule.rule.requires:
            literal = _literal(condition, bound)
            pattern, wanted = literal
            if wanted and "" in pattern:
                found = self._matching(pattern)
                if found is None:
                    yield literal
                    continue
                bound = {**bound, **dict(zip(condition.arguments, found[1:], strict=True))}
            elif self._facts.any_of(pattern) != wanted:
                yield literal

    def _matching(self, pattern: Fact) -> Fact | None:
        if pattern[0] not in self._domain.predicates:
            return None
        return next(iter(self._facts.all_like(pattern)), None)


def _literal(condition: Condition, bound: Bound) -> Literal:
    arguments = (ROBOT if name == ROBOT else bound.get(name, "") for name in condition.arguments)
    return (condition.predicate, *arguments), not condition.negated


def _unified(condition: Condition, fact: Fact, bound: Bound, any_of: bool = False) -> Bound | None:
    """Return what is bound where a condition speaks of a fact, in which an empty argument is anything; else None.

    With `any_of` the predicates may differ.
    """
    if condition.predicate != fact[0] and not any_of:
        return None
    found = dict(bound)
    for name, value in zip(condition.arguments, fact[1:], strict=True):
        if name != ANYTHING and value and found.setdefault(name, value) != value:
            return None
    return found


def _alike(fact: Fact, pattern: Fact) -> bool:
    return all(wanted in ("", said) for said, wanted in zip(fact, pattern, strict=True))
