"""Why an instruction is refused: in a line for who gave it; in full, what is here and what the robot can do."""

from __future__ import annotations

import re

from fmrl_ros.meaning.explanation import NO_SKILL
from fmrl_ros.meaning.goal import HELD, Impossible
from fmrl_ros.refusal import Refusal, refusal
from fmrl_ros.worlds.names import kind_of
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import World

WHAT_CAN_YOU_DO, WHAT_IS_HERE = 'ask me "what can you do?"', "ask for something that is here"
"""Next steps of who is refused."""
_RESTRICTIONS = {", also at ": " at the ", ", also ": " that is ", ", not ": " that is not ", ", ": " "}
"""How the restriction of a request reads; the first that fits."""


def explain_refusal(instruction: str, world: World, scene: Scene, explanation: str = "") -> tuple[Refusal, str]:
    """Return what is missing for an instruction that the planner has declined.

    Names are looked for in its words and in the model's explanation of it. The sentence explains a decision
    that has been made; it makes none.

    Returns:
      The refusal; in full, what is here and what the robot can do.
    """
    details = _here(world, scene)
    there = {kind_of(o.name) for o in scene.objects}
    absent = [kind for kind in _kinds_in(instruction, world) if kind not in there]
    if absent and NO_SKILL not in explanation.split("; "):
        return refusal("there is no {things} here", WHAT_IS_HERE, things=" and no ".join(absent)), details
    if requests := _unmet_requests(explanation):
        return refusal("nothing here would do for '{requests}'", WHAT_IS_HERE, requests=" and ".join(requests)), details
    return refusal("none of my skills does what was asked", WHAT_CAN_YOU_DO), details


def explain_impossible(missing: Impossible, world: World, scene: Scene) -> tuple[Refusal, str]:
    """Return why what a goal asks for cannot be done; see `explain_refusal`."""
    details = _here(world, scene)
    if not missing.missing:
        return refusal("none of my skills does what was asked", WHAT_CAN_YOU_DO), details
    if missing.missing == HELD:
        return refusal("I hold nothing, and cannot tell what is meant", "name the thing"), details
    return refusal("there is no {things} here", WHAT_IS_HERE, things=_in_words(missing.missing)), details


def _unmet_requests(explanation: str) -> list[str]:
    """Return in words what an explanation says nothing will do for."""
    parts = (part.strip() for part in explanation.split(";"))
    return [_in_words(part.partition(":")[0]) for part in parts if part.endswith(": none")]


def _in_words(request: str) -> str:
    """Return what is asked for as it is said: "block, also in drawer" is a block that is in drawer."""
    for written, said in _RESTRICTIONS.items():
        request = request.replace(written, said)
    return request


def _here(world: World, scene: Scene) -> str:
    """Return which kinds of things are here, and the phrases of the skills."""
    there = dict.fromkeys(kind_of(o.name) for o in scene.objects)
    offered = {skill.name for skill in world.options}
    skills = (re.sub(r"\{(\w+)\}", r"<\1>", entry.phrase) for entry in world.grammar if entry.name in offered)
    return f"Here is {', '.join(there) or 'nothing'}. I can: {', '.join(skills)}"


def _kinds_in(instruction: str, world: World) -> list[str]:
    """Return the kinds of things in a world that an instruction names, but those that are part of a longer one in it:
    who says "apple juice" names no apple.
    """
    kinds = dict.fromkeys(kind_of(o.name) for o in world.objects)
    left, found = f" {_spelt(instruction)} ", set()
    for kind in sorted(kinds, key=len, reverse=True):
        if f" {_spelt(kind)} " in left:
            found.add(kind)
            left = left.replace(f" {_spelt(kind)} ", " ; ")
    return [kind for kind in kinds if kind in found]


def _spelt(text: str) -> str:
    """Return the words of a text in lower case, separated by single spaces."""
    return " ".join(re.findall(r"[^\W_]+", text.lower()))
