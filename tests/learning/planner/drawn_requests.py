"""Kitchen requests as the generator draws them, each in a kitchen of its own."""

import contextlib

from fmrl_ros.learning.planner.kitchen_scene import KitchenScene, SampleRejectedError
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")


def draw(family, split: str = "train", count: int = 40, seed: int = 0):
    """Return requests of a family, each with the tags of what was there."""
    scene = KitchenScene(WORLD, split, seed)
    drawn = []
    while len(drawn) < count:
        scene.draw_scene()
        with contextlib.suppress(SampleRejectedError):
            request = family(scene)
            drawn.append((request, {name: thing.tags for thing in scene.things for name in scene.instances(thing)}))
    return drawn
