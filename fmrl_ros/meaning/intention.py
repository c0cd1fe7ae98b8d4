"""What an explanation still asks for in a scene: the conditions of its goal, and which skills lead there."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from fmrl_ros.meaning.explanation import NONE, split_delivery, split_parts, split_verb
from fmrl_ros.meaning.situation import Situation
from fmrl_ros.worlds.conditions import CLOSED, OPEN
from fmrl_ros.worlds.facts import Fact
from fmrl_ros.worlds.names import ROBOT
from fmrl_ros.worlds.rules import GroundRule
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import Skill, World

HAND, SEEN = "hand", "seen"
"""The target of a thing that is to be picked up, and of one that is to be found."""
_OPEN, _CLOSE = "open", "close"
"""Targets of a drawer, called as the verbs of an explanation."""
_VERBS = {OPEN: _OPEN, CLOSED: _CLOSE}
"""The target of a drawer by the predicate that holds then."""


class Intention:
    """What an explanation still asks for in a scene.

    Args:
      explanation: It may begin with what the hand held.
      scene: The scene now.
      world: Says which of its places are drawers, and who is there.
    """

    def __init__(self, explanation: str, scene: Scene, world: World) -> None:
        now = Situation.of(scene, world)
        targets = targets_of(split_parts(explanation), [place.name for place in world.places])
        self._held, self._world = now.held, world
        self._left = {(subject, target) for subject, target in targets.items() if not _is_at(subject, target, now)}
        self._things = {subject for subject, target in self._left if target not in (_OPEN, _CLOSE)} - {ROBOT, HAND}
        self._places = {_place(thing, now) for thing in self._things} | {target for _, target in self._left}

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
        if predicate in _VERBS:
            leads_to_a_thing = predicate == OPEN and not self._places.isdisjoint((subject, None))
            return leads_to_a_thing or (subject, _VERBS[predicate]) in self._left
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


def targets_of(parts: Iterable[str], places: Collection[str]) -> dict[str, str]:
    """Return the target of each drawer, of each thing, of the robot and of the hand, as an explanation's parts say it.

    The target of a thing is a place, `HAND` or `SEEN`; of a drawer ``open`` or ``close``; of the robot a place; of the
    hand, if it is to be empty, `NONE`. A part that says that something cannot be done has a target that no scene meets.
    """
    targets: dict[str, str] = {}
    for part in parts:
        verb, what = split_verb(part, places)
        if verb:
            targets = _after(verb.strip(), what, targets)
        else:
            things, place = split_delivery(part, places)
            targets |= dict.fromkeys(things, place) or {part: NONE}
    return targets


def _after(verb: str, what: str, targets: dict[str, str]) -> dict[str, str]:
    """Return the targets after one more action, without those that it makes impossible to keep."""
    if verb in (_OPEN, _CLOSE):
        return targets | {what: verb}
    if verb in ("pick up", "put down"):
        kept = {subject: target for subject, target in targets.items() if HAND not in (subject, target)}
        return kept | ({what: HAND} if what else {HAND: NONE})
    kept = {subject: target for subject, target in targets.items() if subject != ROBOT and target != SEEN}
    return kept | ({ROBOT: what} if verb == "go to" else {what: kept.get(what, SEEN)})


def _is_at(subject: str, target: str, now: Situation) -> bool:
    """True if a scene shows that a subject has its target."""
    if target in (_OPEN, _CLOSE):
        return (subject in now.opened) == (target == _OPEN)
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
