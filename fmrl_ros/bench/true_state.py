"""Whether what was asked for is so, by what a simulation says is true."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.meaning.alternatives import alternatives
from fmrl_ros.meaning.goal_grammar import GoalGrammar
from fmrl_ros.meaning.pursuit import Pursuit
from fmrl_ros.skills.task import PUSH_DISTANCE, PUSHED
from fmrl_ros.worlds.facts import Fact
from fmrl_ros.worlds.relations import relate
from fmrl_ros.worlds.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import Fixture, World

Layout = Mapping[str, NDArray[np.float64]]
"""Pose (x, y, z, yaw) of each object, m and rad, base frame."""


def reached(goal: str, world: World, start: Layout, truth: Mapping[str, Any]) -> bool:
    """Return whether a goal is reached.

    Args:
      goal: In the goal language.
      world: Its world.
      start: Where everything was.
      truth: What is true now, as `fmrl_ros.simulation.truth` tells it.
    """
    state = SymbolicState.seen(world, true_scene(world, truth))
    for fact in _pushed(world, start, truth):
        state = state.with_fact(fact)
    return any(Pursuit.reached(each, state) for each in alternatives(GoalGrammar(world).parse(goal), world))


def true_scene(world: World, truth: Mapping[str, Any]) -> Scene:
    """Return a scene in which everything is seen where it is."""
    said = [Relation(name, "held") for name, thing in truth["objects"].items() if thing["held"]]
    said += [Relation(button, "lit") for button in world.names_of_kind("button") if truth["lamp"]]
    objects = [_object(world, name, thing) for name, thing in truth["objects"].items()]
    objects += [_fixture(fixture, truth) for fixture in world.fixtures]
    scene = Scene(1.0, tuple(objects), tuple(said))
    return Scene(1.0, scene.objects, relate(world, scene))


def _object(world: World, name: str, thing: Mapping[str, Any]) -> SceneObject:
    entry = world.object(name)
    return SceneObject(name, entry.kind, tuple(thing["xyz"]), thing["yaw"], entry.size, 1.0)


def _fixture(fixture: Fixture, truth: Mapping[str, Any]) -> SceneObject:
    travel = np.array(fixture.travel)
    out = truth["drawer"] * travel / np.linalg.norm(travel) if travel.any() else np.zeros(3)
    x, y, z = (float(value) for value in np.array(fixture.position) + out)
    return SceneObject(fixture.name, fixture.kind, (x, y, z), 0.0, fixture.size, 1.0)


def _pushed(world: World, start: Layout, truth: Mapping[str, Any]) -> Iterator[Fact]:
    """Yield which way blocks are further than they were, by as much as a push is long."""
    for block in world.names_of_kind("block"):
        moved = np.array(truth["objects"][block]["xyz"][:2]) - np.asarray(start[block])[:2]
        for way in world.names_of_kind("way"):
            if float(world.direction(way) @ moved) >= PUSHED * PUSH_DISTANCE:
                yield ("pushed", block, way)
