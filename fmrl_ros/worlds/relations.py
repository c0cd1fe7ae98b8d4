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
      full_count: A bowl is full with so many blocks in it, or on those in it.
      hysteresis: What held in the last scene holds until a limit is exceeded by so much: scenes do not flicker.
      min_confidence: Objects of a lower confidence have no relations.
    """

    in_radius: float = 0.05
    in_height: tuple[float, float] = (-0.02, 0.07)
    on_radius: float = 0.03
    on_height: tuple[float, float] = (0.03, 0.055)
    at_radius: float = 0.05
    table_height: float = 0.012
    clear_gap: float = 0.03
    near_gap: float = 0.10
    full_count: int = 3
    hysteresis: float = 0.005
    min_confidence: float = 0.2


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
    geometry = _Geometry(world, scene, tolerances or Tolerances(), before)
    supports = geometry.supports()
    return (
        *supports,
        *geometry.bowl_contents(supports),
        *geometry.drawer_states(),
        *geometry.clear_places(),
        *geometry.arrangement(supports),
        *(r for r in scene.relations if r.predicate == "lit"),
    )


class _OpenDrawer:
    """A drawer as seen: whether it is open, and the box in which things are in it, m, base frame."""

    def __init__(self, world: World, seen: SceneObject, limit: float) -> None:
        fixture = world.fixture(seen.name)
        self.seen = seen
        travel = [abs(t) for t in fixture.travel]
        self.open = math.dist(seen.position, fixture.position) > limit
        self._middle = [p + i for p, i in zip(seen.position, fixture.inside, strict=True)]
        self._reach = (max(travel[0] / 2 + 0.03, 0.08), max(travel[1] / 2 + 0.03, 0.08))

    def contains(self, thing: SceneObject, margin: float) -> bool:
        """True if the thing is between the drawer's walls."""
        across = all(abs(thing.position[i] - self._middle[i]) <= self._reach[i] + margin for i in (0, 1))
        return self.open and across and abs(thing.position[2] - self._middle[2]) <= 0.05 + margin


