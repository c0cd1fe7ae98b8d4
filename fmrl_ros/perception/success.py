"""Did a skill do what it is for? Judged from what the cameras saw before and after, and from nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from fmrl_ros.skills.task import DRAWER_CLOSED, DRAWER_OPEN, place_goal, push_goal, skill_names, skill_task
from fmrl_ros.worlds.description import describe_location
from fmrl_ros.worlds.facts import Fact
from fmrl_ros.worlds.names import ROBOT
from fmrl_ros.worlds.relations import on_table
from fmrl_ros.worlds.scene import Scene, SceneObject, Verdict
from fmrl_ros.worlds.symbolic import relation_of
from fmrl_ros.worlds.world import Fixture, Skill, World

MIN_CONFIDENCE = 0.5
"""Objects of a lower confidence give no verdict."""
NEVER_SEEN_CONFIDENCE = 0.75
"""Confidence that a skill has failed if what it is about was never seen."""
MIN_LIFT = 0.02
"""A picked object is at least this much higher than before, m ..."""
LIFTED_HEIGHT = 0.05
"""... or its centre is at least this high above the table, m."""
_BESIDE_TOLERANCE = 0.05
"""A block put beside something lies at most this far from where it should, m."""
_PUSH_TOLERANCE = 0.04
"""The same for one that was pushed."""
_SHIFT_TOLERANCE = 0.025
"""What a skill is not about may be shifted by no more, m."""


class SuccessDetector:
    """Verdicts on skills: by a skill's own judge, or by what the world says that the skill achieves."""

    def __init__(self, world: World) -> None:
        self._world = world

    def judge(self, skill: Skill, before: Scene, after: Scene) -> Verdict:
        """Return whether `skill` succeeded.

        Args:
          skill: What was executed.
          before: The scene when it started.
          after: The scene now; it must be newer.
        """
        if after.stamp <= before.stamp:
            return Verdict(None, 0.0, "no camera frame has arrived since the skill started")
        own = skill_task(skill.name).judge if skill.name in skill_names() else None
        if own is not None:
            return own(self._world, skill, before, after)
        rule = self._world.rule(skill)
        if rule is None:
            return Verdict(None, 0.0, f"the world does not say what '{skill.phrase}' achieves")
        verdicts = [_JUDGES.get(fact[0], _judge_fact)(self._world, fact, before, after) for fact in rule.achieves]
        return min(verdicts, key=_certainty)


def _certainty(verdict: Verdict) -> tuple[int, float]:
    """Order verdicts: of several, one that says no counts first, then one that says nothing."""
    return {False: 0, None: 1, True: 2}[verdict.value], verdict.confidence


def _judge_fact(world: World, fact: Fact, before: Scene, after: Scene) -> Verdict:
    """Judge what the cameras may or may not report: what they do not say is unknown."""
    words = world.domain.predicates[fact[0]].words
    said = (
        words[0].format(**dict(zip(world.domain.predicates[fact[0]].arguments, fact[1:], strict=True))) if words else ""
    )
    if said and "" not in fact:
        wanted = relation_of(fact)
        found = (r for r in after.relations if replace(r, confidence=wanted.confidence) == wanted)
        if relation := next(found, None):
            return Verdict(True, relation.confidence, said)
    return Verdict(None, 0.0, f"no camera says whether {said}" if said else f"no rule says how '{fact[0]}' looks")


def _judge_held(world: World, fact: Fact, before: Scene, after: Scene) -> Verdict:
    target = fact[1]
    thing, earlier = after.find(target), before.find(target)
    if thing is None:
        return _never_seen(target) if earlier is None else _unseen(target)
    if after.held == target:
        if before.held == target or _lifted(earlier, thing):
            return Verdict(True, thing.confidence, f"the {target} is in the hand")
        return Verdict(False, thing.confidence, f"the hand holds the {target} but has not lifted it")
    if thing.confidence < MIN_CONFIDENCE:
        return _unseen(target)
    hand = f"the {after.held} is in the hand" if after.held else "nothing is in the hand"
    return Verdict(False, thing.confidence, f"the {target} is {describe_location(target, after)}, {hand}")


def _lifted(earlier: SceneObject | None, thing: SceneObject) -> bool:
    height = thing.position[2]
    return earlier is None or height - earlier.position[2] >= MIN_LIFT or height >= LIFTED_HEIGHT


def _judge_in_or_on(world: World, fact: Fact, before: Scene, after: Scene) -> Verdict:
    return _judge_placed(fact[0], fact[2], before, after)


