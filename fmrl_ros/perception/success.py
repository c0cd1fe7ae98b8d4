"""Did a skill do what it is for? Judged from what the cameras saw before and after, and from nothing else."""

from __future__ import annotations

import math

from fmrl_ros.perception.description import whereabouts
from fmrl_ros.perception.scene import Scene, SceneObject, Verdict
from fmrl_ros.worlds.world import Skill

SURE = 0.5
"""Objects of a lower confidence give no verdict."""
LIFT = 0.02
"""A picked object is at least this much higher than before, m."""
_GOALS = {"place_in": "in", "place_at": "at"}


class SuccessDetector:
    """Verdicts on ``pick``, ``place_in`` and ``place_at``; unknown for other skills and for what was not seen."""

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
        if skill.name in _GOALS:
            return _judge_place(_GOALS[skill.name], skill.arguments[0], before, after)
        return Verdict(None, 0.0, f"no rule says how '{skill.phrase}' looks when it has succeeded")


def _judge_pick(target: str, before: Scene, after: Scene) -> Verdict:
    thing = after.find(target)
    if thing is None:
        return Verdict(None, 0.0, f"the {target} has not been seen")
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
        return Verdict(True, confidence, f"the {moved} is {where}")
    return Verdict(
        False, _margin(confidence, thing, goal, after), f"the {moved} is {where}, not {predicate} the {goal}"
    )


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
