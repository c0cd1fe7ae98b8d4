"""Families of kitchen requests that have several parts, or a remark and a request.

As in `kitchen_requests`, every family draws a request in the present scene or raises SampleRejectedError.
"""

from __future__ import annotations

from collections.abc import Sequence

from fmrl_ros.learning.planner import kitchen_frames as frames
from fmrl_ros.learning.planner.kitchen_frames import DRAWERS
from fmrl_ros.learning.planner.kitchen_lexicon import Thing
from fmrl_ros.learning.planner.kitchen_references import (
    Reference,
    Request,
    draw_delivery,
    draw_drawer_delivery,
    named,
    reject_if_there,
)
from fmrl_ros.learning.planner.kitchen_scene import COUNTERS, KitchenScene, SampleRejectedError
from fmrl_ros.meaning.english import article
from fmrl_ros.meaning.kitchen_goals import Delivery, KitchenGoal

_EXTENDED = 0.35
"""Share of the requests with several parts that are one delivery and something that follows from it or goes with it."""


def remark_request(scene: KitchenScene) -> Request:
    """A remark on a thing, and what to do with "it"; perhaps something else after that."""
    thing = scene.draw_target()
    sentence, delivery = draw_delivery(scene, Reference("it", scene.instances(thing)))
    sentence = scene.frame(frames.ABOUT_IT).format(x=f"the {thing.name}", do=sentence)
    if scene.rng.random() < 0.6:
        return Request(sentence, scene.start, KitchenGoal((delivery,)))
    then, after = _draw_part(scene)
    _reject_if_shared([delivery, after])
    return Request(f"{sentence} and {then}", scene.start, KitchenGoal((delivery, after)))


def compound_request(scene: KitchenScene) -> Request:
    """Several things, one after the other."""
    if scene.rng.random() < _EXTENDED:
        request: Request = scene.choose((_as_well_request, _and_close_request, _and_skill_request))(scene)
        return request
    draw = scene.rng.random()
    if draw < 0.25:
        return _several_things_request(scene)
    if draw < 0.4:
        return _everything_request(scene)
    return _two_kinds_request(scene) if draw < 0.55 else _several_parts_request(scene)


def _several_things_request(scene: KitchenScene) -> Request:
    """Several things to one place, perhaps in a remark before it and with something else after it."""
    some = scene.shuffled(scene.things)[: int(scene.rng.choice((2, 2, 3)))]
    listed = _listing(scene, some)
    remark = scene.rng.random() < 0.35
    text = scene.choose(("them", "both" if len(some) == 2 else "all")) if remark else listed
    sentence, first = draw_delivery(scene, Reference(text, scene.instances(some[0])))
    if remark:
        sentence = scene.frame(frames.ABOUT_THEM).format(x=listed, do=sentence)
    for thing in some[1:]:
        reject_if_there(scene, scene.instances(thing), first.to)
    deliveries = [Delivery(scene.instances(thing), first.to) for thing in some]
    if remark and scene.rng.random() < 0.5:
        then, after = _draw_part(scene)
        deliveries.append(after)
        _reject_if_shared(deliveries)
        sentence = f"{sentence} {scene.choose(('and', 'then', 'and then'))} {then}"
    return Request(sentence, scene.start, KitchenGoal(tuple(deliveries)))


def _listing(scene: KitchenScene, things: Sequence[Thing]) -> str:
    names = [scene.thing_name(thing) for thing in things]
    return ", ".join(names[:-1]) + f" and {names[-1]}"


def _everything_request(scene: KitchenScene) -> Request:
    """Everything at a place to another."""
    place, to = scene.shuffled(COUNTERS)[:2]
    names = scene.start.at(place)
    if not 1 <= len(names) <= 3:
        raise SampleRejectedError
    sentence = scene.frame(frames.EVERYTHING_AT).format(l=scene.place_name(place), m=scene.place_name(to))
    return Request(sentence, scene.start, KitchenGoal((Delivery(names, to, None, f"at {place}"),)))


def _two_kinds_request(scene: KitchenScene) -> Request:
    """One thing of each of two kinds to one place."""
    one, other = scene.draw_tag("nouns"), scene.draw_tag("nouns")
    ones, others = scene.tagged(one), scene.tagged(other)
    if set(ones) & set(others):
        raise SampleRejectedError
    nouns = [f"{scene.choose((article(n), 'one', 'some'))} {n}" for n in (scene.noun(one), scene.noun(other))]
    sentence, delivery = draw_delivery(scene, Reference(" and ".join(nouns), ones, one))
    reject_if_there(scene, others, delivery.to)
    return Request(sentence, scene.start, KitchenGoal((delivery, Delivery(others, delivery.to, kind=other))))


def _several_parts_request(scene: KitchenScene) -> Request:
    """Two or three requests that have nothing to do with one another."""
    parts = [_draw_part(scene) for _ in range(int(scene.rng.choice((2, 2, 3))))]
    deliveries = [delivery for _, delivery in parts]
    _reject_if_shared(deliveries)
    frame = scene.frame(frames.JOIN) if len(parts) == 2 else scene.frame(frames.JOIN3)
    sentence = frame.format(**dict(zip("abc", (sentence for sentence, _ in parts), strict=False)))
    return Request(sentence, scene.start, KitchenGoal(tuple(deliveries)))