def _judge_at(world: World, fact: Fact, before: Scene, after: Scene) -> Verdict:
    if fact[1] == ROBOT:
        return _judge_fact(world, fact, before, after)
    return _unless_others_moved(_judge_placed(fact[0], fact[2], before, after), before, after)


def _judge_placed(predicate: str, goal: str, before: Scene, after: Scene) -> Verdict:
    moved = before.held or _newly_placed(predicate, goal, before, after)
    if moved is None:
        return Verdict(False, 0.8, f"nothing was in the hand before, and nothing new is {predicate} the {goal}")
    thing = after.find(moved)
    if thing is None:
        return Verdict(None, 0.0, f"the {moved} has not been seen")
    if after.held == moved:
        return Verdict(False, thing.confidence, f"the {moved} is still in the hand, not {predicate} the {goal}")
    confidence = min(thing.confidence, _confidence_of(goal, after))
    if confidence < MIN_CONFIDENCE:
        return _unseen(moved if thing.confidence < MIN_CONFIDENCE else goal)
    where = describe_location(moved, after)
    if not after.holds(moved, predicate, goal):
        sure = _refusal_confidence(confidence, thing, goal, after)
        return Verdict(False, sure, f"the {moved} is {where}, not {predicate} the {goal}")
    lost = _displaced(predicate, goal, before, after)
    if lost is not None:
        return Verdict(False, lost.confidence, f"the {lost.name} is no longer {predicate} the {goal}")
    return Verdict(True, confidence, f"the {moved} is {where}")


def _judge_beside(world: World, fact: Fact, before: Scene, after: Scene) -> Verdict:
    return _unless_others_moved(_judge_side(world, fact[2], fact[3], before, after), before, after)


def _judge_side(world: World, side: str, name: str, before: Scene, after: Scene) -> Verdict:
    moved = before.held
    if moved is None:
        return Verdict(False, 0.8, "nothing was in the hand before")
    if before.find(name) is None and after.find(name) is None:
        return _never_seen(name)
    thing, other = _seen_clearly(moved, after), _seen_clearly(name, after)
    if thing is None or other is None:
        return _unseen(moved if thing is None else name)
    if after.held == moved:
        return Verdict(False, thing.confidence, f"the {moved} is still in the hand")
    confidence = min(thing.confidence, other.confidence)
    if not _stands_on_table(moved, after):
        return Verdict(False, confidence, f"the {moved} is {describe_location(moved, after)}, not {side} the {name}")
    off = math.dist(thing.position[:2], place_goal(world, Skill("", (side, name), ""), before, after).position[:2])
    if off > _BESIDE_TOLERANCE:
        return Verdict(False, confidence, f"the {moved} is {100 * off:.0f} cm from where it should be")
    return Verdict(True, confidence, f"the {moved} is {side} the {name}")


def _judge_open(world: World, fact: Fact, before: Scene, after: Scene) -> Verdict:
    name = fact[1]
    thing = after.find(name)
    if thing is None or not thing.visible:
        return _unseen(name)
    _, share = _pulled_out(world.fixture(name), thing)
    state = "open" if share > DRAWER_OPEN else "closed" if share < DRAWER_CLOSED else "not far enough open"
    return Verdict(share > DRAWER_OPEN, thing.confidence, f"the {name} is {state}")


def _judge_closed(world: World, fact: Fact, before: Scene, after: Scene) -> Verdict:
    name = fact[1]
    thing = after.find(name)
    if thing is None or not thing.visible:
        return _unseen(name)
    distance, share = _pulled_out(world.fixture(name), thing)
    state = "closed" if share < DRAWER_CLOSED else f"still {100 * distance:.0f} cm open"
    return Verdict(share < DRAWER_CLOSED, thing.confidence, f"the {name} is {state}")


def _pulled_out(fixture: Fixture, thing: SceneObject) -> tuple[float, float]:
    """Return how far a drawer is pulled out, m, and which share of its travel that is."""
    distance = math.dist(thing.position, fixture.position)
    return distance, distance / math.hypot(*fixture.travel)


def _judge_pushed(world: World, fact: Fact, before: Scene, after: Scene) -> Verdict:
    _, name, way = fact
    earlier, thing = before.find(name), after.find(name)
    if earlier is None and thing is None:
        return _never_seen(name)
    if earlier is None or thing is None or thing.confidence < MIN_CONFIDENCE:
        return _unseen(name)
    off = math.dist(thing.position[:2], push_goal(world, Skill("", (name, way), ""), before, after).position[:2])
    moved = math.dist(thing.position[:2], earlier.position[:2])
    if off <= _PUSH_TOLERANCE and _stands_on_table(name, after):
        verdict = Verdict(True, thing.confidence, f"the {name} has moved {100 * moved:.0f} cm {way}")
        return _unless_others_moved(verdict, before, after, name)
    reason = f"the {name} has moved {100 * moved:.0f} cm and is {100 * off:.0f} cm from where it should be"
    return Verdict(False, thing.confidence, reason)


