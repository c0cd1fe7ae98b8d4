"""A scene in short sentences of a fixed form, the same from frame to frame while nothing changes."""

from __future__ import annotations

from fmrl_ros.perception.relations import on_table
from fmrl_ros.perception.scene import Scene
from fmrl_ros.worlds.world import World


def whereabouts(name: str, scene: Scene) -> str | None:
    """Return where an object is ("in the blue bowl", "on the table", "in the hand"), or None if it was never seen."""
    thing = scene.find(name)
    if thing is None:
        return None
    for relation in scene.relations:
        if relation.subject == name and relation.predicate == "held":
            return "in the hand"
        if relation.subject == name and relation.predicate in ("in", "on", "at"):
            return f"{relation.predicate} the {relation.object}"
    return "on the table" if on_table(thing) else "above the table"


def describe(scene: Scene, world: World) -> str:
    """Return the scene in sentences, for a language model or a person.

    Example: ``the red block is in the blue bowl. the green block is on the table. nothing is in the hand.``
    """
    sentences = []
    for name in world.names_of_kind("block"):
        where = whereabouts(name, scene)
        if where is None:
            sentences.append(f"the {name} has not been seen.")
        elif where != "in the hand":
            sentences.append(f"the {name} is {where}.")
    sentences.append(f"the {scene.held} is in the hand." if scene.held else "nothing is in the hand.")
    sentences += [f"the {name} is open." for name in world.names_of_kind("drawer") if scene.holds(name, "open")]
    lit = [name for name in world.names_of_kind("button") if scene.holds(name, "lit")]
    sentences += [f"the lamp of the {name} is lit." for name in lit]
    return " ".join(sentences)
