"""What stands before the task in the prompt of a world whose things have tags: what they are, and where they are."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fmrl_ros.worlds.kitchen import ROBOT
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import World, kind_of

SCENE, THING = "Scene: ", "Thing: "

LONGEST = 120
"""Letters of what is said of a thing at most. A label is data: it can neither end its line nor drown the others."""


def describes(world: World) -> bool:
    """True if the world says what its things are: then its prompts do, too."""
    return any(thing.tags or thing.description for thing in world.objects)


def context(world: World, scene: Scene, whereabouts: bool = True) -> str:
    """Return the lines before the task, or nothing for a world that does not describe its things.

    Args:
      world: Says what its things are.
      scene: Says which of them are there, and where.
      whereabouts: False leaves out where they are: what is possible is then told by the affordances alone.
    """
    if not describes(world):
        return ""
    described = {o.name for o in world.objects}  # cameras see a built-in drawer, too
    lines = [*_things(world, [o.name for o in scene.objects if o.name in described])]
    if whereabouts:
        lines.append(SCENE + _where(scene))
    return "".join(f"{line}\n" for line in lines)


def where(explanation: str, world: World, scene: Scene) -> str:
    """Return where the robot is and whatever an explanation names: the steps begin from there.

    The prompt has said it before, between all the other things; a small model plans better from what stands close by.
    Of drawers it says whether they are open.
    """
    at = {r.subject: r.object for r in scene.relations if r.predicate == "at"}
    opened = {r.subject for r in scene.relations if r.predicate == "open"}
    drawers = {p.name: "open" if p.name in opened else "closed" for p in world.places if p.kind == "drawer"}
    places = {o.name: at.get(o.name, "hand" if scene.held == o.name else "") for o in scene.objects}
    states = {name: f"{place}, {drawers[place]}" if place in drawers else place for name, place in places.items()}
    states |= drawers
    names = sorted(map(re.escape, states), key=len, reverse=True)
    named = dict.fromkeys(re.findall(rf"(?<!\w)(?:{'|'.join(names)})(?!\w)", explanation)) if names else {}
    robot = at.get(ROBOT, "nowhere")
    return "; ".join(f"{name}: {state}" for name, state in [(ROBOT, robot), *((n, states[n]) for n in named)] if state)


def _things(world: World, names: Iterable[str]) -> list[str]:
    """Return a line for each kind of thing; several of a kind share one."""
    lines: dict[str, list[str]] = {}
    for name in names:
        thing = world.object(name)
        words = plain(", ".join(word for word in (*thing.tags, thing.description) if word))
        lines.setdefault(f"{plain(kind_of(name))}: {words}", []).append(name)
    return [f"{THING}{line} ({len(same)})" if len(same) > 1 else THING + line for line, same in lines.items()]


def plain(text: str) -> str:
    """Return a text on one line, of bounded length."""
    return " ".join(text.split())[:LONGEST]


def _where(scene: Scene) -> str:
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
