"""Which relations pictures can decide, and the scenes in which they hold: the true one and the one that was seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.learning.perception.training_scenes import LabelledScene
from fmrl_ros.perception.detection import Detection
from fmrl_ros.worlds.relations import relate
from fmrl_ros.worlds.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.world import World

Fact = tuple[str, str, str]
"""Subject, predicate and object; the object is empty where the predicate has none."""


def true_scene(world: World, look: LabelledScene) -> Scene:
    """Return the scene that perfect eyes would report."""
    objects = [
        SceneObject(entry.name, entry.kind, _point(truth.position), truth.yaw, entry.size, 1.0)
        for entry in world.objects
        if (truth := look.truth.get(entry.name)) is not None
    ]
    for fixture in world.fixtures:
        travel = np.array(fixture.travel, float)
        out = travel / max(float(np.linalg.norm(travel)), 1e-9) * look.opening
        objects.append(
            SceneObject(fixture.name, fixture.kind, _point(np.array(fixture.position) + out), 0.0, fixture.size, 1.0)
        )
    return _related(world, objects, look.held)


def seen_scene(world: World, found: Sequence[Detection], held: str | None) -> Scene:
    """Return the scene that was seen; what is held is known from the hand, not from one picture."""
    kinds = _kinds(world)
    sizes = {o.name: o.size for o in world.objects} | {f.name: f.size for f in world.fixtures}
    objects = [SceneObject(d.name, kinds[d.name], d.position, d.yaw, sizes[d.name], d.confidence) for d in found]
    return _related(world, objects, held)


def _point(position: NDArray[np.float64]) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in position)
    return x, y, z


def _related(world: World, objects: Sequence[SceneObject], held: str | None) -> Scene:
    scene = Scene(0.0, tuple(objects), (Relation(held, "held"),) if held else ())
    return replace(scene, relations=relate(world, scene))


def facts(world: World, visible: Sequence[str], present: Sequence[str], fixtures: Sequence[str]) -> Iterator[Fact]:
    """Yield the facts that pictures can decide: those about things of which enough is seen.

    Args:
      world: Its places, kinds and directions.
      visible: Objects of which enough can be seen.
      present: Objects that are there; what is said of a whole bowl or place needs sight of all of them.
      fixtures: Drawers and buttons that are seen.
    """
    kinds = _kinds(world)

    def seen(kind: str) -> list[str]:
        return [name for name in (*visible, *fixtures) if kinds[name] == kind]

    blocks, bowls, drawers = seen("block"), seen("bowl"), seen("drawer")
    yield from _whereabouts(world, blocks, [*bowls, *drawers])
    yield from _directions(world, [name for name in visible if kinds[name] in ("block", "bowl")])
    yield from ((drawer, predicate, "") for drawer in drawers for predicate in ("open", "closed"))
    if set(present) <= set(visible):
        yield from ((bowl, predicate, "") for bowl in bowls for predicate in ("empty", "full"))
        yield from ((place.name, "clear", "") for place in world.places)


def _whereabouts(world: World, blocks: Sequence[str], containers: Sequence[str]) -> Iterator[Fact]:
    """Yield what each block may be in, on and at."""
    for block in blocks:
        yield from ((block, "in", container) for container in containers)
        yield from ((block, "on", other) for other in blocks if other != block)
        yield from ((block, "at", place.name) for place in world.places)


def _directions(world: World, objects: Sequence[str]) -> Iterator[Fact]:
    """Yield how each two objects may lie to each other."""
    for one, other in permutations(objects, 2):
        yield from ((one, predicate, other) for predicate in ("near", *world.directions.get("side", {})))


def _kinds(world: World) -> dict[str, str]:
    return {o.name: o.kind for o in world.objects} | {f.name: f.kind for f in world.fixtures}
