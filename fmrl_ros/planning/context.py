"""What stands before the task in the prompt of a world whose things have tags: what they are, and where they are."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fmrl_ros.meaning.situation import Situation
from fmrl_ros.worlds.names import ROBOT, kind_of
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import World

SCENE, THING = "Scene: ", "Thing: "

MAX_LETTERS = 120
"""Letters of a description at most. A label is data: it can neither end its line nor drown the others."""


def describes(world: World) -> bool:
    """True if the world describes its things: then its prompts do, too."""
    return any(thing.description for thing in world.objects)


def context(world: World, scene: Scene, whereabouts: bool = True) -> str:
    """Return the lines before the task, or nothing for a world that does not describe its things.

    Args:
      world: Says what its things are.
      scene: Says which of them are there, and where.
      whereabouts: False leaves out where they are: only the affordances say then what is possible.
    """
    if not describes(world):
        return ""
    described = {o.name for o in world.objects}  # cameras see a built-in drawer, too
    lines = [*_thing_lines(world, [o.name for o in scene.objects if o.name in described])]
    if whereabouts:
        lines.append(SCENE + _scene_in_words(scene))
    return "".join(f"{line}\n" for line in lines)


def where(explanation: str, world: World, scene: Scene) -> str:
    """Return where the robot is and whatever an explanation names: the steps begin from there.

    The prompt has said it before, between all the other things; a small model plans better from what stands close by.
    Of drawers it says whether they are open.
    """
    now = Situation.of(scene, world)
    states = _states(now, [o.name for o in scene.objects])
    named = _names_in(explanation, states)
    found = [(ROBOT, now.robot_at), *((name, states[name]) for name in named)]
    return "; ".join(f"{name}: {state}" for name, state in found if state)


def _states(now: Situation, things: Iterable[str]) -> dict[str, str]:
    """Return in words where each thing is, and whether each drawer is open; nothing for what was not seen."""
    drawers = dict.fromkeys(now.closed, "closed") | dict.fromkeys(now.opened, "open")
    places = {thing: now.at.get(thing, "hand" if thing == now.held else "") for thing in things}
    states = {thing: f"{place}, {drawers[place]}" if place in drawers else place for thing, place in places.items()}
    return states | drawers


def _names_in(text: str, names: Iterable[str]) -> list[str]:
    """Return which names stand in a text, in its order; of names that begin alike the longest one that fits."""
    patterns = sorted(map(re.escape, names), key=len, reverse=True)
    if not patterns:
        return []
    return list(dict.fromkeys(re.findall(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)", text)))


def _thing_lines(world: World, names: Iterable[str]) -> list[str]:
    """Return a line for each kind of thing; several of a kind share one."""
    lines: dict[str, list[str]] = {}
    for name in names:
        thing = world.object(name)
        words = one_line(", ".join(word for word in (*thing.tags, thing.description) if word))
        lines.setdefault(f"{one_line(kind_of(name))}: {words}", []).append(name)
    return [f"{THING}{line} ({len(same)})" if len(same) > 1 else THING + line for line, same in lines.items()]


def one_line(text: str) -> str:
    """Return a text on one line, of bounded length."""
    return " ".join(text.split())[:MAX_LETTERS]


def _scene_in_words(scene: Scene) -> str:
    """Return the things by place, what the hand holds, where the robot is, and what is open."""
    places: dict[str, list[str]] = {}
    robot, hand = "nowhere", "empty"
    for relation in scene.relations:
        if relation.predicate == "held":
            hand = relation.subject
        elif relation.predicate == "at" and relation.subject == ROBOT:
            robot = relation.object
        elif relation.predicate == "at":
            places.setdefault(relation.object, []).append(relation.subject)
    parts = [f"{place}: {', '.join(things)}" for place, things in places.items()]
    opened = [r.subject for r in scene.relations if r.predicate == "open"]
    parts += [f"open: {', '.join(opened)}"] if opened else []
    return "; ".join([*parts, f"hand: {hand}", f"robot: {robot}"])
