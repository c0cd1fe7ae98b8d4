"""The text form of explanations: what a planner's model writes about an instruction before its first step.

Parts are separated by ``"; "``: ``open DRAWER``, ``close DRAWER``, ``go to PLACE``, ``find THING``, ``pick up THING``,
``put down``, ``THING to PLACE``, ``THING beside THING to PLACE`` (where the other one is), ``REQUEST: THING, ... to
PLACE``, ``REQUEST: none`` and ``no skill``. A ``REQUEST`` is a tag or a kind of thing, in the singular or the plural,
``held`` or ``at PLACE``; ``all``, a number or ``different`` may stand before it, and ``, not REQUEST`` or ``, also
REQUEST`` behind it: what it must not be, or must be as well. The whole may begin with what the hand holds:
``hand: tea; tea to user``.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from fmrl_ros.meaning.english import plural
from fmrl_ros.worlds.names import kind_of
from fmrl_ros.worlds.world import World

HELD, NONE, NO_SKILL = "held", "none", "no skill"
BESIDE = " beside "
"""Stands between a thing and what is at the place to which it goes."""
VERBS = ("open ", "close ", "go to ", "find ", "pick up ", "put down")
"""What a part may begin with that is about no delivery."""
_HAND_PART = re.compile(r"hand: [^;]*;\s*")


def split_parts(explanation: str) -> list[str]:
    """Return the parts of an explanation, without what the hand held."""
    return _HAND_PART.sub("", explanation.strip(), count=1).split("; ")


def refuses(explanation: str) -> bool:
    """True if an explanation says that something cannot be done."""
    return any(part == NO_SKILL or part.endswith(f": {NONE}") for part in explanation.strip().split("; "))


def split_delivery(part: str, places: Collection[str]) -> tuple[list[str], str]:
    """Return the things that a part delivers, and the place; nothing if it is no delivery."""
    listed, place = split_destination(part.rpartition(": ")[2], places)
    if not place or split_verb(part, places)[0]:
        return [], ""
    return listed.partition(BESIDE)[0].split(", "), place


def split_verb(part: str, places: Collection[str]) -> tuple[str, str]:
    """Return a part's verb and what stands behind it; of a delivery, to one of the places, no verb and the whole.

    What things are called may begin as a verb does: ``open fire: poker to user``, ``open sandwich to table``.
    """
    verb = next((verb for verb in VERBS if part.startswith(verb)), "")
    what = part.removeprefix(verb)
    return ("", part) if ":" in what or split_destination(what, places)[1] else (verb, what)


def split_destination(text: str, places: Collection[str]) -> tuple[str, str]:
    """Return what stands before ``to`` and a place, and the place; the whole and nothing if it does not end so.

    Names may have a "to" in them: ``guide to rome to user``, ``apple to next to sink``.
    """
    place = max((place for place in places if text.endswith(f" to {place}")), key=len, default="")
    return (text.removesuffix(f" to {place}"), place) if place else (text, "")


def names_of(thing: str, world: World) -> frozenset[str]:
    """Return what a thing can be requested as: by its name, its kind or one of its tags, in singular or plural."""
    kinds = (kind_of(thing), *world.object(thing).tags)
    return frozenset((thing, *kinds, *map(plural, kinds)))
