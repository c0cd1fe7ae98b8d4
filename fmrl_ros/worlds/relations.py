"""How objects relate, computed from their poses with stated tolerances, so that unseen pairs work like seen ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from fmrl_ros.worlds.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.world import Place, World

DRAWER_OPEN = 0.03
"""A drawer pulled out further than this is open, m."""


@dataclass(frozen=True)
class Tolerances:
    """When a relation holds, in metres between centres unless it says edges.

    Attributes:
      in_radius: A block is in a bowl within this horizontal distance ...
      in_height: ... and within this range of height above the bowl's centre.
      on_radius: A block is on another within this horizontal distance ...
      on_height: ... and within this range of height above its centre.
      at_radius: A block is at a place within this horizontal distance of it ...
      table_height: ... if its underside is at most this high above the table.
      clear_gap: A place is clear if every object's edge is at least this far from it.
      near_gap: Two things are near each other if their edges are at most this far apart.
      full: A bowl is full with so many blocks in it, or on those in it.
      slack: What holds goes on to hold until a limit is exceeded by so much: scenes do not flicker.
      least_confidence: Objects of a lower confidence have no relations.
    """

    in_radius: float = 0.05
    in_height: tuple[float, float] = (-0.02, 0.07)
    on_radius: float = 0.03
    on_height: tuple[float, float] = (0.03, 0.055)
    at_radius: float = 0.05
    table_height: float = 0.012
    clear_gap: float = 0.03
    near_gap: float = 0.05
    full: int = 3
    slack: float = 0.005
    least_confidence: float = 0.2


def relate(
    world: World, scene: Scene, tolerances: Tolerances | None = None, before: Scene | None = None
) -> tuple[Relation, ...]:
    """Return the relations that hold; at most one of ``held``, ``in``, ``on`` and ``at`` for each block.

    Args:
      world: For its places, fixtures and directions.
      scene: What was perceived, with the relations ``held`` and ``lit``, which are kept.
      tolerances: See there.
      before: The previous scene: what held then holds a little longer.
    """
    limits = tolerances or Tolerances()
    held = scene.held
    known = [o for o in scene.objects if o.confidence >= limits.least_confidence or o.name == held]
    geometry = _Geometry(world, known, held, limits, before)
    blocks, bowls = geometry.blocks, geometry.bowls
    found = [r for block in blocks if (r := geometry.support(block))]
    into = {r.subject: r.object for r in found if r.predicate == "in"}
    upon = {r.subject: r.object for r in found if r.predicate == "on"}
    inside = Counter(into.get(_lowest(block.name, upon), "") for block in blocks)
    found += [Relation(b.name, "empty", "", b.confidence) for b in bowls if not inside[b.name]]
    found += [Relation(b.name, "full", "", b.confidence) for b in bowls if inside[b.name] >= limits.full]
    found += [Relation(d.seen.name, "open" if d.open else "closed", "", d.seen.confidence) for d in geometry.drawers]
    found += [Relation(place.name, "clear") for place in world.places if geometry.clear(place)]
    standing = [o for o in (*blocks, *bowls) if o.name not in (held, *into, *upon) and on_table(o, limits)]
    found += [r for one, other in combinations(standing, 2) for r in geometry.beside(one, other)]
    return (*found, *(r for r in scene.relations if r.predicate == "lit"))


class _OpenDrawer:
    """A drawer as seen: whether it is open, and the box in which things are in it, m, base frame."""

    def __init__(self, world: World, seen: SceneObject, limit: float) -> None:
        fixture = world.fixture(seen.name)
        self.seen = seen
        travel = [abs(t) for t in fixture.travel]
        self.open = math.dist(seen.position, fixture.position) > limit
        self._middle = [p + i for p, i in zip(seen.position, fixture.inside, strict=True)]
        self._reach = (max(travel[0] / 2 + 0.03, 0.08), max(travel[1] / 2 + 0.03, 0.08))

    def contains(self, thing: SceneObject, slack: float) -> bool:
        """True if the thing is between the drawer's walls."""
        across = all(abs(thing.position[i] - self._middle[i]) <= self._reach[i] + slack for i in (0, 1))
        return self.open and across and abs(thing.position[2] - self._middle[2]) <= 0.05 + slack


