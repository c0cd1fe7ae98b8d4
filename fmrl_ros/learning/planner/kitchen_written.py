"""Kitchen requests written one by one, beside those of the generator, each with what it asks for.

What a request asks for stands in the words of explanations (`meaning/explanation.py`), with bars between several
things or kinds that will do: ``drink, not soda to user``, ``cup to table; bowl to table``, ``fork: none``.

Those of development and test are each about one state of the kitchen. Those of training are about things wherever they
may be: their meanings hold in any kitchen that has these things, and new ones are drawn again and again.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import yaml

from fmrl_ros.learning.planner.kitchen_instructions import (
    OTHER_NAME,
    KitchenGenerator,
    KitchenTask,
    Thing,
    made_up_name,
    world_things,
)
from fmrl_ros.meaning.english import plural
from fmrl_ros.meaning.explanation import BESIDE, HELD, NO_SKILL, NONE, names_of, refuses, split_verb
from fmrl_ros.meaning.explanation_grammar import ExplanationGrammar
from fmrl_ros.meaning.kitchen_goals import Delivery, KitchenGoal
from fmrl_ros.worlds.kitchen import KitchenState, start_state
from fmrl_ros.worlds.symbolic import HAND
from fmrl_ros.worlds.world import World, kind_of

REQUESTS = Path(__file__).with_name("kitchen_written.yaml")
TRAINED = Path(__file__).with_name("kitchen_written_train.yaml")
REFUSED = 0.3
"""Share of the requests for one thing that are kept where it is not there, to be declined."""
OWN_START = 0.5
"""Share of those that are kept that need another start than the rest of their kitchen."""
VOID = 0.1
"""Share of those that are kept that are met before anything is done."""
LEFT = 5
"""Of the requests about the same things every so many-th is left to the second stage, which weighs what a model makes
of requests that it has not been shown."""
MOST = 6
"""Things at most that one of training's requests is about."""
_QUANTITY = re.compile(r"(?:(all|\d) )?(different )?(.*)")
_ONE_THING = re.compile(r"([^|;]*) to [a-z ]+")


class NotHereError(ValueError):
    """What a request is about is not in this kitchen, or not so that it makes sense; the message says what."""


@dataclass(frozen=True)
class Requests:
    """Training's requests about the same things: what was said, and what it means wherever the things are."""

    things: tuple[Thing, ...]
    said: tuple[tuple[str, str], ...]


@cache
def trained_requests(file: Path = TRAINED) -> tuple[Requests, ...]:
    """Return training's requests; those of no things of their own are about SayCan's, and have none here."""
    tree = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)  # safe_load takes eight times as long
    return tuple(Requests(tuple(map(_thing, part.get("things", ()))), tuple(part["requests"].items())) for part in tree)


def _thing(line: str) -> Thing:
    name, tags, description = (field.strip() for field in line.split("|"))
    return Thing(name, tuple(tag.strip() for tag in tags.split(",")), description, ())


def draw_written(
    generator: KitchenGenerator, rng: np.random.Generator, tasks: int, left: bool = False
) -> list[KitchenTask]:
    """Draw a kitchen and at most so many of training's requests that make sense in it; see `KitchenGenerator`.

    Those drawn are the first stage's, or those `left` to the second (`LEFT`).

    Some of its things get names that nobody has heard: who knows what they are from their tags and descriptions alone
    knows it of things that are new, too. What names such a thing is not drawn then.
    """
    several = trained_requests()
    weights = np.array([len(requests.said) for requests in several])
    requests = several[int(rng.choice(len(several), p=weights / weights.sum()))]
    things = list(requests.things or world_things(generator.world))
    count = int(rng.integers(len(things) // 2, len(things) + 1))
    here = [things[i] for i in rng.permutation(len(things))[:count]]
    fixed = {*(tag for t in things for tag in t.tags), *(place.name for place in generator.world.places)}
    called = {name: name for name in (*fixed, *(t.name for t in things))}
    for thing in here:
        if thing.name not in fixed and rng.random() < OTHER_NAME:
            made_up = (made_up_name(rng) for _ in itertools.count())
            called[thing.name] = next(name for name in made_up if name not in called.values())
    names = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(called, key=len, reverse=True)))})(?![\w-])")
    generator.arrange([replace(t, name=called[t.name]) for t in here])
    drawn: list[KitchenTask] = []
    for index in rng.permutation(len(requests.said)):
        if (index % LEFT == LEFT - 1) != left:
            continue
        said, meaning = requests.said[index]
        meaning = _renamed(said, meaning, called, names)
        task = _placed(generator.start, said, meaning, rng) if meaning else None
        if task is not None:
            drawn.append(task)
        if len(drawn) == tasks:
            break
    return drawn


