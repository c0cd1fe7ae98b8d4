"""Kitchen requests that are to be declined: nothing that was asked for is there, or no skill does it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fmrl_ros.learning.planner import kitchen_frames as frames
from fmrl_ros.learning.planner.kitchen_lexicon import Thing
from fmrl_ros.learning.planner.kitchen_references import Request
from fmrl_ros.learning.planner.kitchen_scene import KitchenScene
from fmrl_ros.meaning.english import article
from fmrl_ros.meaning.kitchen_goals import KitchenGoal

UNSUPPORTED_VERBS = 0.5
"""Share of the requests for what no skill does that are a verb of the lexicon's, if it has some."""


def impossible_request(scene: KitchenScene) -> Request:
    """Nothing that was asked for is there, or no skill does it."""
    draw = scene.rng.random()
    if draw < 0.4:
        return Request(_draw_unsupported(scene), scene.start, KitchenGoal(impossible=True))
    sentence, missing = _draw_missing_thing(scene) if draw < 0.75 else _draw_missing_kind(scene)
    return Request(sentence, scene.start, KitchenGoal(impossible=True, missing=missing))


def _draw_unsupported(scene: KitchenScene) -> str:
    """Return a request for what no skill does."""
    first, second = scene.shuffled(scene.things)[:2]
    verbs = scene.source.unsupported_verbs
    verb = scene.choose(verbs) if verbs and scene.rng.random() < UNSUPPORTED_VERBS else ""
    frame = scene.choose(frames.unsupported_verb_frames() if verb else frames.UNSUPPORTED.of(scene.split))
    return str(frame.format(v=verb, x=f"the {first.name}", y=f"the {second.name}"))


def _draw_missing_thing(scene: KitchenScene) -> tuple[str, str]:
    """Return a request for a thing that is not there, and what it is called."""
    missing = _draw_absent_name(scene)
    to, ways = scene.choose(
        (
            ("user", frames.FETCH),
            ("table", frames.MOVE),
            ("trash can", frames.TRASH),
            ("", frames.PICK),
            ("", frames.FIND),
        )
    )
    return scene.frame(ways).format(x=f"the {missing}", l=scene.place_name(to) if to else ""), missing


def _draw_absent_name(scene: KitchenScene) -> str:
    """Draw what a thing is called that is not there; half of the time one that resembles what is."""
    here = {name for t in scene.things for name in (t.name, *t.aliases, *t.tags)}
    known = scene.source.targets if scene.split != "train" else scene.source.pool
    absent = [t for t in known if here.isdisjoint((t.name, *t.aliases))]
    thing = scene.choose((scene.rng.random() < 0.5 and _resembling(absent, here)) or absent)
    if scene.split == "train" and scene.rng.random() < 0.2:
        thing = scene.with_made_up_name(thing)
    return str(thing.name)


def _resembling(things: Sequence[Thing], names: Collection[str]) -> list[Thing]:
    """Return the things whose names share a word with one of `names`."""
    words = {word for name in names for word in name.split()}
    return [thing for thing in things if words & set(thing.name.split())]


def _draw_missing_kind(scene: KitchenScene) -> tuple[str, str]:
    """Return a request for a kind of thing that is not there, and its tag."""
    here = {name for t in scene.things for name in (*t.tags, t.name, *t.aliases)}
    tag = scene.choose([t for t in scene.tags if t not in here and scene.tags[t]["purposes"]])
    draw = scene.rng.random()
    if draw < 0.45:
        frame = scene.frame(frames.FETCH)
        return frame.format(x=f"{article(scene.noun(tag))} {scene.noun(tag)}"), tag  # two draws: articles may be wrong
    if draw < 0.85 or not scene.tags[tag]["remarks"]:
        return scene.frame(frames.NEED).format(s=scene.phrase(tag, "purposes")), tag
    return scene.frame(frames.REMARK).format(s=scene.phrase(tag, "remarks")), tag
