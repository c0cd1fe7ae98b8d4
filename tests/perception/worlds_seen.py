"""Scenes for tests, made from a few words."""

from dataclasses import replace

from fmrl_ros.worlds.description import describe
from fmrl_ros.worlds.relations import relate
from fmrl_ros.worlds.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
TABLE = {"red block": (0.40, -0.20), "green block": (0.40, 0.05), "blue bowl": (0.60, 0.10), "red bowl": (0.60, -0.20)}


def thing(name, x, y, z=None, confidence=0.95, visible=True):
    entry = WORLD.object(name)
    z = entry.size[2] / 2 if z is None else z
    return SceneObject(name, entry.kind, (x, y, z), 0.0, entry.size, confidence, visible)


def scene(held=None, stamp=1.0, confidence=None, **moved):
    """The usual table; ``red_block=(x, y, z)`` moves an object, ``red_block=None`` takes it away."""
    poses = {**TABLE, **{name.replace("_", " "): pose for name, pose in moved.items()}}
    sure = confidence or {}
    objects = tuple(thing(n, *p, confidence=sure.get(n, 0.95)) for n, p in poses.items() if p is not None)
    seen = Scene(stamp, objects, (Relation(held, "held"),) if held else ())
    seen = replace(seen, relations=relate(WORLD, seen))
    return replace(seen, text=describe(seen, WORLD))
