"""Whether the conditions in a world's file fit its predicates, kinds and arguments; what does not is named by line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from fmrl_ros.worlds.conditions import ANYTHING, Condition
from fmrl_ros.worlds.marked_yaml import Said
from fmrl_ros.worlds.names import ROBOT
from fmrl_ros.worlds.world_entries import PredicateEntry, SkillEntry


class ConditionCheck:
    """Checks the conditions of predicates and skills.

    Args:
      kinds: For every kind of things their names.
      predicates: The predicates, each of which may follow from those before it.

    Raises:
      ValueError: If a predicate follows from what is not known before it; names file, line and what is valid.
    """

    def __init__(self, kinds: Mapping[str, Collection[str]], predicates: Iterable[Said]) -> None:
        self._kinds = kinds
        self._named = {ROBOT: ROBOT} | {name: kind for kind, names in kinds.items() for name in names}
        self._predicates: dict[str, PredicateEntry] = {}
        for predicate in predicates:
            self._predicate(predicate)
            self._predicates[predicate.entry.name] = predicate.entry

    def _predicate(self, said: Said) -> None:
        """Refuse a predicate that follows from what is not known before it, and words that do not fit its arguments."""
        for conditions in said.entry.when:
            self._conditions(said, "when", conditions, self._bound(said.entry, conditions))
        try:
            for words in said.entry.words:
                words.format(**said.entry.arguments)
        except (KeyError, IndexError, ValueError) as error:
            valid = ", ".join(f"{{{name}}}" for name in said.entry.arguments)
            raise said.error("words", f"wrong braces: {error}; valid: {valid}") from error

    def skill(self, said: Said) -> None:
        """Refuse a skill that is for nothing, is never needed or changes nothing, or whose conditions cannot be."""
        skill: SkillEntry = said.entry
        if not skill.achieves:
            raise said.error(f"achieves nothing; say with 'achieves' what holds afterwards: {self._valid_predicates()}")
        bound = self._bound(skill, skill.requires)
        self._conditions(said, "requires", skill.requires, bound)
        for key in ("achieves", "also", "undoes"):
            conditions = getattr(skill, key)
            self._conditions(said, key, conditions, bound)
            self._effects(said, key, conditions)
        for condition in skill.achieves:
            if condition in skill.requires:
                valid = f"'requires' without it, or under 'achieves' what else holds: {self._valid_predicates()}"
                raise said.error("achieves", f"'{condition}' is required, so that it is never needed; valid: {valid}")
        if not skill.also and not skill.undoes and all(self._predicates[c.predicate].when for c in skill.achieves):
            raise said.error("achieves", "changes nothing; say with 'also' or 'undoes' from what this follows")

    def _effects(self, said: Said, key: str, conditions: Sequence[Condition]) -> None:
        """Refuse what no skill can bring about."""
        for condition in conditions:
            predicate = self._predicates.get(condition.predicate)
            if condition.negated or predicate is None:
                raise said.error(key, f"'{condition}' is no effect; write a predicate, and under 'undoes' what ends")
            if predicate.when and key != "achieves":
                raise said.error(key, f"'{condition}' follows from others; say those: {_listed(predicate.when)}")
            if ANYTHING in condition.arguments and key != "undoes":
                raise said.error(key, f"'{condition}' does not say of what; name an argument, or what 'requires' names")

    def _conditions(self, said: Said, key: str, conditions: Sequence[Condition], bound: Mapping[str, str]) -> None:
        """Refuse conditions with unknown predicates, or with arguments that do not fit them.

        Args:
          said: Where they stand ...
          key: ... and under what.
          conditions: The conditions.
          bound: The kinds of each argument; nothing for a variable that a condition binds.
        """
        for condition in conditions:
            kinds = self._kinds_of_arguments(said, key, condition)
            for name, valid in zip(condition.arguments, kinds, strict=True):
                if name not in bound and name != ANYTHING:
                    names = ", ".join(each for each in bound if each == ROBOT or each not in self._named)
                    valid = f"{names}, _ or a thing's name"
                    raise said.error(key, f"no condition says what '{name}' is in '{condition}'; valid: {valid}")
                own = bound.get(name)
                if own and not set(own.split("|")) & set(valid.split("|")):
                    raise said.error(key, f"'{name}' in '{condition}' is of kind {own}; valid there: {valid}")

    def _kinds_of_arguments(self, said: Said, key: str, condition: Condition) -> list[str]:
        """Return the kinds that a condition's predicate takes."""
        name = condition.predicate
        predicate = self._predicates.get(name)
        if predicate is None and name not in self._kinds:
            raise said.error(key, f"unknown predicate '{name}'; valid: {self._valid_predicates()}")
        kinds = list(predicate.arguments.values()) if predicate else ["|".join(self._kinds)]
        if len(kinds) != len(condition.arguments):
            valid = f"{name}({', '.join(predicate.arguments)})" if predicate else f"{name}(thing)"
            raise said.error(key, f"'{condition}' has {len(condition.arguments)} arguments; valid: {valid}")
        return kinds

    def _bound(self, entry: PredicateEntry | SkillEntry, conditions: Sequence[Condition]) -> dict[str, str]:
        """Return the kinds of arguments and things and, empty, those of what conditions that are not negated bind."""
        bound = self._named | entry.arguments
        for condition in conditions:
            for name in () if condition.negated else condition.variables(bound):
                bound[name] = ""
        return bound

    def _valid_predicates(self) -> str:
        return f"{', '.join(sorted(self._predicates))}; or a kind: {', '.join(sorted(self._kinds))}"


def _listed(alternatives: Sequence[Sequence[Condition]]) -> str:
    return " or ".join(", ".join(map(str, conditions)) for conditions in alternatives)