class _Geometry:
    """Judges relations between the objects that are known well enough, with hysteresis for what held before."""

    def __init__(self, world: World, scene: Scene, limits: Tolerances, before: Scene | None) -> None:
        self.world, self.held, self.limits, self._before = world, scene.held, limits, before
        self.known = [o for o in scene.objects if o.confidence >= limits.min_confidence or o.name == self.held]
        self.blocks, self.bowls = self._of_kind("block"), self._of_kind("bowl")
        self.drawers = [
            _OpenDrawer(world, o, DRAWER_OPEN - self._hysteresis(o.name, "open") + self._hysteresis(o.name, "closed"))
            for o in self._of_kind("drawer")
        ]

    def _of_kind(self, kind: str) -> list[SceneObject]:
        return [o for o in self.known if o.kind == kind]

    def _hysteresis(self, subject: str, predicate: str, target: str = "") -> float:
        was_true = self._before is not None and self._before.holds(subject, predicate, target)
        return self.limits.hysteresis if was_true else 0.0

    # Where each block is.

    def supports(self) -> list[Relation]:
        """Return where each block is: in the hand, in or on something, or at a place."""
        return [relation for block in self.blocks if (relation := self._support(block))]

    def _support(self, block: SceneObject) -> Relation | None:
        name = block.name
        if name == self.held:
            return Relation(name, "held", "", block.confidence)
        if container := self._bowl_around(block) or self._drawer_around(block):
            return Relation(name, "in", container.name, min(block.confidence, container.confidence))
        if under := self._block_under(block):
            return Relation(name, "on", under.name, min(block.confidence, under.confidence))
        if place := self._place_of(block):
            return Relation(name, "at", place.name, block.confidence)
        return None

    def _bowl_around(self, block: SceneObject) -> SceneObject | None:
        bowl, limits = _nearest(block, self.bowls), self.limits
        if bowl is None:
            return None
        margin = self._hysteresis(block.name, "in", bowl.name)
        return bowl if _above(block, bowl, limits.in_radius, limits.in_height, margin) else None

    def _drawer_around(self, block: SceneObject) -> SceneObject | None:
        around = (d.seen for d in self.drawers if d.contains(block, self._hysteresis(block.name, "in", d.seen.name)))
        return next(around, None)

    def _block_under(self, block: SceneObject) -> SceneObject | None:
        others = [b for b in self.blocks if b.name not in (block.name, self.held)]
        return _nearest(block, [other for other in others if self._stands_on(block, other)])

    def _stands_on(self, block: SceneObject, other: SceneObject) -> bool:
        margin = self._hysteresis(block.name, "on", other.name)
        return _above(block, other, self.limits.on_radius, self.limits.on_height, margin)

    def _place_of(self, block: SceneObject) -> Place | None:
        if not on_table(block, self.limits):
            return None
        for place in self.world.places:
            reach = self.limits.at_radius + self._hysteresis(block.name, "at", place.name)
            if math.dist(block.position[:2], place.position) <= reach:
                return place
        return None

    # What bowls, drawers and places are like.

    def bowl_contents(self, supports: Sequence[Relation]) -> Iterator[Relation]:
        """Yield which bowls are empty, then which are full; blocks on those in a bowl count."""
        into, upon = _objects_of("in", supports), _objects_of("on", supports)
        count = Counter(into.get(_lowest(block.name, upon), "") for block in self.blocks)
        yield from (Relation(b.name, "empty", "", b.confidence) for b in self.bowls if not count[b.name])
        full = (b for b in self.bowls if count[b.name] >= self.limits.full_count)
        yield from (Relation(b.name, "full", "", b.confidence) for b in full)

    def drawer_states(self) -> Iterator[Relation]:
        """Yield for each drawer whether it is open or closed."""
        for drawer in self.drawers:
            yield Relation(drawer.seen.name, "open" if drawer.open else "closed", "", drawer.seen.confidence)

    def clear_places(self) -> Iterator[Relation]:
        """Yield the places at which nothing stands."""
        for place in self.world.places:
            gap = self.limits.clear_gap - self._hysteresis(place.name, "clear")
            if all(o.name == self.held or _edge_distance(o, place) >= gap for o in self.known):
                yield Relation(place.name, "clear")

    # How things on the table lie to each other.

    def arrangement(self, supports: Sequence[Relation]) -> Iterator[Relation]:
        """Yield how any two things that stand on the table lie to each other, seen from the robot, either way round."""
        supported = {self.held, *_objects_of("in", supports), *_objects_of("on", supports)}
        standing = [o for o in (*self.blocks, *self.bowls) if o.name not in supported and on_table(o, self.limits)]
        for one, other in combinations(standing, 2):
            yield from self._nearness(one, other)
            yield from self._sides(one, other)

    def _nearness(self, one: SceneObject, other: SceneObject) -> Iterator[Relation]:
        apart = math.dist(one.position[:2], other.position[:2])
        gap = apart - (max(one.size[:2]) + max(other.size[:2])) / 2
        if gap <= self.limits.near_gap + self._hysteresis(one.name, "near", other.name):
            confidence = min(one.confidence, other.confidence)
            yield Relation(one.name, "near", other.name, confidence)
            yield Relation(other.name, "near", one.name, confidence)

    def _sides(self, one: SceneObject, other: SceneObject) -> Iterator[Relation]:
        sides = self.world.directions.get("side", {})
        for a, b in ((one, other), (other, one)) if sides else ():
            offset = [p - q for p, q in zip(a.position[:2], b.position[:2], strict=True)]
            along = {
                side: float(self.world.direction(side) @ offset) + self._hysteresis(a.name, side, b.name)
                for side in sides
            }
            yield Relation(a.name, max(along, key=along.__getitem__), b.name, min(a.confidence, b.confidence))


def on_table(block: SceneObject, tolerances: Tolerances | None = None) -> bool:
    """True if an object stands on the table itself."""
    limits = tolerances or Tolerances()
    return block.position[2] - block.size[2] / 2 <= limits.table_height


def _objects_of(predicate: str, relations: Sequence[Relation]) -> dict[str, str]:
    """Return the object of each subject's relation with a predicate that a subject has once at most."""
    return {r.subject: r.object for r in relations if r.predicate == predicate}


def _lowest(name: str, upon: Mapping[str, str]) -> str:
    """Return what a stack stands on; of what is on nothing, itself."""
    while name in upon:
        name = upon[name]
    return name


def _nearest(block: SceneObject, others: Sequence[SceneObject]) -> SceneObject | None:
    return min(others, key=lambda o: math.dist(o.position[:2], block.position[:2]), default=None)


def _above(upper: SceneObject, lower: SceneObject, radius: float, height: tuple[float, float], margin: float) -> bool:
    rise = upper.position[2] - lower.position[2]
    within = math.dist(upper.position[:2], lower.position[:2]) <= radius + margin
    return within and height[0] - margin <= rise <= height[1] + margin


def _edge_distance(thing: SceneObject, place: Place) -> float:
    return math.dist(thing.position[:2], place.position) - max(thing.size[:2]) / 2