def _reject_if_shared(deliveries: Sequence[Delivery]) -> None:
    """Raise SampleRejectedError if a thing could serve for two deliveries: it would not be clear which is meant."""
    several = [set(delivery.candidates) for delivery in deliveries]
    if any(a & b for i, a in enumerate(several) for b in several[i + 1 :]):
        raise SampleRejectedError


def _draw_part(scene: KitchenScene) -> tuple[str, Delivery]:
    """Draw one of several requests: a thing by its name, one of a kind, or a need."""
    draw = scene.rng.random()
    if draw < 0.65:
        return draw_delivery(scene, named(scene, scene.draw_target()))
    if draw < 0.8:
        tag = scene.draw_tag("nouns")
        noun = scene.noun(tag)
        return draw_delivery(scene, Reference(f"{article(noun)} {noun}", scene.tagged(tag), tag))
    tag = scene.draw_tag("purposes")
    names = scene.tagged(tag)
    reject_if_there(scene, names, "user")
    sentence = scene.frame(frames.NEED).format(s=scene.phrase(tag, "purposes"))
    return sentence, Delivery(names, "user", kind=tag)


# A delivery, and something that goes with it.


def _as_well_request(scene: KitchenScene) -> Request:
    """A thing to a place, and another one "as well"."""
    thing = scene.draw_target()
    sentence, first = draw_delivery(scene, named(scene, thing))
    other = scene.choose([t for t in scene.things if t is not thing])
    names = scene.instances(other)
    reject_if_there(scene, names, first.to)
    sentence = scene.frame(frames.AS_WELL).format(do=sentence, y=scene.thing_name(other))
    return Request(sentence, scene.start, KitchenGoal((first, Delivery(names, first.to))))


def _and_close_request(scene: KitchenScene) -> Request:
    """A thing into a drawer or out of it, and the drawer "shut again"."""
    if scene.rng.random() < 0.6:
        sentence, delivery = draw_drawer_delivery(scene, named(scene, scene.draw_target()))
        drawer = delivery.to
    else:
        sentence, delivery, drawer = _draw_out_of_drawer(scene)
    goal = KitchenGoal((delivery,), closed=(drawer,))
    return Request(scene.frame(frames.AND_CLOSE).format(do=sentence), scene.start, goal)


def _draw_out_of_drawer(scene: KitchenScene) -> tuple[str, Delivery, str]:
    """Return a request for a thing that is in a drawer, its delivery, and the drawer."""
    only = {t.name: scene.instances(t)[0] for t in scene.things if len(scene.instances(t)) == 1}
    inside = [name for name, instance in only.items() if scene.start.locations[instance] in DRAWERS]
    thing = scene.choose(inside)
    drawer = scene.start.locations[only[thing]]
    where = scene.frame(frames.INSIDE).format(l=scene.place_name(drawer))
    wanted = Reference(f"the {thing} {where}", (only[thing],), f"{thing}, also at {drawer}")
    sentence, delivery = draw_delivery(scene, wanted)
    if delivery.to in DRAWERS:
        raise SampleRejectedError  # it is not clear which of the drawers is meant
    return sentence, delivery, drawer


def _and_skill_request(scene: KitchenScene) -> Request:
    """A thing somewhere, and before or after it a skill about a drawer or a place."""
    draw = {"open": _open_before, "close": _close_after, "go": _go_after, "pick": _pick_and_go}
    first, second, goal = draw[scene.choose(tuple(draw))](scene)
    return Request(scene.frame(frames.JOIN).format(a=first, b=second), scene.start, goal)


def _open_before(scene: KitchenScene) -> tuple[str, str, KitchenGoal]:
    drawer = scene.choose([d for d in DRAWERS if d not in scene.start.open])
    first = scene.frame(frames.OPEN).format(d=scene.place_name(drawer))
    second, delivery = _draw_part(scene)
    return first, second, KitchenGoal((delivery,), opened=(drawer,))


def _close_after(scene: KitchenScene) -> tuple[str, str, KitchenGoal]:
    drawer = scene.choose(sorted(scene.start.open))
    first, delivery = _draw_part(scene)
    second = scene.frame(frames.CLOSE).format(d=scene.place_name(drawer))
    return first, second, KitchenGoal((delivery,), closed=(drawer,))


def _go_after(scene: KitchenScene) -> tuple[str, str, KitchenGoal]:
    first, delivery = _draw_part(scene)
    place = scene.choose(scene.world.names_of_kind("surface|person"))
    second = scene.frame(frames.GO).format(l=scene.place_name(place))
    if delivery.to == place:
        raise SampleRejectedError
    return first, second, KitchenGoal((delivery,), robot_at=place)


def _pick_and_go(scene: KitchenScene) -> tuple[str, str, KitchenGoal]:
    thing, place = scene.draw_target(), scene.choose(scene.world.names_of_kind("surface|person"))
    names = scene.instances(thing)
    if scene.start.held in names:
        raise SampleRejectedError
    first = scene.frame(frames.PICK).format(x=scene.thing_name(thing))
    second = scene.frame(frames.GO).format(l=scene.place_name(place))
    return first, second, KitchenGoal(hold=names, robot_at=place)
