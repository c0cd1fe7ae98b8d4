"""Whether two scenes show the same state of the world."""

from __future__ import annotations

import math

from fmrl_ros.worlds.scene import Scene

MOVED = 0.02
"""A thing that is further from where it was has been moved, m: cameras are more exact, and a push goes further."""

_STATES = frozenset({"in", "on", "at", "held", "open", "lit"})
"""Predicates of what a skill changes. The others follow from them and from positions, and may flicker."""


def unchanged(before: Scene, now: Scene) -> bool:
    """Return whether nothing was moved, opened, lit, taken or put down between two scenes, as far as they show."""
    if _states(before) != _states(now):
        return False
    earlier = {thing.name: thing.position for thing in before.objects}
    later = {thing.name: thing.position for thing in now.objects}
    return earlier.keys() == later.keys() and all(math.dist(p, later[name]) <= MOVED for name, p in earlier.items())


def _states(scene: Scene) -> set[tuple[str, str, str]]:
    return {(r.subject, r.predicate, r.object) for r in scene.relations if r.predicate in _STATES}
