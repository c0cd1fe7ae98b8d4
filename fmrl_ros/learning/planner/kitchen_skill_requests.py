"""Kitchen requests for a single skill, in its own words or in others; some of them have been met already."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fmrl_ros.learning.planner import kitchen_frames as frames
from fmrl_ros.learning.planner.kitchen_frames import DRAWERS, SURFACES, Frames
from fmrl_ros.learning.planner.kitchen_lexicon import Thing
from fmrl_ros.learning.planner.kitchen_references import Reference, Request, named, reject_if_there
from fmrl_ros.learning.planner.kitchen_scene import KitchenScene, SampleRejectedError
from fmrl_ros.meaning.kitchen_goals import Delivery, KitchenGoal
from fmrl_ros.worlds.conditions import IS_OPEN
from fmrl_ros.worlds.names import HAND, ROBOT
from fmrl_ros.worlds.symbolic import SymbolicState

VOID = 0.12
"""Share of the requests for a single skill that have been met before anything is done."""


@dataclass(frozen=True)
class _SkillDraw:
    """What was drawn for a request for a single skill: things that it may be about, and how it is said.

    Attributes:
      thing: By its name.
      place: A surface or person.
      drawer: A drawer.
      start: The state in which it is said.
      void: It has been done already.
      plainest: The skill's own words are used.
    """

    thing: Reference
    place: str
    drawer: str
    start: SymbolicState
    void: bool
    plainest: bool

    def say(self, scene: KitchenScene, ways: Frames) -> str:
        """Return the plainest frame, or draw one that is not plain."""
        return ways.of("train")[0] if self.plainest else scene.frame(ways, skip=2)

    def place_name(self, scene: KitchenScene, place: str) -> str:
        """Return the plainest name of a place or drawer, or draw one."""
        return {**SURFACES, **DRAWERS}[place].of("train")[0] if self.plainest else scene.place_name(place)


def plainest_skill_request(scene: KitchenScene) -> Request:
    """One skill, in its own words."""
    return _skill_request(scene, plainest=True)


def skill_request(scene: KitchenScene) -> Request:
    """One skill, in other words than its own."""
    return _skill_request(scene, plainest=False)


def _skill_request(scene: KitchenScene, plainest: bool) -> Request:
    thing, place = scene.draw_target(), scene.choose(scene.world.names_of_kind("surface|person"))
    drawer = scene.choose(list(DRAWERS))
    skill = scene.choose(tuple(_SKILLS))
    void = scene.rng.random() < VOID
    start = scene.start
    if skill == "release" or (void and skill == "pick"):
        thing, start = with_full_hand(scene)
    drawn = _SkillDraw(_named_exactly(scene, thing, skill), place, drawer, start, void, plainest)
    if skill in ("pick", "find") and scene.start.held in drawn.thing.candidates and not void:
        raise SampleRejectedError  # it is in the hand already
    return _SKILLS[skill](scene, drawn)


def _named_exactly(scene: KitchenScene, thing: Thing, skill: str) -> Reference:
    """Refer to a thing by its name; "the" thing where the hand holds it."""
    wanted = named(scene, thing)
    return wanted._replace(text=f"the {thing.name}") if skill == "release" else wanted


def with_full_hand(scene: KitchenScene) -> tuple[Thing, SymbolicState]:
    """Return what the robot holds, and the start: the present one, or another if the hand is empty."""
    if scene.start.held is not None:
        return next(t for t in scene.things if scene.start.held in scene.instances(t)), scene.start
    thing = scene.choose(scene.things)
    start = scene.start.moved(scene.instances(thing)[0], HAND).moved(ROBOT, scene.choose(list(SURFACES)))
    return thing, start


def _pick(scene: KitchenScene, drawn: _SkillDraw) -> Request:
    sentence = drawn.say(scene, frames.PICK).format(x=drawn.thing.text)
    return Request(sentence, drawn.start, KitchenGoal(hold=drawn.thing.candidates))


def _find(scene: KitchenScene, drawn: _SkillDraw) -> Request:
    sentence = drawn.say(scene, frames.FIND).format(x=drawn.thing.text)
    return Request(sentence, drawn.start, KitchenGoal(find=drawn.thing.candidates))


def _release(scene: KitchenScene, drawn: _SkillDraw) -> Request:
    sentence = drawn.say(scene, frames.RELEASE).format(x=drawn.thing.text)
    return Request(sentence, drawn.start, KitchenGoal(release=True))


def _fetch(scene: KitchenScene, drawn: _SkillDraw) -> Request:
    start, names = drawn.start, drawn.thing.candidates
    if drawn.void:
        for name in names:
            start = start.moved(name, "user")
    else:
        reject_if_there(scene, names, "user")
    sentence = drawn.say(scene, frames.FETCH).format(x=drawn.thing.text)
    return Request(sentence, start, KitchenGoal((Delivery(names, "user"),)))


def _go(scene: KitchenScene, drawn: _SkillDraw) -> Request:
    start, place = drawn.start, drawn.place
    if drawn.void and start.robot_at != place:
        start = start.moved(ROBOT, place)
    elif not drawn.void and start.robot_at == place:
        start = start.moved(ROBOT, scene.choose([p for p in SURFACES if p != place]))
    name = drawn.place_name(scene, place)
    return Request(drawn.say(scene, frames.GO).format(l=name), start, KitchenGoal(robot_at=place))


def _open(scene: KitchenScene, drawn: _SkillDraw) -> Request:
    start = _with_drawer(drawn, is_open=drawn.void)
    name = drawn.place_name(scene, drawn.drawer)
    return Request(drawn.say(scene, frames.OPEN).format(d=name), start, KitchenGoal(opened=(drawn.drawer,)))


def _close(scene: KitchenScene, drawn: _SkillDraw) -> Request:
    start = _with_drawer(drawn, is_open=not drawn.void)
    name = drawn.place_name(scene, drawn.drawer)
    return Request(drawn.say(scene, frames.CLOSE).format(d=name), start, KitchenGoal(closed=(drawn.drawer,)))


def _with_drawer(drawn: _SkillDraw, is_open: bool) -> SymbolicState:
    """Return the start, another one only where it must be: few tasks of a kitchen may have a start of their own."""
    return drawn.start.with_fact((IS_OPEN, drawn.drawer), is_open)


_SKILLS: dict[str, Callable[[KitchenScene, _SkillDraw], Request]] = {
    "pick": _pick,
    "find": _find,
    "go": _go,
    "open": _open,
    "close": _close,
    "release": _release,
    "fetch": _fetch,
}
