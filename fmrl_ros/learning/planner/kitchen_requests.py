"""Families of kitchen requests for one thing, or for things of one kind.

Every family is a function that draws a request in the present scene, or raises SampleRejectedError where the scene
offers nothing for it.
"""

from __future__ import annotations

from dataclasses import replace

from fmrl_ros.learning.planner import kitchen_frames as frames
from fmrl_ros.learning.planner.kitchen_lexicon import Thing
from fmrl_ros.learning.planner.kitchen_references import (
    Reference,
    Request,
    delivery_request,
    described,
    draw_delivery,
    from_its_place,
    named,
    reject_if_there,
    with_property_after_noun,
    with_property_before_noun,
)
from fmrl_ros.learning.planner.kitchen_scene import COUNTERS, KitchenScene, SampleRejectedError
from fmrl_ros.learning.planner.kitchen_skill_requests import with_full_hand
from fmrl_ros.meaning.english import article, plural
from fmrl_ros.meaning.explanation import HELD
from fmrl_ros.meaning.kitchen_goals import Delivery, KitchenGoal
from fmrl_ros.worlds.names import kind_of

NUMBERS = {2: ("two", "a pair of", "2", "a couple of"), 3: ("three", "3")}
BESIDE_TRAINED, BESIDE_TESTED = 0.25, 0.12
"""Share of the requests by name that name a place by what is there."""
NEGATED_PROPERTY = 0.5
"""Share of exclusions and dislikes that are of a property instead of a thing or kind of thing."""
DESCRIBED = 0.15
"""Share of the requests by a noun that say what the thing is like instead of what it is called."""
FROM_ITS_PLACE = 0.15
"""Share of the requests for one thing or kind of thing that say where it is."""


# A thing, by its name or otherwise.


def name_request(scene: KitchenScene) -> Request:
    """A thing by its name, to a place; or to where another thing is."""
    thing = scene.draw_target()
    if scene.rng.random() < (BESIDE_TRAINED if scene.split == "train" else BESIDE_TESTED):
        return _beside_request(scene, thing)
    wanted = named(scene, thing)
    if scene.rng.random() < FROM_ITS_PLACE:
        wanted = from_its_place(scene, wanted._replace(kind=thing.name))
    return delivery_request(scene, wanted)


def _beside_request(scene: KitchenScene, thing: Thing) -> Request:
    """A thing to where another one is."""
    places = {t.name: {scene.start.locations[n] for n in scene.instances(t)} for t in scene.things if t is not thing}
    other = scene.choose([t for t, there in places.items() if len(there) == 1 and there <= {*COUNTERS}])
    (to,) = places[other]
    names = scene.instances(thing)
    reject_if_there(scene, names, to)
    sentence = scene.frame(frames.BESIDE).format(x=scene.thing_name(thing), y=f"the {other}")
    return Request(sentence, scene.start, KitchenGoal((Delivery(names, to, beside=other),)))


def noun_request(scene: KitchenScene) -> Request:
    """A thing by its description or another name, or by its kind."""
    thing = scene.draw_target()
    if scene.rng.random() < DESCRIBED:
        wanted = described(scene, thing)
    elif scene.rng.random() < 0.4 and thing.aliases:
        wanted = named(scene, thing, alias=1.0)
    else:
        wanted = _of_a_kind(scene)
    return delivery_request(scene, wanted)


def _of_a_kind(scene: KitchenScene) -> Reference:
    """Refer to things by their kind, and perhaps by another property or by where they are."""
    tag = scene.draw_tag("nouns")
    noun = scene.noun(tag)
    wanted = Reference(f"{scene.choose((article(noun), article(noun), 'any'))} {noun}", scene.tagged(tag), tag)
    draw = scene.rng.random()
    if draw < 0.2:
        return with_property_after_noun(scene, tag, wanted.text)
    if draw < 0.35:
        return with_property_before_noun(scene, tag, noun)
    return from_its_place(scene, wanted) if draw < 0.35 + FROM_ITS_PLACE else wanted


def embodiment_request(scene: KitchenScene) -> Request:
    """What to do depends on what is in the hand and where the robot is."""
    thing, scene.start = with_full_hand(scene)
    held = scene.start.held
    assert held is not None
    draw = scene.rng.random()
    if draw < 0.3:
        to = scene.choose(COUNTERS)
        sentence = scene.frame(frames.HELD_TO_SURFACE).format(l=scene.place_name(to))
    elif draw < 0.4:
        to, sentence = "user", scene.choose(frames.HELD_TO_USER.of(scene.split))
    elif draw < 0.5:
        to, sentence = "trash can", scene.choose(frames.HELD_TO_TRASH.of(scene.split))
    else:
        other = thing if draw < 0.65 else scene.choose([t for t in scene.things if t is not thing])
        names = (held,) if other is thing else scene.instances(other)
        return delivery_request(scene, Reference(f"the {other.name}", names))
    return Request(sentence, scene.start, KitchenGoal((Delivery((held,), to, kind=HELD),)))


# A need, and what is not wanted.


def need_request(scene: KitchenScene) -> Request:
    """A need or an indirect request."""
    tag, sentence = draw_need(scene)
    names = scene.tagged(tag)
    reject_if_there(scene, names, "user")
    return Request(sentence, scene.start, KitchenGoal((Delivery(names, "user", kind=tag),)))


def draw_need(scene: KitchenScene) -> tuple[str, str]:
    """Draw what a thing must be good for; return the tag and the sentence."""
    if scene.rng.random() < 0.45:
        tag = scene.draw_tag("remarks")
        return tag, scene.frame(frames.REMARK).format(s=scene.phrase(tag, "remarks"))
    tag = scene.draw_tag("purposes")
    return tag, scene.frame(frames.NEED).format(s=scene.phrase(tag, "purposes"))


