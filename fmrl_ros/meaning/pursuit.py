"""How far a goal has been reached, and which skills lead on."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from fmrl_ros.meaning.exclusion import excludes
from fmrl_ros.meaning.goal import Goal, Literal
from fmrl_ros.meaning.regression import Regression
from fmrl_ros.worlds.conditions import HELD
from fmrl_ros.worlds.facts import Fact, Facts
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import Skill, World


class Pursuit:
    """A goal on its way (an `Aim`).

    Its parts are reached one after the other, and hold to the end unless a later one ends them.

    Args:
      goal: What shall hold.
      world: Where.
    """

    complete = True

    def __init__(self, goal: Goal, world: World) -> None:
        self.goal = goal
        self._world = world
        self._parts = [statement.literals for statement in goal.statements]
        self._reached = 0
        self._done: set[Fact] = set()
        self._state: SymbolicState | None = None

    @staticmethod
    def reached(goal: Goal, state: SymbolicState) -> bool:
        """True if all that a goal leaves holds in a state, whatever was on the way."""
        pursuit = Pursuit(goal, state.world)
        pursuit._state, pursuit._reached = state, len(pursuit._parts)
        return not pursuit._broken(seen=False)

    def note(self, skill: Skill) -> None:
        """Take a skill as having succeeded: what it is for and no scene can show has come about."""
        rule = self._world.rule(skill)
        unseen = set(self._world.domain.predicates) - self._world.domain.said
        self._done |= {fact for fact in (rule.achieves if rule else ()) if fact[0] in unseen}

    def withdraw(self, skill: Skill) -> None:
        """Take a skill as not having succeeded after all."""
        rule = self._world.rule(skill)
        self._done -= {*rule.achieves} if rule else set()

    def copy(self) -> Pursuit:
        """Return the same goal as far as it was reached, to think ahead."""
        other = Pursuit(self.goal, self._world)
        other._reached, other._done, other._state = self._reached, {*self._done}, self._state
        return other

    def seen(self, scene: Scene) -> Pursuit:
        """Look at a scene; what it shows nothing of is as it was."""
        with contextlib.suppress(ValueError):
            self.observe(SymbolicState.seen(self._world, scene))
        return self

    def observe(self, state: SymbolicState) -> None:
        """Look at what holds now."""
        self._state = state
        self.__dict__.pop("_serving", None)
        while self._reached < len(self._parts) and all(map(self._holds, self._parts[self._reached])):
            self._reached += 1

    @property
    def fulfilled(self) -> bool:
        """True if every part was reached, and what no later one ends holds still."""
        return self._reached == len(self._parts) and not self._broken()

    def serves(self, skill: Skill) -> bool:
        """True if a skill is a step on the way to the first part that is not reached, or to one that holds no more.

        A skill of which the world does not say what it does may always be.
        """
        return self._world.rule(skill) is None or skill in self._serving

    @property
    def wanted(self) -> Sequence[Literal]:
        """What shall hold next: the first part that was not reached, or else what holds no more."""
        return self._parts[self._reached] if self._reached < len(self._parts) else self._broken()

    @cached_property
    def _serving(self) -> set[Skill]:
        back, missing = Regression(self._world, self._known), [each for each in self.wanted if not self._holds(each)]
        found = back.towards(missing)
        kept, needed = [*self._kept(self._parts[: self._reached]), *self.wanted], back.needed(missing)
        harmless = {skill for skill in found if not self._harms(skill, kept, missing, needed)}
        return harmless or found

    def _harms(
        self, skill: Skill, kept: Sequence[Literal], missing: Sequence[Literal], needed: Collection[Literal]
    ) -> bool:
        """True if a skill ends what shall be kept, or stands in the way of what is missing.

        It does so where it ends what is needed for that, and where that follows from what no longer holds then; not
        where it brings some of it about.
        """
        if self._state is None or not self._state.feasible(skill):
            return False
        after = self._state.after(skill)
        if self._ended(kept, after):
            return True
        if any(after.known.any_of(fact) == true for fact, true in missing):
            return False
        return self._ended(needed, after) or self._hinders(after.facts - self._state.facts, missing)

    def _ended(self, literals: Iterable[Literal], after: SymbolicState) -> bool:
        """True if something is as a literal says now, and not in a later state."""
        return any(after.known.any_of(fact) != true for fact, true in literals if self._is_so(fact, true))

    def _hinders(self, made: Iterable[Fact], missing: Sequence[Literal]) -> bool:
        """True if something that is missing follows from others, and cannot where one of some facts holds."""
        domain = self._world.domain
        follows = [literal for literal in missing if literal[0][0] in domain.when]
        return any(excludes(domain, literal, (fact, True)) for literal in follows for fact in made)

    def _broken(self, seen: bool = True) -> list[Literal]:
        """Return what was reached, is ended by no later part, and holds no more."""
        return [literal for literal in self._kept(self._parts[: self._reached], seen) if not self._holds(literal)]

    def _kept(self, reached: Sequence[Collection[Literal]], seen: bool = True) -> list[Literal]:
        """Return what was reached and no later part ends; if only what is `seen` counts, the rest has come about."""
        said = self._world.domain.said if seen else set(self._world.domain.predicates)
        kept = []
        for index, literals in enumerate(reached):
            later = [literal for part in self._parts[index + 1 :] for literal in part]
            kept += [each for each in literals if each[0][0] in said and not any(self._ends(by, each) for by in later)]
        return kept

    def _ends(self, by: Literal, literal: Literal) -> bool:
        """True if something is no longer as a literal says once it is as a later one says."""
        (moved, true), (fact, _) = by, literal
        if true and moved[1:2] and fact != moved and moved[0] in self._moving:
            places = ((predicate, 1) for predicate in self._world.domain.where)
            gone = [fact[index] for predicate, index in (*self._carried, *places) if predicate == fact[0]]
            if moved[1] in gone:
                return True
        return excludes(self._world.domain, by, literal)

    @cached_property
    def _carried(self) -> set[tuple[str, int]]:
        """The predicates, each with an argument, that hold no more of a thing that was picked up."""
        found = set()
        for grammar in self._world.grammar:
            taken = {condition.arguments[0] for condition in grammar.achieves if condition.predicate == HELD}
            for ended in grammar.undoes:
                found |= {(ended.predicate, i) for i, name in enumerate(ended.arguments, start=1) if name in taken}
        return found

    @cached_property
    def _moving(self) -> set[str]:
        """The predicates that a thing comes to by being carried or pushed."""
        return {*self._world.domain.where, *(predicate for predicate, _ in self._carried)}

    def _holds(self, literal: Literal) -> bool:
        return self._is_so(*literal)

    def _is_so(self, fact: Fact, true: bool) -> bool:
        if fact in self._done:
            return true
        return self._known.any_of(fact) == true

    @property
    def _known(self) -> Facts:
        return self._state.known if self._state else Facts(self._world.domain, frozenset())
