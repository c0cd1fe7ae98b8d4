"""What an explanation still asks for in a scene: the conditions of its goal, and which skills lead there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fmrl_ros.meaning.explanation import CLOSE, GO, NONE, OPEN, PICK, PUT_DOWN, Act, Part, Transfer, parse
from fmrl_ros.meaning.situation import Situation
from fmrl_ros.worlds.conditions import IS_CLOSED, IS_OPEN
from fmrl_ros.worlds.facts import Fact
from fmrl_ros.worlds.names import ROBOT
from fmrl_ros.worlds.rules import GroundRule
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import Skill, World

HAND, SEEN = "hand", "seen"
"""The target of a thing that is to be picked up, and of one that is to be found."""
_TARGETS = {IS_OPEN: OPEN, IS_CLOSED: CLOSE}
"""The target of a drawer by the predicate that holds then."""


@dataclass(frozen=True)
class Explained:
    """An explanation as an `Aim`: what it still asks for is what it would ask for anew."""

    explanation: str
    world: World

    def seen(self, scene: Scene) -> Intention:
        """See `Aim`."""
        return Intention(self.explanation, scene, self.world)

    def note(self, skill: Skill) -> None:
        """See `Aim`; every skill of such a world leaves something to be seen."""

    def withdraw(self, skill: Skill) -> None:
        """See `Aim`."""

    def copy(self) -> Explained:
        """See `Aim`."""
        return self


class Intention:
    """What an explanation still asks for in a scene.

    Args:
      explanation: It may begin with what the hand held.
      scene: The scene now.
      world: Says which of its places are drawers, and who is there.
    """

    def __init__(self, explanation: str, scene: Scene, world: World) -> None:
        now = Situation.of(scene, world)
        targets = targets_of(parse(explanation, [place.name for place in world.places]))
        self._held, self._world = now.held, world
        self._left = {(subject, target) for subject, target in targets.items() if not _is_at(subject, target, now)}
        self._things = {subject for subject, target in self._left if target not in (OPEN, CLOSE)} - {ROBOT, HAND}
        self._places = {_place(thing, now) for thing in self._things} | {target for _, target in self._left}

    complete = False

    @property
    def fulfilled(self) -> bool:
        """True if every subject has its target, as far as the scene shows.

        Where an explanation gives a drawer, the hand, the robot or a thing several targets, the last counts.
        """
        return not self._left

    def serves(self, skill: Skill) -> bool:
        """True if a skill may be a step towards what is left to do.

        It may find or pick only a thing that is left to handle, place a thing only at its target, and open a drawer
        only if something is in it or goes there, or may be in it because nobody has seen it. It may always put down
        what the hand holds, and go anywhere. A hand of which nothing is seen may hold what is to be brought.
        """
        rule = self._world.rule(skill)
        return rule is None or all(self._wants(fact, rule) for fact in rule.achieves)

    def _wants(self, fact: Fact, rule: GroundRule) -> bool:
        """True if a fact that a skill with a rule is for may lead to what is left to do."""
        predicate, subject, *rest = fact
        if predicate in _TARGETS:
            leads_to_a_thing = predicate == IS_OPEN and not self._places.isdisjoint((subject, None))
            return leads_to_a_thing or (subject, _TARGETS[predicate]) in self._left
        if rest and predicate in self._world.domain.where and subject != ROBOT:
            return self._wants_at(subject, rest[0], rule)
        return subject not in self._world.domain.movable or subject in self._things

    def _wants_at(self, thing: str, place: str, rule: GroundRule) -> bool:
        """True if a thing is to be brought to a place.

        Args:
          thing: The thing; empty for what the hand holds.
          place: The place; empty for one of the kinds that the rule says, or, if it says none, for where the robot is.
          rule: The skill's rule.
        """
        brought = {thing} if thing else {self._held} if self._held else self._things
        places = {place} if place else self._places_of(rule)
        return not places or any(subject in brought and target in places for subject, target in self._left)

    def _places_of(self, rule: GroundRule) -> set[str]:
        named = [
            c.arguments[1] for c in rule.rule.changes if len(c.arguments) == 2 and c.arguments[1] not in rule.bound
        ]
        return {
            place for name in named for kind in rule.rule.kinds_of(name) for place in self._world.names_of_kind(kind)
        }


def targets_of(parts: Iterable[Part]) -> dict[str, str]:
    """Return the target of each drawer, of each thing, of the robot and of the hand, as an explanation's parts say it.

    The target of a thing is a place, `HAND` or `SEEN`; of a drawer `OPEN` or `CLOSE`; of the robot a place; of the
    hand, if it is to be empty, `NONE`. A part that says that something cannot be done has a target that no scene meets.
    """
    targets: dict[str, str] = {}
    for part in parts:
        if isinstance(part, Act):
            targets = _after(part, targets)
        elif isinstance(part, Transfer):
            targets |= dict.fromkeys(part.things, part.place)
        else:
            targets[str(part)] = NONE
    return targets


def _after(act: Act, targets: dict[str, str]) -> dict[str, str]:
    """Return the targets after one more action, without those that it makes impossible to keep."""
    if act.verb in (OPEN, CLOSE):
        return targets | {act.what: act.verb}
    if act.verb in (PICK, PUT_DOWN):
        kept = {subject: target for subject, target in targets.items() if HAND not in (subject, target)}
        return kept | ({HAND: NONE} if act.verb == PUT_DOWN else {act.what: HAND})
    kept = {subject: target for subject, target in targets.items() if subject != ROBOT and target != SEEN}
    return kept | ({ROBOT: act.what} if act.verb == GO else {act.what: kept.get(act.what, SEEN)})


def _is_at(subject: str, target: str, now: Situation) -> bool:
    """True if a scene shows that a subject has its target."""
    if target in (OPEN, CLOSE):
        return (subject in now.opened) == (target == OPEN)
    if subject == ROBOT:
        return now.robot_at == target
    if subject == HAND:
        return now.held is None
    if target == SEEN:
        return now.held == subject or now.robot_at == now.at.get(subject) not in now.closed
    return _place(subject, now) == target


def _place(thing: str, now: Situation) -> str | None:
    """Return the place of a thing, `HAND` if it is held, None if the scene does not show it."""
    return HAND if thing == now.held else now.at.get(thing)
