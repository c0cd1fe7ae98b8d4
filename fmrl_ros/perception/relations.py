"""How objects relate, computed from their poses with stated tolerances, so that unseen pairs work like seen ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fmrl_ros.perception.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.world import Place, World

DRAWER_OPEN = 0.03
"""A drawer pulled out further than this is open, m."""


@dataclass(frozen=True)
class Tolerances:
    """When a relation holds, in metres between centres.

    Attributes:
      in_radius: A block is in a bowl within this horizontal distance ...
      in_height: ... and within this range of height above the bowl's centre.
      on_radius: A block is on another within this horizontal distance ...
      on_height: ... and within this range of height above its centre.
      at_radius: A block is at a place within this horizontal distance of it ...
      table_height: ... if its underside is at most this high above the table.
      clear_gap: A place is clear if every object's edge is at least this far from it.
      least_confidence: Objects of a lower confidence have no relations.
    """

    in_radius: float = 0.05
    in_height: tuple[float, float] = (-0.02, 0.07)
    on_radius: float = 0.03
    on_height: tuple[float, float] = (0.03, 0.055)
    at_radius: float = 0.05
    table_height: float = 0.012
    clear_gap: float = 0.03
    least_confidence: float = 0.2


def relate(world: World, scene: Scene, tolerances: Tolerances | None = None) -> tuple[Relation, ...]:
    """Return the relations that hold; at most one of ``held``, ``in``, ``on`` and ``at`` for each block.

    Args:
      world: For its places and fixtures.
      scene: What was perceived, with the relations ``held`` and ``lit``, which are kept.
      tolerances: See there.
    """
    limits = tolerances or Tolerances()
    held = scene.held
    known = [o for o in scene.objects if o.confidence >= limits.least_confidence or o.name == held]
    blocks = [o for o in known if o.kind == "block"]
    bowls = [o for o in known if o.kind == "bowl"]
    drawers = [_OpenDrawer(world, o) for o in known if o.kind == "drawer"]
    found = [r for block in blocks if (r := _relation_of(block, blocks, bowls, drawers, world.places, held, limits))]
    filled = {r.object for r in found if r.predicate == "in"}
    found += [Relation(b.name, "empty", "", b.confidence) for b in bowls if b.name not in filled]
    found += [Relation(d.seen.name, "open" if d.open else "closed", "", d.seen.confidence) for d in drawers]
    found += [
        Relation(place.name, "clear")
        for place in world.places
        if all(o.name == held or _edge_distance(o, place) >= limits.clear_gap for o in known)
    ]
    return (*found, *(r for r in scene.relations if r.predicate == "lit"))


class _OpenDrawer:
    """A drawer as seen: whether it is open, and the box in which things are in it, m, base frame."""

    def __init__(self, world: World, seen: SceneObject) -> None:
        fixture = world.fixture(seen.name)
        self.seen = seen
        travel = [abs(t) for t in fixture.travel]
        self.open = math.dist(seen.position, fixture.position) > DRAWER_OPEN
        self._middle = [p + i for p, i in zip(seen.position, fixture.inside, strict=True)]
        self._reach = (max(travel[0] / 2 + 0.03, 0.08), max(travel[1] / 2 + 0.03, 0.08))

    def contains(self, thing: SceneObject) -> bool:
        """True if the thing is between the drawer's walls."""
        across = all(abs(thing.position[i] - self._middle[i]) <= self._reach[i] for i in (0, 1))
        return self.open and across and abs(thing.position[2] - self._middle[2]) <= 0.05


def _relation_of(
    block: SceneObject,
    blocks: Sequence[SceneObject],
    bowls: Sequence[SceneObject],
    drawers: Sequence[_OpenDrawer],
    places: Sequence[Place],
    held: str | None,
    limits: Tolerances,
) -> Relation | None:
    if block.name == held:
        return Relation(block.name, "held", "", block.confidence)
    bowl = _nearest(block, bowls)
    if bowl and _above(block, bowl, limits.in_radius, limits.in_height):
        return Relation(block.name, "in", bowl.name, min(block.confidence, bowl.confidence))
    for drawer in drawers:
        if drawer.contains(block):
            return Relation(block.name, "in", drawer.seen.name, min(block.confidence, drawer.seen.confidence))
    lower = [b for b in blocks if b.name != held and b.position[2] < block.position[2]]
    under = _nearest(block, lower)
    if under and _above(block, under, limits.on_radius, limits.on_height):
        return Relation(block.name, "on", under.name, min(block.confidence, under.confidence))
    if on_table(block, limits):
        for place in places:
            if math.dist(block.position[:2], place.position) <= limits.at_radius:
                return Relation(block.name, "at", place.name, block.confidence)
    return None


def on_table(block: SceneObject, tolerances: Tolerances | None = None) -> bool:
    """True if an object stands on the table itself."""
    limits = tolerances or Tolerances()
    return block.position[2] - block.size[2] / 2 <= limits.table_height


def _nearest(block: SceneObject, others: Sequence[SceneObject]) -> SceneObject | None:
    return min(others, key=lambda o: math.dist(o.position[:2], block.position[:2]), default=None)


def _above(upper: SceneObject, lower: SceneObject, radius: float, height: tuple[float, float]) -> bool:
    rise = upper.position[2] - lower.position[2]
    return math.dist(upper.position[:2], lower.position[:2]) <= radius and height[0] <= rise <= height[1]


def _edge_distance(thing: SceneObject, place: Place) -> float:
    return math.dist(thing.position[:2], place.position) - max(thing.size[:2]) / 2
