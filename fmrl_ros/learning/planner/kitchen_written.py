"""Kitchen requests written one by one, beside those of the generator, each with what it means (`kitchen_meaning`).

Those of development and test are each about one state of the kitchen. Those of training are about things wherever they
may be: their meanings hold in any kitchen that has these things, and new ones are drawn again and again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from fmrl_ros.learning.planner.kitchen_instructions import KitchenGenerator, KitchenTask
from fmrl_ros.learning.planner.kitchen_lexicon import Thing, made_up_name, world_things
from fmrl_ros.learning.planner.kitchen_meaning import NotHereError, goal_of
from fmrl_ros.learning.planner.kitchen_scene import MADE_UP_NAME
from fmrl_ros.learning.planner.training_data import load_training_data
from fmrl_ros.meaning.english import plural
from fmrl_ros.meaning.explanation import HELD, NONE, names_of, refuses
from fmrl_ros.meaning.explanation_grammar import ExplanationGrammar
from fmrl_ros.meaning.kitchen_goals import KitchenGoal
from fmrl_ros.worlds.conditions import IS_OPEN
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.names import HAND
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import World

FILE, TRAINING_FILE = "kitchen_written.yaml", "kitchen_written_train.yaml"
REFUSED = 0.3
"""Share of the requests for one thing that are kept where it is not there, to be declined."""
OWN_START = 0.5
"""Share of those that are kept that need another start than the rest of their kitchen."""
VOID = 0.1
"""Share of those that are kept that are met before anything is done."""
SECOND_STAGE_EVERY = 5
"""Of the requests about the same things every so many-th is kept for the second stage, which weighs what a model makes
of requests that it has not been shown."""
MOST_THINGS = 6
"""Things at most that one of training's requests is about."""
_ONE_THING = re.compile(r"([^|;]*) to [a-z ]+")


@dataclass(frozen=True)
class Requests:
    """Training's requests about the same things.

    Attributes:
      things: What they are about; empty if these are the world's own.
      requests: Sentences, each with what it means wherever the things are.
    """

    things: tuple[Thing, ...]
    requests: tuple[tuple[str, str], ...]


@cache
def training_requests() -> tuple[Requests, ...]:
    """Return training's requests. Raises TrainingDataError if their file is missing."""
    return tuple(
        Requests(tuple(map(_parse_thing, part.get("things", ()))), tuple(part["requests"].items()))
        for part in load_training_data(TRAINING_FILE)
    )


def _parse_thing(line: str) -> Thing:
    name, tags, description = (field.strip() for field in line.split("|"))
    return Thing(name, tuple(tag.strip() for tag in tags.split(",")), description, ())


def draw_written(
    generator: KitchenGenerator, rng: np.random.Generator, tasks: int, second_stage: bool = False
) -> list[KitchenTask]:
    """Draw a kitchen and at most so many of training's requests that make sense in it.

    Some of its things get made-up names: a model that knows what they are from their tags and descriptions alone knows
    it of things that are new, too. A request that names such a thing is not drawn then.

    Args:
      generator: Arranges the kitchen.
      rng: Draws everything else.
      tasks: How many.
      second_stage: Draw from the requests that are kept for the second stage instead of the others.
    """
    some = _draw_requests(rng)
    names = _arrange(generator, list(some.things or world_things(generator.world)), rng)
    drawn: list[KitchenTask] = []
    for index in rng.permutation(len(some.requests)):
        if (index % SECOND_STAGE_EVERY == SECOND_STAGE_EVERY - 1) != second_stage:
            continue
        sentence, meaning = some.requests[index]
        meaning = names.renamed(sentence, meaning)
        task = _as_task(generator.start, sentence, meaning, rng) if meaning else None
        if task is not None:
            drawn.append(task)
        if len(drawn) == tasks:
            break
    return drawn


def _draw_requests(rng: np.random.Generator) -> Requests:
    """Draw the things that requests are about, the more often the more requests there are."""
    several = training_requests()
    weights = np.array([len(some.requests) for some in several])
    return several[int(rng.choice(len(several), p=weights / weights.sum()))]


@dataclass(frozen=True)
class _Names:
    """What tags, places and things are called in a kitchen, by their usual names."""

    by_usual: Mapping[str, str]

    def renamed(self, sentence: str, meaning: str) -> str:
        """Return a meaning with the names of this kitchen; empty if the sentence names a thing that is renamed."""
        if refuses(meaning):
            return meaning
        words = _words_of(sentence)
        for usual in self._pattern.findall(meaning):
            parts = usual.lower().split()
            if self.by_usual[usual] != usual and words & {*parts, *map(plural, parts), "".join(parts)}:
                return ""
        return self._pattern.sub(lambda match: self.by_usual[match[0]], meaning)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest_first = sorted(self.by_usual, key=len, reverse=True)
        return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])")


