"""A skill's rule: when it is possible, what it leads to, and where that holds already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fmrl_ros.worlds.conditions import ANYTHING, HELD, Condition
from fmrl_ros.worlds.facts import Bound, Check, Domain, Fact, Facts, ordered

PERSON = "person"
"""The kind of those to whom things are given."""


@dataclass(frozen=True)
class SkillGrammar:
    """A skill's phrase template and the kinds of things (joined by ``|``) that each of its arguments ranges over.

    Attributes:
      requires: What must hold for it to be possible.
      achieves: What it is for: what holds when it has succeeded.
      undoes: What holds no longer then. That a thing is no longer where it was need not be said.
      also: What holds then, too, without being what it is for.
      policy: File of the policy that does it, if it is not the package's own.
      affordance: Probability of success for a policy without a critic.
      calibration: Slope and offset from the logit of that policy's value to the probability of success.
    """

    name: str
    phrase: str
    arguments: dict[str, str]
    requires: tuple[Condition, ...] = ()
    achieves: tuple[Condition, ...] = ()
    undoes: tuple[Condition, ...] = ()
    also: tuple[Condition, ...] = ()
    policy: Path | None = None
    affordance: float | None = None
    calibration: tuple[float, float] | None = None


class SkillRule:
    """What a skill's conditions mean in a world, whatever its arguments.

    Args:
      grammar: The skill.
      domain: The world's facts.

    Attributes:
      requires: The conditions, ordered.
      named: What stands for itself in its conditions: the robot, and things by their names.
      changes: The facts that it makes true, as conditions.
      goal: The conditions that say that what it is for holds already; None if they do not say of what it does.
    """

    def __init__(self, grammar: SkillGrammar, domain: Domain) -> None:
        self.grammar, self._domain = grammar, domain
        conditions = (*grammar.requires, *grammar.achieves, *grammar.undoes, *grammar.also)
        self.named = domain.named(conditions)
        self._known = self.named | grammar.arguments
        self.requires = ordered(grammar.requires, self._known)
        self.changes = tuple(c for c in (*grammar.achieves, *grammar.also) if c.predicate not in domain.when)

    @cached_property
    def goal(self) -> tuple[Condition, ...] | None:
        """See `SkillRule`. A variable of what is achieved is what the conditions say that the skill leaves true."""
        grammar = self.grammar
        wanted = {name for condition in grammar.achieves for name in condition.variables(self._known)}
        kept = [c for c in grammar.requires if wanted & set(c.arguments) and not self.undone(c)]
        said = {name for condition in kept if not condition.negated for name in condition.arguments}
        return ordered([*kept, *grammar.achieves], self._known) if wanted <= said else None

    def kinds_of(self, variable: str) -> tuple[str, ...]:
        """Return the kinds of which a variable is, where they alone say what it is; else none."""
        about = [c for c in self.requires if not c.negated and variable in c.arguments]
        return tuple(c.predicate for c in about) if all(c.predicate in self._domain.members for c in about) else ()

    def undone(self, condition: Condition) -> bool:
        """True if a condition that must hold before cannot hold afterwards."""
        if condition.predicate not in self._domain.where:
            return condition in self.grammar.undoes
        moved = [c.arguments[0] for c in self.changes if c.predicate in self._domain.where]
        return condition in self.grammar.undoes or condition.arguments[0] in moved


@dataclass(frozen=True)
class GroundRule:
    """A skill's rule with what its arguments stand for.

    Attributes:
      rule: The rule.
      bound: What each argument stands for.
      things: Those of them that can be moved, and so may not be there.
      requires: The rule's conditions, prepared.
      goal: The same of its goal.
      achieves: The facts that it is for; an argument is empty where what holds before says what it is.
    """

    rule: SkillRule
    bound: Bound
    things: tuple[str, ...]
    requires: tuple[Check, ...]
    goal: tuple[Check, ...] | None
    achieves: tuple[Fact, ...]

    @classmethod
    def of(cls, rule: SkillRule, arguments: Sequence[str], domain: Domain) -> GroundRule:
        """Bind a rule's arguments."""
        bound = rule.named | dict(zip(rule.grammar.arguments, arguments, strict=True))
        requires = tuple(Check.of(c, bound, domain) for c in rule.requires)
        goal = None if rule.goal is None else tuple(Check.of(c, bound, domain) for c in rule.goal)
        achieves = tuple(Check.of(c, bound, domain).pattern for c in rule.grammar.achieves)
        return cls(rule, bound, tuple(name for name in arguments if name in domain.movable), requires, goal, achieves)

    @property
    def takes(self) -> str | None:
        """What it takes into the hand; None if nothing."""
        return next((fact[1] for fact in self.achieves if fact[0] == HELD), None)

    @property
    def releases(self) -> bool:
        """True if something is in the hand before it, and no longer afterwards."""
        held = (c for c in self.rule.requires if c.predicate == HELD and not c.negated)
        return any(self.rule.undone(condition) for condition in held)

    @property
    def gives_away(self) -> bool:
        """True if it gives something to a person."""
        return any(c.predicate == PERSON for c in self.rule.requires)

    def possible(self, facts: Facts) -> bool:
        """True if what it requires holds."""
        return facts.meets(self.requires, self.bound)

    def achieved(self, facts: Facts) -> bool:
        """True if what it is for holds."""
        return self.goal is not None and facts.meets(self.goal, self.bound)

    def applied(self, facts: Facts) -> tuple[set[Fact], set[Fact]]:
        """Return what no longer holds when it has succeeded, and what holds then.

        Raises:
          StopIteration: If it is not possible.
        """
        bound = next(facts.choices(self.requires, self.bound))
        ended = {fact for condition in self.rule.grammar.undoes for fact in facts.matching(condition, bound)}
        made = {(c.predicate, *(bound[name] for name in c.arguments if name != ANYTHING)) for c in self.rule.changes}
        return ended, made
