"""A scene in short sentences of a fixed form, the same from frame to frame while nothing changes."""

from __future__ import annotations

from fmrl_ros.worlds.relations import on_table
from fmrl_ros.worlds.scene import Scene
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
    return " ".join(_sentences(scene, world))


def describe_changes(before: Scene, now: Scene, world: World) -> str:
    """Return the sentences of `now` that `before` did not say already; nothing if nothing has changed."""
    said = set(_sentences(before, world, closed=True))
    return " ".join(sentence for sentence in _sentences(now, world, closed=True) if sentence not in said)


def _sentences(scene: Scene, world: World, closed: bool = False) -> list[str]:
    """Return what there is to say; `closed` says of drawers and lamps, too, that they are shut and dark."""
    sentences = []
    for name in world.names_of_kind("block"):
        where = whereabouts(name, scene)
        if where is None:
            sentences.append(f"the {name} has not been seen.")
        elif where != "in the hand":
            sentences.append(f"the {name} is {where}.")
    sentences.append(f"the {scene.held} is in the hand." if scene.held else "nothing is in the hand.")
    for name in world.names_of_kind("drawer"):
        if scene.holds(name, "open"):
            sentences.append(f"the {name} is open.")
        elif closed and scene.holds(name, "closed"):
            sentences.append(f"the {name} is closed.")
    for name in world.names_of_kind("button"):
        lit = scene.holds(name, "lit")
        if lit or closed:
            sentences.append(f"the lamp of the {name} is {'lit' if lit else 'dark'}.")
    return sentences
