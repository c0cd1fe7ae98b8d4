"""Questions about a scene, answered from it alone; what it does not say is "I don't know"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fmrl_ros.perception.description import describe, whereabouts
from fmrl_ros.perception.scene import Scene
from fmrl_ros.worlds.world import World

_GRAMMAR = {
    "what",
    "which",
    "where",
    "is",
    "are",
    "was",
    "the",
    "a",
    "an",
    "in",
    "on",
    "at",
    "of",
    "it",
    "now",
    "there",
}
_HAND = {"hand", "gripper", "held", "holding", "you"}


@dataclass(frozen=True)
class Answer:
    """An answer in words; `known` is False where the scene does not say, and `text` then says what it does."""

    text: str
    known: bool
    confidence: float


def ask(question: str, scene: Scene, world: World) -> Answer:
    """Answer "where is the red block?", "what is in the blue bowl?", "what is held?" from a scene."""
    words = re.findall(r"[a-z0-9]+", question.lower())
    strange = [w for w in words if w not in _GRAMMAR | _HAND and w not in world.nouns]
    if strange or not words:
        return _unknown(f"what '{' '.join(strange)}' is" if strange else "what is asked", scene, world)
    sentence = " ".join(words)
    named = _named(sentence, [o.name for o in world.objects])
    if named and words[0] == "where":
        return _where(named, scene, world)
    target = named or _named(sentence, [p.name for p in world.places])
    if target and words[0] in ("what", "which"):
        return _what(target, scene, world)
    if words[0] in ("what", "which") and _HAND & set(words):
        return Answer(f"the {scene.held} is in the hand" if scene.held else "nothing is in the hand", True, 0.9)
    return _unknown("the answer", scene, world)


def _named(sentence: str, names: list[str]) -> str | None:
    return next((name for name in names if name in sentence), None)


def _where(name: str, scene: Scene, world: World) -> Answer:
    thing, where = scene.find(name), whereabouts(name, scene)
    if thing is None or where is None or thing.confidence < 0.2:
        return _unknown(f"where the {name} is", scene, world)
    return Answer(f"the {name} is {where}", True, thing.confidence)


def _what(target: str, scene: Scene, world: World) -> Answer:
    inside = [r for r in scene.relations if r.object == target and r.predicate in ("in", "on", "at")]
    if inside:
        things = " and ".join(f"the {r.subject}" for r in inside)
        verb = "is" if len(inside) == 1 else "are"
        return Answer(f"{things} {verb} {inside[0].predicate} the {target}", True, min(r.confidence for r in inside))
    free = next((r for r in scene.relations if r.subject == target and r.predicate in ("empty", "clear")), None)
    if free:
        return Answer(f"the {target} is {free.predicate}", True, free.confidence)
    return _unknown(f"what is at the {target}", scene, world)


def _unknown(what: str, scene: Scene, world: World) -> Answer:
    return Answer(f"I don't know {what}. I see: {describe(scene, world)}", False, 0.0)
