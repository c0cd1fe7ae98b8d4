"""The symbolic state of any world: what holds, which skills are feasible from there and what they lead to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.worlds.conditions import HELD, IS_OPEN
from fmrl_ros.worlds.facts import Fact, Facts
from fmrl_ros.worlds.names import HAND, ROBOT
from fmrl_ros.worlds.rules import GroundRule
from fmrl_ros.worlds.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.world import DONE, REFUSE, Skill, World

TABLE = "table"
"""Location of what stands on the table, at none of the places that the world names."""
Position = tuple[float, float, float]
NEAR = "near"
"""The relation of things that are close to each other: what a scene says of two things close by, as "left of"."""
_ENDINGS = (DONE.name, REFUSE.name)


class InfeasibleSkillError(ValueError):
    """A skill was applied in a state that does not allow it; the message names both."""


@dataclass(frozen=True)
class SymbolicState:
    """What holds in a world. Two states are equal if the same things are there and the same holds.

    Attributes:
      world: The world: its predicates say what can hold, its skills what changes that.
      things: The movable things that are there, in the order in which they are listed.
      facts: What holds, but for what follows from it.
      positions: Where things are seen, m, base frame; those that are left out are in the middle of the table.
    """

    world: World = field(compare=False, repr=False)
    things: tuple[str, ...]
    facts: frozenset[Fact]
    positions: Mapping[str, Position] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(
        cls, world: World, locations: Mapping[str, str], robot_at: str = "", opened: Iterable[str] = ()
    ) -> SymbolicState:
        """Return the state in which things are somewhere.

        Args:
          world: The world.
          locations: For each thing that is there, `HAND`, a place, or what it is in or on; `TABLE` for none of these in
            a world without surfaces.
          robot_at: The place where the robot stands; empty if it is none of them.
          opened: The drawers that are open.

        Raises:
          UnknownNameError: If there is no such thing, or no such place for it; lists the valid ones.
          ValueError: If the hand holds more than one thing.
        """
        facts = [_whereabouts(world, thing, location) for thing, location in locations.items()]
        if robot_at:
            facts.append(_whereabouts(world, ROBOT, robot_at))
        held = [fact[1] for fact in facts if fact and fact[0] == HELD]
        if len(held) > 1:
            raise ValueError(f"the hand holds more than one thing: {', '.join(held)}")
        state = cls(world, tuple(locations), frozenset(fact for fact in facts if fact))
        for drawer in opened:
            state = state.with_fact((IS_OPEN, drawer))
        return state

    @classmethod
    def seen(cls, world: World, scene: Scene) -> SymbolicState:
        """Return the state that a scene shows; of movable things that it does not show, nothing holds.

        Raises:
          ValueError: If the world has movable things, and it shows none of them.
        """
        things = tuple(o.name for o in world.objects if o.name in world.domain.movable)
        if things and not any(scene.find(thing) for thing in things):
            raise ValueError("the scene shows none of its things")
        close = {(r.subject, r.object) for r in scene.relations if r.predicate == NEAR}
        facts = {fact for relation in scene.relations if (fact := _fact(world, relation, close))}
        return cls(world, things, frozenset(facts))

    @cached_property
    def known(self) -> Facts:
        """What holds, with what follows from it, ready for questions."""
        return Facts(self.world.domain, self.facts)

    def with_fact(self, fact: Fact, holds: bool = True) -> SymbolicState:
        """Return the state in which a fact holds, or does not. Raises UnknownNameError if it never can.

        A thing is in one place: what was said of that before holds no longer.
        """
        domain = self.world.domain
        if fact[0] not in domain.predicates or not domain.fits(fact):
            valid = domain.all_of(fact[0]) if fact[0] in domain.predicates else ()
            raise UnknownNameError(f"{fact[0]}", ", ".join(fact[1:]), [", ".join(each[1:]) for each in valid])
        elsewhere = {*self.known.about(fact[1])} if holds and fact[0] in domain.where else set()
        return replace(self, facts=(self.facts - elsewhere) | {fact} if holds else self.facts - {fact})

    # Where things are.

    @cached_property
    def locations(self) -> Mapping[str, str]:
        """For each thing `HAND`, a place, what it is in or on, or `TABLE`."""
        return {thing: self._location(thing) or TABLE for thing in self.things}

    @cached_property
    def held(self) -> str | None:
        """The thing in the hand, or None."""
        return next((thing for thing in self.things if (HELD, thing) in self.facts), None)

    @cached_property
    def robot_at(self) -> str:
        """The place where the robot stands; empty if it is none of them."""
        return self._location(ROBOT)

    @cached_property
    def open(self) -> frozenset[str]:
        """The drawers that are open."""
        return frozenset(fact[1] for fact in self.facts if fact[0] == IS_OPEN)

    def at(self, location: str) -> tuple[str, ...]:
        """Return the things at a location."""
        return tuple(thing for thing, place in self.locations.items() if place == location)

    def moved(self, thing: str, location: str) -> SymbolicState:
        """Return the state with a thing, or the robot, at another location. Raises UnknownNameError as `of`."""
        fact = _whereabouts(self.world, thing, location)
        return replace(self, facts=(self.facts - {*self.known.about(thing)}) | ({fact} if fact else set()))

    def dropped(self) -> SymbolicState:
        """Return the state in which what was held has fallen: where the robot stands, or on the first surface."""
        surfaces = self.world.names_of_kind("surface")
        spot = self.robot_at if self.robot_at in surfaces else next(iter(surfaces), TABLE)
        return self if self.held is None else self.moved(self.held, spot)

    def _location(self, thing: str) -> str:
        fact = next(iter(self.known.about(thing)), ("", "", ""))
        return HAND if fact[0] == HELD else fact[-1]

    # Skills.

    def defines(self, skill: Skill) -> bool:
        """True if the world says what the skill requires and achieves."""
        return skill.name in _ENDINGS or self.world.rule(skill) is not None

    def feasible(self, skill: Skill) -> bool:
        """True if `skill` can succeed from here.

        Raises:
          ValueError: If the world does not say what it requires.
        """
        rule = self.world.rule(skill)
        if rule is None:
            if skill.name in _ENDINGS:
                return True
            raise ValueError(f"the world '{self.world.name}' does not say what '{skill.phrase}' requires and achieves")
        return self._has(rule) and rule.possible(self.known)

    def achieved(self, skill: Skill) -> bool:
        """True if what `skill` is for holds already, so that it need not be done."""
        rule = self.world.rule(skill)
        return rule is not None and self._has(rule) and rule.achieved(self.known)

    def _has(self, rule: GroundRule) -> bool:
        """True if everything movable that a skill is about is there."""
        return self._there.issuperset(rule.things)

    @cached_property
    def _there(self) -> frozenset[str]:
        return frozenset(self.things)

    def after(self, skill: Skill) -> SymbolicState:
        """Return the state that `skill` leads to when it succeeds.

        Raises:
          InfeasibleSkillError: If it is not feasible from here.
        """
        if not self.feasible(skill):
            raise InfeasibleSkillError(f"'{skill.phrase}' is not feasible when the state is {self}")
        rule = self.world.rule(skill)
        if rule is None:
            return self
        ended, made = rule.applied(self.known)
        moved = {fact[1] for fact in made if fact[0] in self.world.domain.where}
        ended.update(fact for thing in moved for fact in self.known.about(thing))
        return replace(self, facts=(self.facts - ended) | made)

    def towards(self, fact: Fact) -> Skill:
        """Return the first option that makes a fact hold from here.

        Raises:
          KeyError: If no option of the world is for it.
          InfeasibleSkillError: If none of them makes it hold from here.
        """
        options = self.world.options_for(fact)
        if not options:
            raise KeyError(f"skill for {fact[0]}({', '.join(fact[1:])})")
        for option in options:
            if self.feasible(option) and self.after(option).known.holds(fact):
                return option
        raise InfeasibleSkillError(f"'{options[0].phrase}' is not feasible when the state is {self}")

    # What cameras would see.

    def scene(self, stamp: float = 0.0, unseen: Iterable[str] = ()) -> Scene:
        """Return what perfect cameras would report, with nominal positions; `unseen` things are left out.

        It says what holds in the order of the things, then of the rest of the world, and then what follows from that.
        """
        hidden, movable = set(unseen), self.world.domain.movable
        there = [*self.things, *(o.name for o in self.world.objects if o.name not in movable)]
        known = [self.world.object(name) for name in there if name not in hidden]
        middle = {o.name: (0.5, 0.0, o.size[2] / 2) for o in known} | dict(self.positions)
        objects = tuple(SceneObject(o.name, o.kind, middle[o.name], 0.0, o.size, 1.0) for o in known)
        said = [fact for fact in (*self._ordered_facts(), *self._following()) if fact[1] not in hidden]
        close = (Relation(fact[1], NEAR, fact[3]) for fact in said if len(fact) == 4)
        return Scene(stamp, objects, (*map(relation_of, said), *close))

    def _ordered_facts(self) -> list[Fact]:
        """Return what holds and has words, thing by thing."""
        rank, first = self.world.domain.rank, {thing: index for index, thing in enumerate(self.things)}
        said = [fact for fact in self.facts if fact[0] in self.world.domain.said]
        return sorted(said, key=lambda fact: (first.get(fact[1], len(first)), rank[fact[1]], fact))

    def _following(self) -> Iterator[Fact]:
        """Yield what follows from what holds and has words."""
        domain = self.world.domain
        for name in domain.when:
            if name in domain.said:
                yield from filter(self.known.follows, domain.all_of(name))


def _whereabouts(world: World, thing: str, location: str) -> Fact | None:
    """Return the fact that a thing is at a location; None if it is nowhere in particular.

    Raises:
      UnknownNameError: If there is no such thing, or it cannot be there; lists what is valid.
    """
    domain = world.domain
    if thing != ROBOT and thing not in domain.movable:
        raise UnknownNameError("movable thing", thing, domain.movable)
    fact = domain.whereabouts(thing, location)
    surfaces = world.names_of_kind("surface")
    if fact is None and (surfaces or location != TABLE):
        called = "the robot" if thing == ROBOT else f"'{thing}'"
        raise UnknownNameError(f"place of {called}", location, {*domain.locations(thing)} - {thing})
    return fact


def relation_of(fact: Fact) -> Relation:
    """Return a fact as a scene has it: of three arguments the second names the relation."""
    if len(fact) == 4:
        return Relation(fact[1], fact[2], fact[3])
    return Relation(fact[1], fact[0], "".join(fact[2:]))


def _fact(world: World, relation: Relation, close: Collection[tuple[str, str]]) -> Fact | None:
    """Return a scene's relation as a fact; None if the world has none for it, or it follows from others.

    How two things lie to each other is a fact if they are `close`: one that was put beside another is.
    """
    domain = world.domain
    about = (relation.subject, relation.object) if relation.object else (relation.subject,)
    facts = [(relation.predicate, *about)]
    if about in close:
        facts += [(name, about[0], relation.predicate, *about[1:]) for name, p in domain.predicates.items() if p.words]
    known = (fact for fact in facts if fact[0] in domain.predicates and fact[0] not in domain.when)
    return next((fact for fact in known if domain.fits(fact)), None)


def random_state(world: World, rng: np.random.Generator, holding: float = 0.15, on_table: float = 0.6) -> SymbolicState:
    """Draw a state.

    Args:
      world: The world.
      rng: Source of randomness.
      holding: Probability that the hand holds a block.
      on_table: Probability of each other block to stand on the table, at no named place.
    """
    locations: dict[str, str] = {}
    places = list(world.names_of_kind("place"))
    bowls = world.names_of_kind("bowl")
    blocks = world.names_of_kind("block")
    held = str(rng.choice(blocks)) if rng.random() < holding else None
    for block in blocks:
        draw = rng.random()
        if block == held:
            locations[block] = HAND
        elif draw < on_table:
            locations[block] = TABLE
        elif draw < on_table + (1 - on_table) / 2 and places:
            locations[block] = places.pop(int(rng.integers(len(places))))
        else:
            locations[block] = str(rng.choice(bowls))
    return SymbolicState.of(world, locations)