def _words_of(sentence: str) -> set[str]:
    """Return a sentence's words, and the parts of those with a hyphen or an apostrophe."""
    return {form for word in re.findall(r"[\w'-]+", sentence.lower()) for form in (word, *re.split("['-]", word))}


def _arrange(generator: KitchenGenerator, things: Sequence[Thing], rng: np.random.Generator) -> _Names:
    """Make a scene of at least half of the things, some of them under made-up names; return the names."""
    count = int(rng.integers(len(things) // 2, len(things) + 1))
    here = [things[i] for i in rng.permutation(len(things))[:count]]
    fixed = {*(tag for t in things for tag in t.tags), *(place.name for place in generator.world.places)}
    names = {name: name for name in (*fixed, *(t.name for t in things))}
    for thing in here:
        if thing.name not in fixed and rng.random() < MADE_UP_NAME:
            names[thing.name] = _new_name(names.values(), rng)
    generator.arrange([replace(t, name=names[t.name]) for t in here])
    return _Names(names)


def _new_name(taken: Collection[str], rng: np.random.Generator) -> str:
    """Draw a made-up name that is not taken."""
    while (name := made_up_name(rng)) in taken:
        pass
    return name


def _as_task(scene: SymbolicState, sentence: str, meaning: str, rng: np.random.Generator) -> KitchenTask | None:
    """Return a request as a task in a kitchen, perhaps with a start of its own; None where it makes no sense."""
    start = _fitting_start(scene, sentence, meaning, rng)
    if start is not scene and rng.random() >= OWN_START:
        return None
    try:
        goal = goal_of(meaning, start)
    except NotHereError:
        return _as_declined_task(start, sentence, meaning, rng)
    if _is_unclear(goal, start):
        return None
    task = KitchenTask("written", sentence, start, goal)
    return None if task.void and rng.random() >= VOID else task


def _as_declined_task(
    start: SymbolicState, sentence: str, meaning: str, rng: np.random.Generator
) -> KitchenTask | None:
    """Return a request for one thing that is not there as a task to be declined, or None."""
    match = _ONE_THING.fullmatch(meaning)
    if match is None or rng.random() >= REFUSED or not _can_be_missing(match.group(1), sentence, start):
        return None
    return KitchenTask("written", sentence, start, KitchenGoal(impossible=True, missing=match.group(1)))


def _is_unclear(goal: KitchenGoal, start: SymbolicState) -> bool:
    """True if it is not clear which things are wanted, if there are too few of them, or too many."""
    if any(set(d.delivered(start)) and d.count is not None for d in goal.deliveries):
        return True  # "a cup to the table", where one is: it is not clear if another one is wanted
    if any(d.counted(d.candidates) < (d.count or 1) or d.required > MOST_THINGS for d in goal.deliveries):
        return True
    several = [*(set(d.candidates) for d in goal.deliveries), set(goal.hold)]
    return any(a & b for i, a in enumerate(several) for b in several[i + 1 :])  # "a drink, and the tea to the table"


def _fitting_start(start: SymbolicState, sentence: str, meaning: str, rng: np.random.Generator) -> SymbolicState:
    """Return the start, or another one in which what is in the hand and what is open fits the request."""
    if meaning == "put down" or meaning.startswith(HELD):
        start = _with_full_hand(start, sentence, rng)
    verb, _, drawer = meaning.partition(" ")
    if verb in ("open", "close") and ";" not in meaning and (drawer in start.open) != (verb == "close"):
        start = start.with_fact((IS_OPEN, drawer), verb == "close")
    return start


def _with_full_hand(start: SymbolicState, sentence: str, rng: np.random.Generator) -> SymbolicState:
    """Return the start, or one with something in the hand: what the sentence names, if it names something."""
    words = set(re.findall("[a-z]+", sentence.lower()))
    named = [t for t in start.locations if words & {w for n in names_of(t, start.world) for w in n.split()}]
    if start.held in (named or start.locations):
        return start
    thing = str(rng.choice(named or list(start.locations)))
    emptied = start if start.held is None else start.moved(start.held, "table")
    return emptied.moved(thing, HAND)


def _can_be_missing(kind: str, sentence: str, start: SymbolicState) -> bool:
    """True if there may be none of that kind and an explanation can say so."""
    if kind.startswith(("all ", "2 ", "3 ", "at ", HELD)) or " at " in kind:
        return False
    return ExplanationGrammar(sentence, start.world, start.scene()).viable(f"{kind}: {NONE}", ended=True)


def written_tasks(world: World, split: str) -> list[KitchenTask]:
    """Return the written requests of a split, ``dev`` or ``test``, in the order of the file.

    Raises:
      ValueError: If one of them asks for what its scene has not; names it.
      TrainingDataError: If their file is missing.
    """
    tree = load_training_data(FILE)
    starts = {name: start_state(world, scene) for name, scene in tree["scenes"].items()}
    return [
        KitchenTask("written", sentence, starts[scene], goal_of(meaning, starts[scene]))
        for scene, requests in tree[split].items()
        for sentence, meaning in requests.items()
    ]
