"""Did a skill do what it is for? Judged from what the cameras saw before and after, and from nothing else."""

from __future__ import annotations

import math

from fmrl_ros.skills.task import DRAWER_CLOSED, DRAWER_OPEN, place_goal, push_goal, skill_names, skill_task
from fmrl_ros.worlds.description import whereabouts
from fmrl_ros.worlds.relations import on_table
from fmrl_ros.worlds.scene import Scene, SceneObject, Verdict
from fmrl_ros.worlds.world import Skill, World

SURE = 0.5
"""Objects of a lower confidence give no verdict."""
NOT_THERE = 0.75
"""Confidence that a skill has failed if what it is about was never seen."""
LIFT = 0.02
"""A picked object is at least this much higher than before, m."""
_PREDICATES = {"place_in": "in", "place_on": "on"}
_BESIDE = 0.05
"""A block put beside something lies at most this far from where it should, m."""
_ASIDE = 0.025
"""What a skill is not about may be shifted by no more, m."""
_PUSHED = 0.04
"""The same for one that was pushed."""


class SuccessDetector:
    """Verdicts on every skill of the tabletop, and on those of one's own that bring a judge; else unknown."""

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
        if skill.name == "pick":
            return _judge_pick(skill.arguments[0], before, after)
        if skill.name == "place_at" and len(skill.arguments) == 2:
            return self._judge_beside(skill, before, after)
        if skill.name == "place_at":
            return _nothing_aside(_judge_place("at", skill.arguments[0], before, after), before, after)
        if skill.name in _PREDICATES:
            return _judge_place(_PREDICATES[skill.name], skill.arguments[0], before, after)
        if skill.name in ("open_drawer", "close_drawer"):
            return self._judge_drawer(skill.arguments[0], skill.name == "open_drawer", after)
        if skill.name == "push":
            return self._judge_push(skill, before, after)
        if skill.name == "press_button":
            return _judge_button(skill.arguments[0], before, after)
        own = skill_task(skill.name).judge if skill.name in skill_names() else None
        if own is not None:
            return own(self._world, skill, before, after)
        return Verdict(None, 0.0, f"no rule says how '{skill.phrase}' looks when it has succeeded")

    def _judge_beside(self, skill: Skill, before: Scene, after: Scene) -> Verdict:
        side, name = skill.arguments
        if before.held is None:
            return Verdict(False, 0.8, "nothing was in the hand before")
        thing, other = after.find(before.held), after.find(name)
        if other is None and before.find(name) is None:
            return _never_seen(name)
        if thing is None or other is None or min(thing.confidence, other.confidence) < SURE:
            return Verdict(None, 0.0, _unseen(before.held if thing is None or thing.confidence < SURE else name))
        if after.held == before.held:
            return Verdict(False, thing.confidence, f"the {before.held} is still in the hand")
        spot = place_goal(self._world, skill, before, after).position
        off = math.dist(thing.position[:2], spot[:2])
        lies = _lies_free(before.held, after)
        placed = off <= _BESIDE and lies
        where = f"{side} the {name}" if placed else f"{100 * off:.0f} cm from where it should be"
        where = where if lies else f"{whereabouts(before.held, after)}, not {side} the {name}"
        verdict = Verdict(placed, min(thing.confidence, other.confidence), f"the {before.held} is {where}")
        return _nothing_aside(verdict, before, after)

    def _judge_drawer(self, name: str, open_it: bool, after: Scene) -> Verdict:
        thing, fixture = after.find(name), self._world.fixture(name)
        if thing is None or not thing.visible:
            return Verdict(None, 0.0, _unseen(name))
        out = math.dist(thing.position, fixture.position)
        share = out / math.hypot(*fixture.travel)
        if open_it:
            state = "open" if share > DRAWER_OPEN else "closed" if share < DRAWER_CLOSED else "not far enough open"
            return Verdict(share > DRAWER_OPEN, thing.confidence, f"the {name} is {state}")
        state = "closed" if share < DRAWER_CLOSED else f"still {100 * out:.0f} cm open"
        return Verdict(share < DRAWER_CLOSED, thing.confidence, f"the {name} is {state}")

    def _judge_push(self, skill: Skill, before: Scene, after: Scene) -> Verdict:
        name, way = skill.arguments
        earlier, thing = before.find(name), after.find(name)
        if earlier is None and thing is None:
            return _never_seen(name)
        if earlier is None or thing is None or thing.confidence < SURE:
            return Verdict(None, 0.0, _unseen(name))
        spot = push_goal(self._world, skill, before, after).position
        off = math.dist(thing.position[:2], spot[:2])
        moved = math.dist(thing.position[:2], earlier.position[:2])
        if off <= _PUSHED and _lies_free(name, after):
            verdict = Verdict(True, thing.confidence, f"the {name} has moved {100 * moved:.0f} cm {way}")
            return _nothing_aside(verdict, before, after, name)
        reason = f"the {name} has moved {100 * moved:.0f} cm and is {100 * off:.0f} cm from where it should be"
        return Verdict(False, thing.confidence, reason)