def exclusion_request(scene: KitchenScene) -> Request:
    """A kind of thing, but not one with another property, or not a certain one."""
    tag = scene.draw_tag("nouns")
    noun = scene.noun(tag)
    kind = f"{article(noun)} {noun}"
    if scene.rng.random() < NEGATED_PROPERTY:
        without, phrase, names = _draw_unwanted_property(scene, tag)
        text = scene.frame(frames.WITHOUT_PROPERTY).format(a=kind, s=phrase)
    elif scene.rng.random() < 0.5:
        without, names = _draw_unwanted_thing(scene, tag)
        text = scene.frame(frames.WITHOUT_THING).format(a=kind, a0=noun, b=f"the {without}")
    else:
        without = scene.choose(_distinguishing_tags(scene, tag))
        names = scene.tagged(tag, without=without)
        frame = scene.frame(frames.WITHOUT_KIND)
        text = frame.format(a=kind, t=scene.noun(without) if scene.rng.random() < 0.7 else without)
    if not names:
        raise SampleRejectedError
    return delivery_request(scene, Reference(text, names, f"{tag}, not {without}"))


def dislike_request(scene: KitchenScene) -> Request:
    """A kind of thing or a need, and a remark on what it must not be."""
    if scene.rng.random() < NEGATED_PROPERTY:
        return _disliked_property_request(scene)
    tag = scene.draw_tag("nouns")
    noun = scene.noun(tag)
    without, names = _draw_unwanted_thing(scene, tag)
    if not names:
        raise SampleRejectedError
    reject_if_there(scene, names, "user")
    wish = scene.frame(frames.FETCH).format(x=f"{article(noun)} {noun}")
    sentence = scene.frame(frames.DISLIKED_THING).format(b=without, do=wish)
    return Request(sentence, scene.start, KitchenGoal((Delivery(names, "user", kind=f"{tag}, not {without}"),)))


def _disliked_property_request(scene: KitchenScene) -> Request:
    """A kind of thing or a need, and a property that it must not have."""
    draw = scene.rng.random()
    if draw < 0.4:
        tag = scene.draw_tag("nouns")
        noun = scene.noun(tag)
        wish = scene.frame(frames.FETCH).format(x=f"{article(noun)} {noun}")
    elif draw < 0.6:
        tag = scene.draw_tag("remarks")
        wish = scene.phrase(tag, "remarks")
    else:
        tag, wish = draw_need(scene)
    without, phrase, names = _draw_unwanted_property(scene, tag)
    reject_if_there(scene, names, "user")
    sentence = scene.frame(frames.DISLIKED_PROPERTY).format(do=wish, s=phrase)
    return Request(sentence, scene.start, KitchenGoal((Delivery(names, "user", kind=f"{tag}, not {without}"),)))


def _draw_unwanted_thing(scene: KitchenScene, tag: str) -> tuple[str, tuple[str, ...]]:
    """Draw a thing with a tag; return its name, and the instances of the other things with that tag."""
    there = [t for t in scene.things if tag in t.tags]
    unwanted = scene.choose(there)
    return unwanted.name, tuple(name for t in there if t is not unwanted for name in scene.instances(t))


def _draw_unwanted_property(scene: KitchenScene, tag: str) -> tuple[str, str, tuple[str, ...]]:
    """Draw a property of some things with a tag; return its tag, a phrase for it, and the instances without it."""
    without = scene.choose(_distinguishing_tags(scene, tag))
    phrase = scene.phrase(without, "purposes") if scene.rng.random() < 0.6 else scene.adjective(without)
    return without, phrase, scene.tagged(tag, without=without)


def _distinguishing_tags(scene: KitchenScene, tag: str) -> list[str]:
    """Return the tags that some but not all of the things with a tag have."""
    return [t for t in scene.tags if t != tag and scene.tagged(tag, t) and scene.tagged(tag, without=t)]


# How many.


def count_request(scene: KitchenScene) -> Request:
    """So many, or all, of a kind."""
    noun, wanted = _draw_counted(scene)
    different = scene.rng.random() < 0.3
    several = len(set(map(kind_of, wanted.candidates)) if different else wanted.candidates)
    if not 1 < several < 5:
        raise SampleRejectedError
    if not different and scene.rng.random() < FROM_ITS_PLACE:
        wanted = from_its_place(scene, wanted)
        several = len(wanted.candidates)
        if several < 2:
            raise SampleRejectedError
    if not different and scene.rng.random() < 0.5:
        count, quantity = None, scene.frame(frames.ALL).format(k=plural(noun), k1=noun)
    else:
        count = int(scene.rng.integers(2, min(3, several) + 1))
        quantity = f"{scene.choose(NUMBERS[count])} {'different ' if different else ''}{plural(noun)}"
    sentence, delivery = draw_delivery(scene, wanted._replace(text=f"{quantity} {wanted.text}".strip()), count)
    return Request(sentence, scene.start, KitchenGoal((replace(delivery, different=different),)))


def _draw_counted(scene: KitchenScene) -> tuple[str, Reference]:
    """Draw a kind of thing or a thing; return its noun, and a reference without words."""
    tag = scene.draw_tag("nouns")
    names, noun = scene.tagged(tag), scene.noun(tag)
    if scene.rng.random() < 0.4:
        thing = scene.draw_target()
        return thing.name, Reference("", scene.instances(thing), thing.name)
    return noun, Reference("", names, tag)