class _Geometry:
    """Judges relations between known things; what held in the scene before has some slack."""

    def __init__(
        self, world: World, known: Sequence[SceneObject], held: str | None, limits: Tolerances, before: Scene | None
    ) -> None:
        self.world, self.known, self.held, self.limits = world, known, held, limits
        self._before = {(r.subject, r.predicate, r.object) for r in before.relations} if before else set()
        self.blocks = [o for o in known if o.kind == "block"]
        self.bowls = [o for o in known if o.kind == "bowl"]
        self.drawers = [
            _OpenDrawer(world, o, DRAWER_OPEN - self._slack(o.name, "open") + self._slack(o.name, "closed"))
            for o in known
            if o.kind == "drawer"
        ]

    def _slack(self, subject: str, predicate: str, target: str = "") -> float:
        return self.limits.slack if (subject, predicate, target) in self._before else 0.0

    def support(self, block: SceneObject) -> Relation | None:
        """Return where a block is: in the hand, in or on something, or at a place."""
        limits, name = self.limits, block.name
        if name == self.held:
            return Relation(name, "held", "", block.confidence)
        bowl = _nearest(block, self.bowls)
        if bowl and _above(block, bowl, limits.in_radius, limits.in_height, self._slack(name, "in", bowl.name)):
            return Relation(name, "in", bowl.name, min(block.confidence, bowl.confidence))
        for drawer in self.drawers:
            if drawer.contains(block, self._slack(name, "in", drawer.seen.name)):
                return Relation(name, "in", drawer.seen.name, min(block.confidence, drawer.seen.confidence))
        under = _nearest(block, [b for b in self.blocks if b.name not in (name, self.held) and self._upon(block, b)])
        if under:
            return Relation(name, "on", under.name, min(block.confidence, under.confidence))
        if on_table(block, limits):
            for place in self.world.places:
                reach = limits.at_radius + self._slack(name, "at", place.name)
                if math.dist(block.position[:2], place.position) <= reach:
                    return Relation(name, "at", place.name, block.confidence)
        return None

    def _upon(self, block: SceneObject, other: SceneObject) -> bool:
        slack = self._slack(block.name, "on", other.name)
        return _above(block, other, self.limits.on_radius, self.limits.on_height, slack)

    def clear(self, place: Place) -> bool:
        """True if nothing stands at a place."""
        gap = self.limits.clear_gap - self._slack(place.name, "clear")
        return all(o.name == self.held or _edge_distance(o, place) >= gap for o in self.known)

    def beside(self, one: SceneObject, other: SceneObject) -> Iterator[Relation]:
        """Yield how two things on the table lie to each other, seen from the robot, either way round."""
        apart = math.dist(one.position[:2], other.position[:2])
        confidence = min(one.confidence, other.confidence)
        gap = apart - (max(one.size[:2]) + max(other.size[:2])) / 2
        if gap <= self.limits.near_gap + self._slack(one.name, "near", other.name):
            yield Relation(one.name, "near", other.name, confidence)
            yield Relation(other.name, "near", one.name, confidence)
        for a, b in ((one, other), (other, one)):
            offset = [p - q for p, q in zip(a.position[:2], b.position[:2], strict=True)]
            slack = {side: self._slack(a.name, side, b.name) for side in self.world.directions.get("side", {})}
            if not slack:
                return
            along = {side: float(self.world.direction(side) @ offset) + slack[side] for side in slack}
            yield Relation(a.name, max(along, key=along.__getitem__), b.name, confidence)


def on_table(block: SceneObject, tolerances: Tolerances | None = None) -> bool:
    """True if an object stands on the table itself."""
    limits = tolerances or Tolerances()
    return block.position[2] - block.size[2] / 2 <= limits.table_height


def _lowest(name: str, upon: Mapping[str, str]) -> str:
    """Return what a stack stands on; of what is on nothing, itself."""
    while name in upon:
        name = upon[name]
    return name


def _nearest(block: SceneObject, others: Sequence[SceneObject]) -> SceneObject | None:
    return min(others, key=lambda o: math.dist(o.position[:2], block.position[:2]), default=None)


def _above(upper: SceneObject, lower: SceneObject, radius: float, height: tuple[float, float], slack: float) -> bool:
    rise = upper.position[2] - lower.position[2]
    within = math.dist(upper.position[:2], lower.position[:2]) <= radius + slack
    return within and height[0] - slack <= rise <= height[1] + slack


def _edge_distance(thing: SceneObject, place: Place) -> float:
    return math.dist(thing.position[:2], place.position) - max(thing.size[:2]) / 2