def _judge_button(name: str, before: Scene, after: Scene) -> Verdict:
    thing = after.find(name)
    if thing is None or not thing.visible or before.find(name) is None:
        return Verdict(None, 0.0, _unseen(name))
    state = "lit" if after.holds(name, "lit") else "dark"
    if before.holds(name, "lit") != after.holds(name, "lit"):
        return Verdict(True, thing.confidence, f"the lamp of the {name} is {state} now")
    return Verdict(False, thing.confidence, f"the lamp of the {name} is still {state}")


def _judge_pick(target: str, before: Scene, after: Scene) -> Verdict:
    thing = after.find(target)
    if thing is None:
        return _never_seen(target) if before.find(target) is None else Verdict(None, 0.0, _unseen(target))
    if after.held == target:
        earlier = before.find(target)
        lifted = earlier is None or thing.position[2] - earlier.position[2] >= LIFT or thing.position[2] >= 0.05
        if before.held == target or lifted:
            return Verdict(True, thing.confidence, f"the {target} is in the hand")
        return Verdict(False, thing.confidence, f"the hand holds the {target} but has not lifted it")
    if thing.confidence < SURE:
        return Verdict(None, 0.0, _unseen(target))
    hand = f"the {after.held} is in the hand" if after.held else "nothing is in the hand"
    return Verdict(False, thing.confidence, f"the {target} is {whereabouts(target, after)}, {hand}")


def _judge_place(predicate: str, goal: str, before: Scene, after: Scene) -> Verdict:
    moved = before.held or _newly_there(predicate, goal, before, after)
    if moved is None:
        return Verdict(False, 0.8, f"nothing was in the hand before, and nothing new is {predicate} the {goal}")
    thing = after.find(moved)
    if thing is None:
        return Verdict(None, 0.0, f"the {moved} has not been seen")
    if after.held == moved:
        return Verdict(False, thing.confidence, f"the {moved} is still in the hand, not {predicate} the {goal}")
    confidence = min(thing.confidence, _confidence_of(goal, after))
    if confidence < SURE:
        return Verdict(None, 0.0, _unseen(moved if thing.confidence < SURE else goal))
    where = whereabouts(moved, after)
    if after.holds(moved, predicate, goal):
        lost = _lost(predicate, goal, before, after)
        if lost is not None:
            return Verdict(False, lost.confidence, f"the {lost.name} is no longer {predicate} the {goal}")
        return Verdict(True, confidence, f"the {moved} is {where}")
    return Verdict(
        False, _margin(confidence, thing, goal, after), f"the {moved} is {where}, not {predicate} the {goal}"
    )


def _lies_free(name: str, scene: Scene) -> bool:
    """True if a thing lies on the table itself, and not on the floor of something."""
    thing = scene.find(name)
    borne = any(r.subject == name and r.predicate in ("in", "on", "held") for r in scene.relations)
    return thing is not None and on_table(thing) and not borne


def _lost(predicate: str, goal: str, before: Scene, after: Scene) -> SceneObject | None:
    """Return what was at the goal before and is plainly elsewhere now."""
    there = [r.subject for r in before.relations if r.predicate == predicate and r.object == goal]
    seen = [thing for name in there if (thing := after.find(name)) is not None]
    return next(
        (t for t in seen if t.visible and t.confidence >= SURE and not after.holds(t.name, predicate, goal)), None
    )


def _nothing_aside(verdict: Verdict, before: Scene, after: Scene, *meant: str) -> Verdict:
    """Return a verdict, or a refusal if a success has pushed something else aside."""
    if not verdict.value:
        return verdict
    for thing in after.objects:
        earlier = before.find(thing.name)
        if thing.name in (*meant, before.held) or earlier is None or not thing.visible:
            continue
        if min(thing.confidence, earlier.confidence) < SURE or thing.kind not in ("block", "bowl"):
            continue
        shift = math.dist(thing.position[:2], earlier.position[:2])
        if shift > _ASIDE:
            return Verdict(False, thing.confidence, f"the {thing.name} was pushed aside by {100 * shift:.0f} cm")
    return verdict


def _newly_there(predicate: str, goal: str, before: Scene, after: Scene) -> str | None:
    """Return what is at the goal now and was not before: the hand's content may have gone unnoticed."""
    there = [r.subject for r in after.relations if r.predicate == predicate and r.object == goal]
    return next((name for name in there if not before.holds(name, predicate, goal)), None)


def _confidence_of(goal: str, scene: Scene) -> float:
    thing = scene.find(goal)
    return thing.confidence if thing else 1.0  # a place does not move


def _margin(confidence: float, thing: SceneObject, goal: str, scene: Scene) -> float:
    """Return the confidence of a refusal: less when the object lies close to the rim of where it should be."""
    target = scene.find(goal)
    if target is None:
        return confidence
    beyond = math.dist(thing.position[:2], target.position[:2]) - 0.05
    return confidence * (0.6 if 0 <= beyond < 0.01 else 1.0)


def _unseen(name: str) -> str:
    return f"the {name} has not been seen clearly since"


def _never_seen(name: str) -> Verdict:
    """Return the verdict about a thing that no camera has seen, before or since: it is hardly there."""
    return Verdict(False, NOT_THERE, f"no {name} has been seen")
