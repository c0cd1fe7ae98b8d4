"""A scene in short sentences of a fixed form, the same from frame to frame while nothing changes."""

from __future__ import annotations

from collections.abc import Iterator

from fmrl_ros.worlds.relations import on_table
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import World


def describe_location(name: str, scene: Scene) -> str | None:
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
    """Return the sentences that are true of `now` and were not of `before`; empty if nothing has changed."""
    earlier = set(_sentences(before, world, all_states=True))
    return " ".join(sentence for sentence in _sentences(now, world, all_states=True) if sentence not in earlier)


def _sentences(scene: Scene, world: World, all_states: bool = False) -> list[str]:
    """Return the sentences about a scene.

    Args:
      scene: What was perceived.
      world: What there is to speak of.
      all_states: Whether to mention closed drawers and dark lamps, too, not only open and lit ones.
    """
    return [
        *_block_sentences(scene, world),
        f"the {scene.held} is in the hand." if scene.held else "nothing is in the hand.",
        *_drawer_sentences(scene, world, all_states),
        *_lamp_sentences(scene, world, all_states),
    ]


def _block_sentences(scene: Scene, world: World) -> Iterator[str]:
    for name in world.names_of_kind("block"):
        where = describe_location(name, scene)
        if where is None:
            yield f"the {name} has not been seen."
        elif where != "in the hand":
            yield f"the {name} is {where}."


def _drawer_sentences(scene: Scene, world: World, all_states: bool) -> Iterator[str]:
    for name in world.names_of_kind("drawer"):
        if scene.holds(name, "open"):
            yield f"the {name} is open."
        elif all_states and scene.holds(name, "closed"):
            yield f"the {name} is closed."


def _lamp_sentences(scene: Scene, world: World, all_states: bool) -> Iterator[str]:
    for name in world.names_of_kind("button"):
        lit = scene.holds(name, "lit")
        if lit or all_states:
            yield f"the lamp of the {name} is {'lit' if lit else 'dark'}."