def _judge_lit(world: World, fact: Fact, before: Scene, after: Scene) -> Verdict:
    name = fact[1]
    thing = after.find(name)
    if thing is None or not thing.visible or before.find(name) is None:
        return _unseen(name)
    state = "lit" if after.holds(name, "lit") else "dark"
    if before.holds(name, "lit") != after.holds(name, "lit"):
        return Verdict(True, thing.confidence, f"the lamp of the {name} is {state} now")
    return Verdict(False, thing.confidence, f"the lamp of the {name} is still {state}")


_JUDGES: dict[str, Callable[[World, Fact, Scene, Scene], Verdict]] = {
    "held": _judge_held,
    "in": _judge_in_or_on,
    "on": _judge_in_or_on,
    "at": _judge_at,
    "beside": _judge_beside,
    "open": _judge_open,
    "closed": _judge_closed,
    "pushed": _judge_pushed,
    "lit": _judge_lit,
}
"""How what skills achieve is judged. An argument of a fact is empty where it is what was in the hand."""


def _seen_clearly(name: str, scene: Scene) -> SceneObject | None:
    """Return an object that is known well enough to be judged, or None."""
    thing = scene.find(name)
    return None if thing is None or thing.confidence < MIN_CONFIDENCE else thing


def _stands_on_table(name: str, scene: Scene) -> bool:
    """True if a thing lies on the table itself, and not on the floor of something."""
    thing = scene.find(name)
    borne = any(r.subject == name and r.predicate in ("in", "on", "held") for r in scene.relations)
    return thing is not None and on_table(thing) and not borne


def _displaced(predicate: str, goal: str, before: Scene, after: Scene) -> SceneObject | None:
    """Return what was at the goal before and is plainly elsewhere now."""
    there = [r.subject for r in before.relations if r.predicate == predicate and r.object == goal]
    seen = (_seen_clearly(name, after) for name in there if not after.holds(name, predicate, goal))
    return next((thing for thing in seen if thing is not None and thing.visible), None)


def _unless_others_moved(verdict: Verdict, before: Scene, after: Scene, *meant: str) -> Verdict:
    """Return a verdict, or a refusal if a success has pushed something else aside."""
    if not verdict.value:
        return verdict
    for thing in after.objects:
        earlier = before.find(thing.name)
        if thing.name in (*meant, before.held) or earlier is None or not thing.visible:
            continue
        if min(thing.confidence, earlier.confidence) < MIN_CONFIDENCE or thing.kind not in ("block", "bowl"):
            continue
        shift = math.dist(thing.position[:2], earlier.position[:2])
        if shift > _SHIFT_TOLERANCE:
            return Verdict(False, thing.confidence, f"the {thing.name} was pushed aside by {100 * shift:.0f} cm")
    return verdict


def _newly_placed(predicate: str, goal: str, before: Scene, after: Scene) -> str | None:
    """Return what is at the goal now and was not before: the hand's content may have gone unnoticed."""
    there = [r.subject for r in after.relations if r.predicate == predicate and r.object == goal]
    return next((name for name in there if not before.holds(name, predicate, goal)), None)


def _confidence_of(goal: str, scene: Scene) -> float:
    thing = scene.find(goal)
    return thing.confidence if thing else 1.0  # a place does not move


def _refusal_confidence(confidence: float, thing: SceneObject, goal: str, scene: Scene) -> float:
    """Return the confidence of a refusal: less when the object lies close to the rim of where it should be."""
    target = scene.find(goal)
    if target is None:
        return confidence
    beyond = math.dist(thing.position[:2], target.position[:2]) - 0.05
    return confidence * (0.6 if 0 <= beyond < 0.01 else 1.0)


def _unseen(name: str) -> Verdict:
    """Return the verdict about a thing that no camera has seen well enough since the skill started."""
    return Verdict(None, 0.0, f"the {name} has not been seen clearly since")


def _never_seen(name: str) -> Verdict:
    """Return the verdict about a thing that no camera has seen, before or since: it is hardly there."""
    return Verdict(False, NEVER_SEEN_CONFIDENCE, f"no {name} has been seen")