def _renamed(said: str, meaning: str, called: dict[str, str], names: re.Pattern[str]) -> str:
    """Return a meaning with what its `names` are `called` here, or nothing if a thing that is renamed was named."""
    if refuses(meaning):
        return meaning
    words = {form for word in re.findall(r"[\w'-]+", said.lower()) for form in (word, *re.split("['-]", word))}
    for name in names.findall(meaning):
        parts = name.lower().split()
        if called[name] != name and words & {*parts, *map(plural, parts), "".join(parts)}:
            return ""
    return names.sub(lambda match: called[match[0]], meaning)


def _placed(scene: KitchenState, said: str, meaning: str, rng: np.random.Generator) -> KitchenTask | None:
    """Return a request as a task in a kitchen, perhaps with a start of its own; None where it makes no sense."""
    start = _fitting(scene, said, meaning, rng)
    if start is not scene and rng.random() >= OWN_START:
        return None
    try:
        goal = goal_of(meaning, start)
    except NotHereError:
        match = _ONE_THING.fullmatch(meaning)
        if match is None or rng.random() >= REFUSED or not _can_be_missing(match.group(1), said, start):
            return None
        return KitchenTask("written", said, start, KitchenGoal(impossible=True, missing=match.group(1)))
    if any(set(d.delivered(start)) and d.count is not None for d in goal.deliveries):
        return None  # "a cup to the table", where one is: it is not clear if another one is wanted
    if any(d.counted(d.candidates) < (d.count or 1) or d.required > MOST for d in goal.deliveries):
        return None
    several = [*(set(d.candidates) for d in goal.deliveries), set(goal.hold)]
    if any(a & b for i, a in enumerate(several) for b in several[i + 1 :]):
        return None  # "a drink, and the tea to the table": it is not clear which is which
    task = KitchenTask("written", said, start, goal)
    return None if task.void and rng.random() >= VOID else task


def _fitting(start: KitchenState, said: str, meaning: str, rng: np.random.Generator) -> KitchenState:
    """Return the start, or another one in which what is in the hand and what is open fits what was said."""
    if meaning == "put down" or meaning.startswith(HELD):
        words = set(re.findall("[a-z]+", said.lower()))
        named = [t for t in start.locations if words & {w for n in names_of(t, start.world) for w in n.split()}]
        if start.held not in (named or start.locations):
            thing = str(rng.choice(named or list(start.locations)))
            emptied = start if start.held is None else start.moved(start.held, "table")
            start = emptied.moved(thing, HAND)
    verb, _, drawer = meaning.partition(" ")
    if verb in ("open", "close") and ";" not in meaning and (drawer in start.open) != (verb == "close"):
        start = replace(start, open=start.open ^ {drawer})
    return start


def _can_be_missing(kind: str, said: str, start: KitchenState) -> bool:
    """True if there may be none of that kind and an explanation can say so."""
    if kind.startswith(("all ", "2 ", "3 ", "at ", HELD)) or " at " in kind:
        return False
    return ExplanationGrammar(said, start.world, start.scene()).viable(f"{kind}: {NONE}", ended=True)


def written_tasks(world: World, split: str, file: Path = REQUESTS) -> list[KitchenTask]:
    """Return the written requests of a split, ``dev`` or ``test``, in the order of the file.

    Raises:
      ValueError: If one of them asks for what its scene has not; names it.
    """
    tree = yaml.safe_load(file.read_text(encoding="utf-8"))
    starts = {name: start_state(world, scene) for name, scene in tree["scenes"].items()}
    return [
        KitchenTask("written", said, starts[scene], goal_of(meaning, starts[scene]))
        for scene, requests in tree[split].items()
        for said, meaning in requests.items()
    ]


