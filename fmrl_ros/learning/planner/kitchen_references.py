"""What kitchen requests consist of: words for what is wanted (by name, kind, property or place), and where it goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fmrl_ros.learning.planner import kitchen_frames as frames
from fmrl_ros.learning.planner.kitchen_frames import DRAWERS, SURFACES
from fmrl_ros.learning.planner.kitchen_lexicon import Thing, phrases_of_split
from fmrl_ros.learning.planner.kitchen_scene import COUNTERS, KitchenScene, SampleRejectedError
from fmrl_ros.meaning.english import article
from fmrl_ros.meaning.kitchen_goals import Delivery, KitchenGoal
from fmrl_ros.worlds.symbolic import SymbolicState

_CAN_FOLLOW_A_NOUN = (
    "with ", "in ", "that ", "to ", "for ", "out of ", "from ", "against ", "full ", "without ", "packed ", "on ",
)  # fmt: skip
"""Beginnings of phrases that can stand behind a noun."""
_BEGINS_A_CLAUSE = {
    "of", "in", "with", "for", "that", "to", "from", "on", "without", "against", "which", "under", "at", "by", "out",
}  # fmt: skip
"""Words of a description that stand behind its noun, not before it."""


class Request(NamedTuple):
    """A sentence as it was drawn (nothing polite and no typo in it yet), the start, and what is asked for."""

    sentence: str
    start: SymbolicState
    goal: KitchenGoal


class Reference(NamedTuple):
    """How a sentence refers to what is wanted.

    Attributes:
      text: The words.
      candidates: The instances that will do.
      kind: What the words mean, as explanations say it; empty for a thing by its name.
    """

    text: str
    candidates: tuple[str, ...]
    kind: str = ""


def reject_if_there(scene: KitchenScene, names: Sequence[str], place: str) -> None:
    """Raise SampleRejectedError if one of the things is at the place already: nothing would be left to do."""
    if any(scene.start.locations[name] == place for name in names):
        raise SampleRejectedError


def draw_delivery(scene: KitchenScene, wanted: Reference, count: int | None = 1) -> tuple[str, Delivery]:
    """Draw where things go; return the sentence and the delivery."""
    draw = scene.rng.random()
    if draw < 0.4:
        to, sentence = "user", scene.frame(frames.FETCH).format(x=wanted.text)
    elif draw < 0.72:
        to = scene.choose(COUNTERS)
        sentence = scene.frame(frames.MOVE).format(x=wanted.text, l=scene.place_name(to))
    elif draw < 0.87:
        to, sentence = "trash can", scene.frame(frames.TRASH).format(x=wanted.text)
    else:
        return draw_drawer_delivery(scene, wanted, count)
    reject_if_there(scene, wanted.candidates, to)
    return sentence, Delivery(wanted.candidates, to, count, wanted.kind)


def draw_drawer_delivery(scene: KitchenScene, wanted: Reference, count: int | None = 1) -> tuple[str, Delivery]:
    """Draw the drawer into which things go; see `draw_delivery`."""
    to = scene.choose(list(DRAWERS))
    reject_if_there(scene, wanted.candidates, to)
    sentence = scene.frame(frames.STOW).format(x=wanted.text, d=scene.place_name(to))
    return sentence, Delivery(wanted.candidates, to, count, wanted.kind)


def delivery_request(scene: KitchenScene, wanted: Reference) -> Request:
    """Something to a place that is drawn."""
    sentence, delivery = draw_delivery(scene, wanted)
    return Request(sentence, scene.start, KitchenGoal((delivery,)))


def named(scene: KitchenScene, thing: Thing, alias: float = 0.0) -> Reference:
    """Refer to a thing by its name, or with probability `alias` by another name."""
    return Reference(scene.thing_name(thing, alias), scene.instances(thing))


def from_its_place(scene: KitchenScene, wanted: Reference) -> Reference:
    """Draw a place where some of what is wanted lies, and add it to the reference."""
    at = [scene.start.locations[name] for name in wanted.candidates]
    place = scene.choose([each for each in at if each in {*SURFACES, *DRAWERS} - {"user"}])
    where = frames.INSIDE if place in DRAWERS or place == "trash can" else frames.ON_TOP
    there = tuple(name for name, each in zip(wanted.candidates, at, strict=True) if each == place)
    phrase = scene.frame(where).format(l=scene.place_name(place))
    return Reference(f"{wanted.text} {phrase}".strip(), there, f"{wanted.kind}, also at {place}")


def with_property_after_noun(scene: KitchenScene, tag: str, text: str) -> Reference:
    """Refer to things with a tag and, by a phrase behind `text`, another: "a drink that wakes me up"."""
    shared = [t for t in scene.other_tags(tag) if t in scene.tags and _that_follow(scene.tags[t]["purposes"])]
    also = scene.choose(sorted(shared))
    phrase = scene.choose(_that_follow(phrases_of_split(scene.tags[also]["purposes"], scene.split)))
    return Reference(f"{text} {phrase}", scene.tagged(tag, also), f"{tag}, also {also}")


def _that_follow(phrases: Sequence[str]) -> list[str]:
    return [phrase for phrase in phrases if phrase.startswith(_CAN_FOLLOW_A_NOUN)]


def with_property_before_noun(scene: KitchenScene, tag: str, noun: str) -> Reference:
    """Refer to things with a tag and, by an adjective before the noun, another: "any fizzy drink"."""
    also = scene.choose(sorted(scene.other_tags(tag) & scene.tags.keys()))
    text = f"{scene.adjective(also)} {noun}"
    text = f"{scene.choose((article(text), article(text), 'any', 'some'))} {text}"
    return Reference(text, scene.tagged(tag, also), f"{tag}, also {also}")


def described(scene: KitchenScene, thing: Thing) -> Reference:
    """Refer to a thing by its description in the prompt, or by enough of it to tell it from the others."""
    shown = scene.start.world.object(scene.instances(thing)[0]).description
    words = shown.lower().removeprefix("a ").removeprefix("an ").split()
    if not words or words[0].endswith("s") or words[0] in _BEGINS_A_CLAUSE:  # "wipes up spills"; "to drink from"
        raise SampleRejectedError
    _shorten(scene, words)
    others = (_words_for(scene, other) for other in scene.things if other is not thing)
    if any(set(words) <= other for other in others):
        raise SampleRejectedError
    return Reference(f"the {' '.join(words)}", scene.instances(thing))


def _shorten(scene: KitchenScene, words: list[str]) -> None:
    """Take a word before a description's noun, or all that stands behind it, out of `words`; or leave it as it is."""
    noun_phrase = next((i for i, word in enumerate(words) if word in _BEGINS_A_CLAUSE), len(words))
    draw = scene.rng.random()
    if noun_phrase > 1 and draw < 0.4:
        del words[int(scene.rng.integers(noun_phrase - 1))]
    elif 1 < noun_phrase < len(words) and draw < 0.6:
        del words[noun_phrase:]


def _words_for(scene: KitchenScene, thing: Thing) -> set[str]:
    """Return the words of all that is said of a thing: name, description, tags, and the nouns for these."""
    return set(" ".join((thing.name, thing.description, *_kinds_of(scene, thing))).lower().split())


def _kinds_of(scene: KitchenScene, thing: Thing) -> Iterator[str]:
    for tag in thing.tags:
        yield from (tag, *scene.tags.get(tag, {}).get("nouns", ()))
