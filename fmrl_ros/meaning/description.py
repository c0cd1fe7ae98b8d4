"""What things a description means, among all that there are or that a scene shows."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from fmrl_ros.meaning.form import forms
from fmrl_ros.meaning.goal import ALSO, HELD, NOT, Description, Literal, Statement
from fmrl_ros.worlds.conditions import Predicate
from fmrl_ros.worlds.facts import Facts
from fmrl_ros.worlds.names import ROBOT, kind_of
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import World


class KnownThings:
    """What things can be called, and which of them are as described.

    Args:
      world: Says what there is.
      scene: Says what of it is there, and what holds. None takes all as there, and every description as met.

    Attributes:
      names: The names of all that is there, in the world's order.
    """

    def __init__(self, world: World, scene: Scene | None) -> None:
        self._world, self._scene = world, scene
        everything = [name for kind, members in world.domain.members.items() if kind != ROBOT for name in members]
        unseen = {thing.name for thing in world.objects if scene and not scene.find(thing.name)}
        self.names = [name for name in everything if name not in unseen]
        self._facts = None if scene is None else _facts(world, scene)

    def of_kinds(self, kinds: str) -> list[str]:
        """Return the names of what is there of kinds that are joined by ``|``."""
        return [name for name in self.names if self._world.domain.is_a(name, kinds)]

    @cached_property
    def known(self) -> Mapping[str, frozenset[str]]:
        """For every kind, tag, name and state what is of it, has it or is in it."""
        held = self._facts.all_like((HELD, "")) if self._facts else []
        found: dict[str, set[str]] = {HELD: {fact[1] for fact in held}}
        for name in self.names:
            for word in self._words_for(name):
                found.setdefault(word, set()).add(name)
        for word, names in self._states():
            found.setdefault(word, set()).update(names)
        return {word: frozenset(names) for word, names in found.items()}

    def heads(self, valid: Collection[str]) -> list[str]:
        """Return by what something of `valid` can be asked for: its kind, a tag, its name, or that it is held."""
        held = [HELD] if self._met(HELD, valid) else []
        words = {word for name in valid for word in self._words_for(name)}
        return [*held, *sorted(words)]

    def _met(self, word: str, valid: Collection[str]) -> bool:
        return self._facts is None or not self.known[word].isdisjoint(valid)

    def meant(self, asked: Description, valid: Collection[str]) -> list[str]:
        """Return which things of `valid` are as described, whatever they go with and however many are asked for."""
        names = [name for name in valid if self._may_be(name, asked.head, True)]
        if asked.relation in (ALSO, NOT):
            return [name for name in names if self._may_be(name, asked.other, asked.relation == ALSO)]
        if asked.relation in self._world.extremes and self._scene is not None:
            return self._outstanding(asked.relation, names)
        return names

    def _may_be(self, name: str, word: str, wanted: bool) -> bool:
        """True if a word says something of a thing, or does not, or if that is not known."""
        return (name in self.known[word]) == wanted or self._open(word)

    def knows(self, asked: Description) -> bool:
        """True if it is known what is as described."""
        return not self._open(asked.head) and not (asked.other and self._open(asked.other))

    def certain(self, asked: Description) -> bool:
        """True if something is known to be as described."""
        return self._facts is not None and bool(self.meant(asked, self.names))

    def _open(self, word: str) -> bool:
        """True if nothing is known of what a word says: there is no scene."""
        return self._facts is None and (word == HELD or word not in self._always)

    @cached_property
    def _always(self) -> frozenset[str]:
        """The words whose things are the same in every scene."""
        return frozenset(word for name in self.names for word in self._words_for(name))

    def matching(self, thing: str, meant: Sequence[str], wanted: bool) -> list[str]:
        """Return which of some things share a tag with another one, or share none."""
        return [name for name in meant if bool({*self.tags(name)} & {*self.tags(thing)}) == wanted]

    def tags(self, name: str) -> tuple[str, ...]:
        """Return the tags of a thing or a place."""
        return self._tags.get(name, ())

    @cached_property
    def _tags(self) -> Mapping[str, tuple[str, ...]]:
        tags = {thing.name: thing.tags for thing in self._world.objects}
        return tags | {place.name: place.tags for place in self._world.places}

    def _words_for(self, name: str) -> list[str]:
        """Return what something can be called whatever holds: its name, with and without number, kinds and tags."""
        kinds = [kind for kind, members in self._world.domain.members.items() if name in members]
        return [name, kind_of(name), *kinds, *self.tags(name)]

    def _outstanding(self, extreme: str, names: Sequence[str]) -> list[str]:
        """Return the one of some things that lies furthest in a direction, among those of which that is known."""
        placed = {place.name: (*place.position, 0.0) for place in self._world.places}
        placed |= {thing.name: thing.position for thing in self._scene.objects} if self._scene else {}
        direction = self._world.extremes[extreme]
        known = [name for name in names if name in placed]
        return sorted(known, key=lambda n: -sum(d * p for d, p in zip(direction, placed[n], strict=True)))[:1]

    # What holds.

    def holds(self, statement: Statement) -> bool | None:
        """Return whether what a statement says holds; None without a scene, or if no scene can show it."""
        if self._facts is None or statement.form.predicate not in self._world.domain.said:
            return None
        return all(self._is_so(literal) for literal in statement.literals)

    def _is_so(self, literal: Literal) -> bool:
        fact, wanted = literal
        return self._facts is not None and self._facts.any_of(fact) == wanted

    def _states(self) -> Iterator[tuple[str, list[str]]]:
        """Yield how it is said in what state things are, with those that are: ``in drawer``, ``empty``, ``under x``."""
        for predicate in self._world.predicates:
            if predicate.words and not predicate.asked:
                yield from self._states_of(predicate)
            elif predicate.words:
                yield from self._asked_states(predicate)

    def _states_of(self, predicate: Predicate) -> Iterator[tuple[str, list[str]]]:
        arguments = list(predicate.arguments)
        if len(arguments) == 1:
            yield predicate.name, self._true_of(predicate, {})
        if len(arguments) == 2:
            first, second = arguments
            for other in self.of_kinds(predicate.arguments[second]):
                yield f"{predicate.name} {other}", self._true_of(predicate, {second: other})
            for other in self.of_kinds(predicate.arguments[first]):
                words = f"{predicate.inverse or second} {other}"
                yield words, self._true_of(predicate, {first: other})

    def _asked_states(self, predicate: Predicate) -> Iterator[tuple[str, list[str]]]:
        """Yield the states of a predicate that is asked for otherwise: what stands behind its first argument."""
        form = next(forms(predicate))
        first, *others = form.slots
        if first != next(iter(predicate.arguments)) or not others:
            return
        for filled in itertools.product(*(self.of_kinds(predicate.arguments[name]) for name in others)):
            words = form.text(["", *filled]).strip()
            yield words, self._true_of(predicate, dict(zip(others, filled, strict=True)))

    def _true_of(self, predicate: Predicate, bound: Mapping[str, str]) -> list[str]:
        """Return the things that fill the first argument that is not bound in facts that hold."""
        if self._facts is None:
            return []
        names = list(predicate.arguments)
        index = next(i for i, name in enumerate(names) if name not in bound)
        pattern = (predicate.name, *(bound.get(name, "") for name in names))
        return [fact[index + 1] for fact in self._facts.all_like(pattern)]


def _facts(world: World, scene: Scene) -> Facts:
    """Return what holds in a scene; nothing but what follows from nothing if it shows none of the world's things."""
    try:
        return SymbolicState.seen(world, scene).known
    except ValueError:
        return Facts(world.domain, frozenset())