def goal_of(meaning: str, start: KitchenState) -> KitchenGoal:
    """Return the condition that a request's meaning puts on the kitchen.

    Raises:
      NotHereError: If it names a thing or kind that is not there; names it, and what is.
      ValueError: If it is no meaning, or names a place that the kitchen has not; names the part.
    """
    goal = KitchenGoal()
    for part in meaning.split("; "):
        if part == NO_SKILL or part.endswith(f": {NONE}"):
            goal = replace(goal, impossible=True, missing=part.removesuffix(f": {NONE}").removesuffix(NO_SKILL))
        else:
            verb, what = split_verb(part, [place.name for place in start.world.places])
            goal = _VERBS[verb](goal, what, start) if verb else _with_delivery(goal, what, start)
    return goal


def _with_delivery(goal: KitchenGoal, part: str, start: KitchenState) -> KitchenGoal:
    thing, beside, other = part.partition(BESIDE)
    if beside:
        places = {start.locations[name] for name in _of(other, start)}
        if len(places) > 1 or not places <= set(start.surfaces):
            raise NotHereError(f"'{other}' is not at one place on which '{thing}' could be put")
        delivery = Delivery(_of(thing, start), places.pop(), beside=other)
        return replace(goal, deliveries=(*goal.deliveries, delivery))
    wanted, to, place = part.rpartition(" to ")
    match = _QUANTITY.fullmatch(wanted)
    if not to or match is None:
        raise ValueError(f"'{part}' does not end with 'to' and a place")
    number, different, kinds = match.groups()
    count = None if number == "all" else int(number or 1)
    names = _of(kinds, start)
    one_thing = "|" in kinds or (not number and kinds in {kind_of(name) for name in start.locations})
    delivery = Delivery(names, _place(place, start), count, "" if one_thing else kinds, different=bool(different))
    return replace(goal, deliveries=(*goal.deliveries, delivery))


def _place(name: str, start: KitchenState) -> str:
    """Return the place's name. Raises ValueError, with those that there are, if there is none of that name."""
    valid = [place.name for place in start.world.places]
    if name not in valid:
        raise ValueError(f"no place of the kitchen is '{name}'; valid: {', '.join(valid)}")
    return name


def _of(kinds: str, start: KitchenState) -> tuple[str, ...]:
    """Return the things that will do. Raises NotHereError if there is none."""
    several = [_with(kind, start) for kind in kinds.split("|")]
    names = tuple(name for name in start.locations if any(name in each for each in several))
    if not names:
        raise NotHereError(f"nothing in this scene is '{kinds}'; here is {', '.join(start.locations)}")
    return names


def _with(kind: str, start: KitchenState) -> set[str]:
    first, *more = kind.split(", ")
    found = _called(first, start)
    for condition in more:
        word, _, other = condition.partition(" ")
        if word not in ("not", "also"):
            raise ValueError(f"'{condition}' begins neither with 'not' nor with 'also'")
        found = {"not": found.difference, "also": found.intersection}[word](_called(other, start))
    return found


def _called(kind: str, start: KitchenState) -> set[str]:
    if kind == HELD:
        return {start.held} if start.held else set()
    if kind.startswith("at "):
        return set(start.at(kind.removeprefix("at ")))
    return {name for name in start.locations if kind in names_of(name, start.world)}


_VERBS: dict[str, Callable[[KitchenGoal, str, KitchenState], KitchenGoal]] = {
    "open ": lambda goal, drawer, start: replace(goal, opened=(*goal.opened, _place(drawer, start))),
    "close ": lambda goal, drawer, start: replace(
        goal, closed=(*goal.closed, _place(drawer, start)), opened=tuple(d for d in goal.opened if d != drawer)
    ),
    "go to ": lambda goal, place, start: replace(goal, robot_at=_place(place, start)),
    "find ": lambda goal, kinds, start: replace(goal, find=_of(kinds, start)),
    "pick up ": lambda goal, kinds, start: replace(goal, hold=_of(kinds, start)),
    "put down": lambda goal, nothing, start: replace(goal, release=True),
}
