"""Generated kitchen instructions: a sentence, a start state and the goal, all from one random generator.

What the world knows of a thing (its tags) decides what a request means, and the planner's model reads the same tags
in its prompt: it learns to look a need up, not what a cola is. A share of the things it is trained on has made-up
names, so that nothing but the prompt tells what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from fmrl_ros.learning.planner import kitchen_frames as say
from fmrl_ros.learning.planner.instructions import Split, typo
from fmrl_ros.learning.planner.kitchen_frames import DRAWERS, SURFACES, Frames
from fmrl_ros.learning.planner.wording import POLITE_AFTER, POLITE_BEFORE
from fmrl_ros.meaning.english import article, plural
from fmrl_ros.meaning.explanation import HELD
from fmrl_ros.meaning.kitchen_goals import Delivery, KitchenGoal
from fmrl_ros.worlds.kitchen import KitchenState
from fmrl_ros.worlds.symbolic import HAND
from fmrl_ros.worlds.world import World, WorldObject, kind_of, numbered

WORDS = Path(__file__).with_name("kitchen_words.yaml")

NUMBERS = {1: ("one",), 2: ("two", "a pair of", "2", "a couple of"), 3: ("three", "3")}
OWN_START = 0.3
"""Share of a kitchen's tasks that is kept where they need another start: what is said of that is read for one task."""
OTHER_TAG, OTHER_NAME = 0.3, 0.15
"""Shares of a training scene's tags that are called otherwise than in the lexicon, and of its things whose names nobody
has heard."""
BESIDE_TRAINED = 0.25
"""Share of training's structured requests that name a place by what is there."""
DEEDS = 0.5
"""Share of the requests for what no skill does that are a verb of the lexicon's, if it has some."""
VOID = 0.12
"""Share of the requests for a single skill that have been met before anything is done."""
NEGATED = 0.5
"""Share of exclusions and dislikes that are of a property instead of a thing or kind of thing."""
DESCRIBED = 0.15
"""Share of the requests by a noun that say what the thing is like instead of what it is called."""
FROM_THERE = 0.15
"""Share of the requests for one thing or kind of thing that say where it is."""
_THINGS = {"thing", "item", "object", "article", "piece"}
_FITTING = (
    "with ",
    "in ",
    "that ",
    "to ",
    "for ",
    "out of ",
    "from ",
    "against ",
    "full ",
    "without ",
    "packed ",
    "on ",
)
"""What a saying begins with that can stand behind a noun."""
EMPHASIS = {
    "need": 3.4,
    "impossible": 3.2,
    "noun": 2.2,
    "count": 2.4,
    "exclusion": 2.6,
    "structured": 1.5,
    "verb": 0.9,
    "embodiment": 0.8,
    "dislike": 1.6,
    "long-horizon": 1.2,
    "remark": 0.4,
    "single primitive": 0.5,
}
"""How much more often a family is trained than tested: those that are the harder to learn."""
_BEHIND_A_NOUN = {
    "of", "in", "with", "for", "that", "to", "from", "on", "without", "against", "which", "under", "at", "by", "out",
}  # fmt: skip
_SYLLABLES = (
    "bra", "zo", "min", "tel", "ka", "pur", "lo", "fen", "dra", "vi", "gul", "sha", "ro", "nix", "bel", "to",
)  # fmt: skip


@dataclass(frozen=True)
class Thing:
    """A thing of the lexicon: name, tags, description, and how else it is called."""

    name: str
    tags: tuple[str, ...]
    description: str
    aliases: tuple[str, ...]


@dataclass(frozen=True)
class KitchenTask:
    """One generated instruction; `family` names the kind of request."""

    family: str
    instruction: str
    start: KitchenState
    goal: KitchenGoal
    needs_scene: bool = False

    @property
    def impossible(self) -> bool:
        """True if nothing must be done."""
        return self.goal.impossible

    @property
    def obstructed(self) -> bool:
        """True if the start stands in the way: the hand is full of something else, or what will do is in a drawer."""
        several = [*(d.candidates for d in self.goal.deliveries), self.goal.hold, self.goal.find]
        asked = [candidates for candidates in several if candidates]
        full = self.start.held is not None and not any(self.start.held in candidates for candidates in asked)
        shut = any(not any(map(self.start.reachable, candidates)) for candidates in asked)
        return bool(asked) and (full or shut) and not self.void

    @property
    def void(self) -> bool:
        """True if nothing has to be done: it is already so."""
        return not self.impossible and self.fulfilled(self.start)

    def fulfilled(self, state: KitchenState) -> bool:
        """True if the state is one that was asked for."""
        return self.goal.satisfied(self.start, state)


@dataclass(frozen=True)
class Lexicon:
    """What scenes are made of and what there is to say of it.

    Attributes:
      tags: For every tag other words for it (``also``), nouns, what completes "something" and remarks (``said``).
      things: The things.
      deeds: Verbs for what no skill does to them.
    """

    tags: dict[str, dict[str, list[str]]]
    things: list[Thing]
    deeds: tuple[str, ...] = ()


class CannotSayError(Exception):
    """The scene that was drawn offers nothing for this family."""


@cache
def _words() -> dict[str, Any]:
    tree: dict[str, Any] = yaml.safe_load(WORDS.read_text(encoding="utf-8"))
    return tree


def things(split: Split) -> list[Thing]:
    """Return the lexicon's things of a split."""
    lines = _words()["objects" if split == "train" else f"{split}_objects"]
    fields = [[field.strip() for field in line.split("|")] for line in lines]
    return [
        Thing(name, tuple(t.strip() for t in tags.split(",")), text, tuple(a.strip() for a in other.split(";")))
        for name, tags, text, other in fields
    ]


def world_things(world: World) -> list[Thing]:
    """Return a world's own things, one of each kind."""
    kinds = [o for o in world.objects if not o.name.rpartition(" ")[2].isdigit()]
    other = _words()["aliases"]
    return [Thing(o.name, o.tags, o.description, tuple(other.get(o.name, ()))) for o in kinds]


def held_out_words() -> set[str]:
    """Return what development's and test's own things and tags are called."""
    words = _words()
    called = {name for split in ("dev", "test") for t in things(split) for name in (t.name, *t.aliases, *t.tags)}
    for split in ("dev", "test"):
        for tag, sayings in words[f"{split}_tags"].items():
            called |= {tag, *sayings.get("also", ()), *sayings["nouns"]}
    return called - set(words["tags"])


def made_up_name(rng: np.random.Generator) -> str:
    """Return a name that nobody has heard."""
    return "".join(_SYLLABLES[i] for i in rng.integers(len(_SYLLABLES), size=2))


def kept(sayings: Sequence[str], split: Split) -> Sequence[str]:
    """Return the sayings of a split: the last is the test's, the one before it development's."""
    if len(sayings) < 3:
        return sayings
    return {"train": sayings[:-2], "dev": sayings[-2:-1], "test": sayings[-1:]}[split]


class KitchenGenerator:
    """Draws tasks of one split.

    Args:
      world: Places and skills; its things are among those that scenes are made of.
      split: Which frames, needs and things are used. Development and test use those of training as well for what is
        around, never for what is asked for.
      seed: Of everything random.
      new_things: Scenes are made of things of the split alone: a world that nobody was trained on.
      typos: Share of sentences with a slip of the keyboard.
    """

    start: KitchenState
    scene: list[Thing]
    instances: dict[str, list[str]]

    def __init__(self, world: World, split: Split, seed: int, new_things: bool = False, typos: float = 0.08) -> None:
        self.world, self.split, self.new_things, self.typos = world, split, new_things, typos
        self.rng = np.random.default_rng([seed, 7, ("train", "dev", "test").index(split), int(new_things)])
        self.own = things(split)
        self.home = world_things(world)
        others = [*things("train"), *(self.own if split != "train" else [])]
        self.pool = self.own if new_things else [*self.home, *others]
        words = _words()
        self._sayings: dict[str, dict[str, list[str]]] = dict(words["tags"])
        if split != "train":
            self._sayings |= words[f"{split}_tags"]
        self.tags = self._sayings
        self.deeds: tuple[str, ...] = ()
        self._usual = (self.own, self.pool, self._sayings, new_things, self.deeds)

    def take(self, lexicon: Lexicon | None) -> None:
        """Make the next scenes of a lexicon's things alone; of what they are made of usually if it is None."""
        self.own, self.pool, self._sayings, self.new_things, self.deeds = (
            self._usual if lexicon is None else (lexicon.things, lexicon.things, lexicon.tags, True, lexicon.deeds)
        )
        self.tags = self._sayings

    def draw(self, family: str | None = None) -> KitchenTask:
        """Draw one task, of a given family or of a random one."""
        family = family or self._family()
        while True:
            self._scene()
            task = self._task(family)
            if task is not None:
                return task

    def draw_together(self, tasks: int) -> list[KitchenTask]:
        """Draw at most so many tasks, of random families, in one kitchen; some begin in a state of their own."""
        self._scene()
        scene: KitchenState = self.start
        drawn = []
        for _ in range(tasks):
            self.start = scene
            task = self._task(self._family())
            if task is not None and (task.start is scene or self.rng.random() < OWN_START):
                drawn.append(task)
        return drawn

    def _family(self) -> str:
        emphasis = EMPHASIS if self.split == "train" else {}
        weights = np.array([weight * emphasis.get(family, 1.0) for family, (_, weight) in FAMILIES.items()])
        return list(FAMILIES)[int(self.rng.choice(len(FAMILIES), p=weights / weights.sum()))]

    def _task(self, family: str) -> KitchenTask | None:
        """Draw a task of a family in the present kitchen; None if that offers nothing for it."""
        try:
            said, start, goal = FAMILIES[family][0](self)
        except CannotSayError:
            return None
        return KitchenTask(family, self._dress(said), start, goal)

    # The scene.

    def _scene(self) -> None:
        """Draw which things are there, and arrange them."""
        count = int(self.rng.choice((4, 5, 6, 7, 8, 9, 10, 12, 14, 18)))
        at_home = not self.new_things and self.rng.random() < 0.35
        pool = self.home if at_home else self.pool
        fresh = self.own if self.split != "train" and not at_home else pool
        chosen = self._shuffled(fresh)[: 2 + count // 3]
        if self.rng.random() < 0.4:  # things that have something in common, to be told apart
            tag = self.one(self.one(chosen).tags)
            chosen += [t for t in self._shuffled(pool) if tag in t.tags][:3]
        chosen += self._shuffled(pool)[:count]
        unique = self._shuffled(list({t.name: t for t in chosen}.values())[:count])
        if self.split == "train":
            unique = [self._renamed(t) if self.rng.random() < OTHER_NAME else t for t in self._retagged(unique)]
        self.arrange(list({t.name: t for t in unique}.values()))

    def arrange(self, things: list[Thing]) -> None:
        """Make a scene of these things: draw how many there are of each, where, and what the robot holds."""
        self.scene = things
        names, objects = {}, []
        for thing in self.scene:
            instances = 1 + int(self.rng.random() < 0.15) + int(self.rng.random() < 0.05)
            names[thing.name] = [numbered(thing.name, n) for n in range(1, instances + 1)]
            tags, text = self._tags(thing), self._text(thing)
            objects += [WorldObject(n, "item", tags=tags, description=text) for n in names[thing.name]]
        self.instances = names
        spread = self._shuffled(["close counter", "far counter", "table"])[: int(self.rng.integers(2, 4))]
        locations = {}
        for o in objects:
            draw = self.rng.random()
            drawer = self.one(self.world.names_of_kind("drawer"))
            locations[o.name] = drawer if draw < 0.1 else "user" if draw < 0.12 else self.one(spread)
        if self.rng.random() < 0.4:
            locations[self.one(list(locations))] = HAND
        robot_at = self.one((*self.world.names_of_kind("surface|person"), ""))
        opened = frozenset(d for d in self.world.names_of_kind("drawer") if self.rng.random() < 0.08)
        self.start = KitchenState(replace(self.world, objects=tuple(objects)), robot_at, locations, opened)

    def _renamed(self, thing: Thing) -> Thing:
        """Return the thing under a name that nobody has heard."""
        name = made_up_name(self.rng)
        return Thing(name, thing.tags, thing.description, (name,))

    def _retagged(self, things: Sequence[Thing]) -> list[Thing]:
        """Give some of the tags other names in this scene: it is the prompt that says how its tags are called."""
        here = {tag for thing in things for tag in thing.tags}
        called, taken = {tag: tag for tag in self._sayings}, set(self._sayings)
        for tag in (tag for tag in self._sayings if tag in here):
            other = [word for word in self._sayings[tag]["also"] if word not in taken]
            if other and self.rng.random() < OTHER_TAG:
                called[tag] = self.one(other)
                taken.add(called[tag])
        self.tags = {called[tag]: sayings for tag, sayings in self._sayings.items()}
        return [replace(thing, tags=tuple(called.get(tag, tag) for tag in thing.tags)) for thing in things]

    def _tags(self, thing: Thing) -> tuple[str, ...]:
        tags = self._shuffled(thing.tags) if self.rng.random() < 0.5 else list(thing.tags)
        return tuple(tags)

    def _text(self, thing: Thing) -> str:
        return thing.description if self.rng.random() < 0.8 else ""

    # Words.

    def one(self, choices: Sequence[Any]) -> Any:
        """Draw one of `choices`. Raises CannotSayError if there is none."""
        if not len(choices):
            raise CannotSayError
        return choices[int(self.rng.integers(len(choices)))]

    def _shuffled(self, items: Sequence[Any]) -> list[Any]:
        return [items[i] for i in self.rng.permutation(len(items))]

    def frame(self, frames: Frames) -> str:
        """Draw a frame of this split; half of the time development and test use one of training."""
        return str(self.one(frames.of("train" if self.rng.random() < 0.5 else self.split)))

    def place(self, place: str) -> str:
        """Return a way to name a place or a drawer."""
        return self.frame({**SURFACES, **DRAWERS}[place])

    def free(self, things: Sequence[Thing]) -> list[Thing]:
        """Return those of which no instance is in the hand."""
        return [t for t in things if self.start.held not in self.instances[t.name]]

    def asked(self) -> Thing:
        """Draw a thing of the scene to speak about; outside training one that is new, where there is one."""
        new = [t for t in self.scene if t in self.own] if self.split != "train" else self.scene
        return self.one(new if new and self.rng.random() < 0.7 else self.scene)

    def called(self, thing: Thing, alias: float = 0.0) -> str:
        """Return a way to name a thing."""
        name = self.one(thing.aliases) if thing.aliases and self.rng.random() < alias else thing.name
        return f"{self.one(('the', 'the', article(name)))} {name}"

    def with_tag(self, tag: str, without: str = "") -> tuple[str, ...]:
        """Return the instances of things that have a tag, and not another."""
        found = [t for t in self.scene if tag in t.tags and without not in t.tags]
        return tuple(name for t in found for name in self.instances[t.name])

    def of(self, thing: Thing) -> tuple[str, ...]:
        """Return a thing's instances."""
        return tuple(self.instances[thing.name])

    def tag_here(self, use: str) -> str:
        """Draw a tag that something in the scene has and for which there are sayings of use `use`."""
        here = {tag for t in self.scene for tag in t.tags}
        known = [t for t in self.tags if t in here and self.tags[t][use]]
        if self.split != "train" and self.rng.random() < 0.5:
            fresh = [t for t in known if t in _words()[f"{self.split}_tags"]]
            known = fresh or known
        return str(self.one(known))

    def need(self, tag: str, use: str) -> str:
        """Draw a saying for a tag; outside training one of the split's own."""
        return str(self.one(kept(self.tags[tag][use], self.split)))

    def noun(self, tag: str) -> str:
        """Draw a noun for things with a tag; what one of several here is called does not stand for the others."""
        tagged = [t for t in self.scene if tag in t.tags]
        called = {name for t in tagged for name in (t.name, *t.aliases)} if len(tagged) > 1 else set()
        return str(self.one([noun for noun in self.tags[tag]["nouns"] if noun not in called]))

    def adjective(self, tag: str) -> str:
        """Draw a word for a tag that can stand before a noun: what stands before "thing" among the tag's nouns."""
        pairs = [noun.split() for noun in self.tags[tag]["nouns"] if noun.count(" ") == 1]
        return str(self.one([word for word, of_what in pairs if of_what in _THINGS]))

    def _dress(self, sentence: str) -> str:
        command = not sentence.lower().startswith(
            ("i ", "my ", "the ", "could", "may", "do you", "is there", "there ", "it ")
        )
        if command and self.rng.random() < 0.25:
            sentence = f"{self.one(POLITE_BEFORE)} {sentence}"
        if self.rng.random() < 0.12:
            sentence = f"{sentence}{self.one((',', ''))} {self.one(POLITE_AFTER)}"
        if self.rng.random() < self.typos:
            sentence = typo(sentence, self.rng)
        if self.rng.random() < 0.5:
            sentence = sentence[0].upper() + sentence[1:]
        asks = sentence.lower().startswith(("could", "can", "may", "would", "do you", "is there"))
        return sentence + ("?" if asks and self.rng.random() < 0.7 else str(self.one(("", "", ".", "."))))


Said = tuple[str, KitchenState, KitchenGoal]


def _elsewhere(g: KitchenGenerator, names: Sequence[str], to: str) -> None:
    """Raise CannotSayError if one of the things is there already: the request would be void."""
    if any(g.start.locations[name] == to for name in names):
        raise CannotSayError


def _single(g: KitchenGenerator, canonical: bool = True) -> Said:
    """One primitive skill, in its own words (canonical) or others."""

    def frame(frames: Frames) -> str:
        return frames.train[0] if canonical else g.frame(replace(frames, train=frames.train[2:]))

    thing, place, drawer = g.asked(), g.one(g.world.names_of_kind("surface|person")), g.one(list(DRAWERS))
    kind = g.one(("pick", "find", "go", "open", "close", "release", "fetch"))
    void = g.rng.random() < VOID
    start = g.start
    if kind == "release" or (void and kind == "pick"):
        thing, start = _holding(g)
    said, names = g.called(thing), g.of(thing)
    if kind in ("pick", "find") and g.start.held in names and not void:
        raise CannotSayError  # it is in the hand already
    if kind == "pick":
        return frame(say.PICK).format(x=said), start, KitchenGoal(hold=names)
    if kind == "find":
        return frame(say.FIND).format(x=said), start, KitchenGoal(find=names)
    if kind == "release":
        return frame(say.RELEASE).format(x=f"the {thing.name}"), start, KitchenGoal(release=True)
    if kind == "fetch":
        if void:
            for name in names:
                start = start.moved(name, "user")
        else:
            _elsewhere(g, names, "user")
        return frame(say.FETCH).format(x=said), start, KitchenGoal((Delivery(names, "user"),))
    if kind == "go":
        if void and start.robot_at != place:
            start = replace(start, robot_at=place)
        elif not void and start.robot_at == place:
            start = replace(start, robot_at=g.one([p for p in SURFACES if p != place]))
        name = SURFACES[place].train[0] if canonical else g.place(place)
        return frame(say.GO).format(l=name), start, KitchenGoal(robot_at=place)
    opens = kind == "open"
    if (drawer in start.open) != (opens == void):  # another start only where it must be: see `draw_together`
        start = replace(start, open=start.open ^ {drawer})
    name = DRAWERS[drawer].train[0] if canonical else g.place(drawer)
    goal = KitchenGoal(opened=(drawer,)) if opens else KitchenGoal(closed=(drawer,))
    return frame(say.OPEN if opens else say.CLOSE).format(d=name), start, goal


def _holding(g: KitchenGenerator) -> tuple[Thing, KitchenState]:
    """Return what the robot holds, and the start: the present one, or another if the hand is empty."""
    if g.start.held is not None:
        return next(t for t in g.scene if g.start.held in g.of(t)), g.start
    thing = g.one(g.scene)
    start = replace(g.start.moved(g.of(thing)[0], HAND), robot_at=g.one(list(SURFACES)))
    return thing, start


def _other_verb(g: KitchenGenerator) -> Said:
    return _single(g, canonical=False)


def _deliver(
    g: KitchenGenerator, said: str, names: tuple[str, ...], count: int | None = 1, kind: str = ""
) -> tuple[str, Delivery]:
    """Draw where things go; return the sentence and the delivery."""
    draw = g.rng.random()
    if draw < 0.4:
        to, sentence = "user", g.frame(say.FETCH).format(x=said)
    elif draw < 0.72:
        to = g.one(("close counter", "far counter", "table"))
        sentence = g.frame(say.MOVE).format(x=said, l=g.place(to))
    elif draw < 0.87:
        to, sentence = "trash can", g.frame(say.TRASH).format(x=said)
    else:
        return _stow(g, said, names, count, kind)
    _elsewhere(g, names, to)
    return sentence, Delivery(names, to, count, kind)


def _stow(
    g: KitchenGenerator, said: str, names: tuple[str, ...], count: int | None = 1, kind: str = ""
) -> tuple[str, Delivery]:
    """Draw the drawer into which things go; see `_deliver`."""
    to = g.one(list(DRAWERS))
    _elsewhere(g, names, to)
    return g.frame(say.STOW).format(x=said, d=g.place(to)), Delivery(names, to, count, kind)


def _lying(g: KitchenGenerator, names: tuple[str, ...], kind: str) -> tuple[str, tuple[str, ...], str]:
    """Draw where it lies what is wanted; return that in words, which things will do, and what it means."""
    place = g.one([at for n in names if (at := g.start.locations[n]) in {*SURFACES, *DRAWERS} - {"user"}])
    frames = say.INSIDE if place in DRAWERS or place == "trash can" else say.ON_TOP
    there = tuple(n for n in names if g.start.locations[n] == place)
    return g.frame(frames).format(l=g.place(place)), there, f"{kind}, also at {place}"


def _structured(g: KitchenGenerator) -> Said:
    """A thing by its name, to a place; or to where another thing is."""
    thing = g.asked()
    if g.rng.random() < (BESIDE_TRAINED if g.split == "train" else 0.12):
        return _beside(g, thing)
    said, names, kind = g.called(thing), g.of(thing), ""
    if g.rng.random() < FROM_THERE:
        where, names, kind = _lying(g, names, thing.name)
        said = f"{said} {where}"
    sentence, delivery = _deliver(g, said, names, kind=kind)
    return sentence, g.start, KitchenGoal((delivery,))


def _beside(g: KitchenGenerator, thing: Thing) -> Said:
    """A thing to where another one is."""
    places = {t.name: {g.start.locations[n] for n in g.of(t)} for t in g.scene if t is not thing}
    other = g.one(
        [t for t, there in places.items() if len(there) == 1 and there <= {"close counter", "far counter", "table"}]
    )
    (to,) = places[other]
    _elsewhere(g, g.of(thing), to)
    said = g.frame(say.BESIDE).format(x=g.called(thing), y=f"the {other}")
    return said, g.start, KitchenGoal((Delivery(g.of(thing), to, beside=other),))


def _noun(g: KitchenGenerator) -> Said:
    """A thing by another name, or by its kind."""
    thing, kind = g.asked(), ""
    if g.rng.random() < DESCRIBED:
        said, names = _described(g, thing), g.of(thing)
    elif g.rng.random() < 0.4 and thing.aliases:
        said, names = g.called(thing, alias=1.0), g.of(thing)
    else:
        tag = kind = g.tag_here("nouns")
        noun = g.noun(tag)
        said, names = f"{g.one((article(noun), article(noun), 'any'))} {noun}", g.with_tag(tag)
        draw = g.rng.random()
        if draw < 0.2:
            more, names, kind = _of_that_sort(g, tag)
            said = f"{said} {more}"
        elif draw < 0.35:
            said, names, kind = _qualified(g, tag, noun)
        elif draw < 0.35 + FROM_THERE:
            where, names, kind = _lying(g, names, kind)
            said = f"{said} {where}"
    sentence, delivery = _deliver(g, said, names, kind=kind)
    return sentence, g.start, KitchenGoal((delivery,))


def _of_that_sort(g: KitchenGenerator, tag: str) -> tuple[str, tuple[str, ...], str]:
    """Draw a property of a kind of thing; return it in words, which things will do, and what it means."""
    sayings = {other: [s for s in words["something"] if s.startswith(_FITTING)] for other, words in g.tags.items()}
    shared = {other for t in g.scene if tag in t.tags for other in t.tags if other != tag and sayings.get(other)}
    also = g.one(sorted(shared))
    names = tuple(n for t in g.scene if tag in t.tags and also in t.tags for n in g.of(t))
    saying = g.one([s for s in kept(g.tags[also]["something"], g.split) if s.startswith(_FITTING)])
    return saying, names, f"{tag}, also {also}"


def _qualified(g: KitchenGenerator, tag: str, noun: str) -> tuple[str, tuple[str, ...], str]:
    """Draw a property of a kind of thing, said before the noun; see `_of_that_sort`."""
    shared = {other for t in g.scene if tag in t.tags for other in t.tags if other != tag}
    also = g.one(sorted(shared & g.tags.keys()))
    said = f"{g.adjective(also)} {noun}"
    names = tuple(n for t in g.scene if tag in t.tags and also in t.tags for n in g.of(t))
    return f"{g.one((article(said), article(said), 'any', 'some'))} {said}", names, f"{tag}, also {also}"


def _described(g: KitchenGenerator, thing: Thing) -> str:
    """Return what is said of a thing in the prompt, or enough of it to tell it from the others."""
    shown = g.start.world.object(g.of(thing)[0]).description
    words = shown.lower().removeprefix("a ").removeprefix("an ").split()
    if not words or words[0].endswith("s") or words[0] in _BEHIND_A_NOUN:  # "wipes up spills"; "to drink from"
        raise CannotSayError
    front = next((i for i, word in enumerate(words) if word in _BEHIND_A_NOUN), len(words))
    draw = g.rng.random()
    if front > 1 and draw < 0.4:
        del words[int(g.rng.integers(front - 1))]
    elif 1 < front < len(words) and draw < 0.6:
        del words[front:]
    others = (" ".join((t.name, t.description, *_kinds_of(g, t))).lower().split() for t in g.scene if t is not thing)
    if any(set(words) <= {*other} for other in others):
        raise CannotSayError
    return f"the {' '.join(words)}"


def _kinds_of(g: KitchenGenerator, thing: Thing) -> Iterator[str]:
    """Yield the tags of a thing, and the nouns for them."""
    for tag in thing.tags:
        yield from (tag, *g.tags.get(tag, {}).get("nouns", ()))


def _need(g: KitchenGenerator) -> Said:
    """A need or an indirect request."""
    tag, said = _needed(g)
    names = g.with_tag(tag)
    _elsewhere(g, names, "user")
    return said, g.start, KitchenGoal((Delivery(names, "user", kind=tag),))


def _needed(g: KitchenGenerator) -> tuple[str, str]:
    """Draw what a thing must be good for; return the tag and the sentence."""
    if g.rng.random() < 0.45:
        tag = g.tag_here("said")
        return tag, g.frame(say.CALLED_FOR).format(s=g.need(tag, "said"))
    tag = g.tag_here("something")
    return tag, g.frame(say.SOMETHING).format(s=g.need(tag, "something"))


def _unlike(g: KitchenGenerator, tag: str) -> tuple[str, str, tuple[str, ...]]:
    """Draw what a thing with a tag must not be, and some are: the other tag, how it completes "something", the rest."""
    there = set(g.with_tag(tag))
    others = [t for t in g.tags if t != tag and there & set(g.with_tag(t)) and g.with_tag(tag, t)]
    also = g.one(others)
    if g.rng.random() < 0.6:
        return also, g.need(also, "something"), g.with_tag(tag, also)
    return also, g.adjective(also), g.with_tag(tag, also)


def _exclusion(g: KitchenGenerator) -> Said:
    """A kind of thing, but not one with another property, or not a certain one."""
    tag = g.tag_here("nouns")
    noun = g.noun(tag)
    if g.rng.random() < NEGATED:
        without, saying, names = _unlike(g, tag)
        phrase = g.frame(say.NOTHING).format(a=f"{article(noun)} {noun}", s=saying)
    elif g.rng.random() < 0.5:
        there = [t for t in g.scene if tag in t.tags]
        other = g.one(there)
        names, without = tuple(n for t in there if t is not other for n in g.of(t)), other.name
        phrase = g.frame(say.NOT).format(a=f"{article(noun)} {noun}", a0=noun, b=f"the {other.name}")
    else:
        also = g.one(
            [t for t in g.tags if t != tag and g.with_tag(tag, t) and len(g.with_tag(tag, t)) < len(g.with_tag(tag))]
        )
        names, without = g.with_tag(tag, also), also
        phrase = g.frame(say.WITHOUT).format(
            a=f"{article(noun)} {noun}", t=g.noun(also) if g.rng.random() < 0.7 else also
        )
    if not names:
        raise CannotSayError
    sentence, delivery = _deliver(g, phrase, names, kind=f"{tag}, not {without}")
    return sentence, g.start, KitchenGoal((delivery,))


def _dislike(g: KitchenGenerator) -> Said:
    """A kind of thing or a need, and a remark on what it must not be."""
    if g.rng.random() < NEGATED:
        return _intolerance(g)
    tag = g.tag_here("nouns")
    noun = g.noun(tag)
    there = [t for t in g.scene if tag in t.tags]
    other = g.one(there)
    names = tuple(n for t in there if t is not other for n in g.of(t))
    if not names:
        raise CannotSayError
    _elsewhere(g, names, "user")
    wish = g.frame(say.FETCH).format(x=f"{article(noun)} {noun}")
    said = g.frame(say.CANNOT_STAND).format(b=other.name, do=wish)
    return said, g.start, KitchenGoal((Delivery(names, "user", kind=f"{tag}, not {other.name}"),))


def _intolerance(g: KitchenGenerator) -> Said:
    """A kind of thing or a need, and a property that it must not have."""
    draw = g.rng.random()
    if draw < 0.4:
        tag = g.tag_here("nouns")
        noun = g.noun(tag)
        wish = g.frame(say.FETCH).format(x=f"{article(noun)} {noun}")
    elif draw < 0.6:
        tag = g.tag_here("said")
        wish = g.need(tag, "said")
    else:
        tag, wish = _needed(g)
    without, saying, names = _unlike(g, tag)
    _elsewhere(g, names, "user")
    said = g.frame(say.CANNOT_HAVE).format(do=wish, s=saying)
    return said, g.start, KitchenGoal((Delivery(names, "user", kind=f"{tag}, not {without}"),))


def _about(g: KitchenGenerator) -> Said:
    """A remark on a thing, and what to do with "it"; perhaps something else after that."""
    thing = g.asked()
    sentence, delivery = _deliver(g, "it", g.of(thing))
    said = g.frame(say.ABOUT).format(x=f"the {thing.name}", do=sentence)
    if g.rng.random() < 0.6:
        return said, g.start, KitchenGoal((delivery,))
    then, after = _part(g)
    if set(after.candidates) & set(delivery.candidates):
        raise CannotSayError
    return f"{said} and {then}", g.start, KitchenGoal((delivery, after))


def _count(g: KitchenGenerator) -> Said:
    """So many, or all, of a kind."""
    tag = g.tag_here("nouns")
    names, noun, kind = g.with_tag(tag), g.noun(tag), tag
    if g.rng.random() < 0.4:
        thing = g.asked()
        names, noun, kind = g.of(thing), thing.name, thing.name
    different = g.rng.random() < 0.3
    several = len(set(map(kind_of, names)) if different else names)
    if not 1 < several < 5:
        raise CannotSayError
    where = ""
    if not different and g.rng.random() < FROM_THERE:
        where, names, kind = _lying(g, names, kind)
        several = len(names)
        if several < 2:
            raise CannotSayError
    if not different and g.rng.random() < 0.5:
        count, said = None, g.frame(say.ALL).format(k=plural(noun), k1=noun)
    else:
        count = int(g.rng.integers(2, min(3, several) + 1))
        said = f"{g.one(NUMBERS[count])} {'different ' if different else ''}{plural(noun)}"
    sentence, delivery = _deliver(g, f"{said} {where}".strip(), names, count, kind)
    return sentence, g.start, KitchenGoal((replace(delivery, different=different),))


def _embodiment(g: KitchenGenerator) -> Said:
    """What to do depends on what is in the hand and where the robot is."""
    thing, start = _holding(g)
    g.start, held = start, start.held
    assert held is not None
    draw = g.rng.random()
    if draw < 0.3:
        to = g.one(("close counter", "far counter", "table"))
        return g.frame(say.HELD_TO).format(l=g.place(to)), start, KitchenGoal((Delivery((held,), to, kind=HELD),))
    if draw < 0.4:
        return g.one(say.HAND_OVER.of(g.split)), start, KitchenGoal((Delivery((held,), "user", kind=HELD),))
    if draw < 0.5:
        return g.one(say.THROW_IT.of(g.split)), start, KitchenGoal((Delivery((held,), "trash can", kind=HELD),))
    other = thing if draw < 0.65 else g.one([t for t in g.scene if t is not thing])
    names = (held,) if other is thing else g.of(other)
    sentence, delivery = _deliver(g, f"the {other.name}", names)
    return sentence, start, KitchenGoal((delivery,))


def _long(g: KitchenGenerator) -> Said:
    """Several things, one after the other."""
    if g.rng.random() < 0.35:
        return g.one((_as_well, _and_shut, _and_then))(g)
    draw = g.rng.random()
    if draw < 0.25:  # several things to one place
        some = g._shuffled(g.scene)[: int(g.rng.choice((2, 2, 3)))]
        listed = ", ".join(g.called(t) for t in some[:-1]) + f" and {g.called(some[-1])}"
        remark = g.rng.random() < 0.35
        sentence, first = _deliver(
            g, g.one(("them", "both" if len(some) == 2 else "all")) if remark else listed, g.of(some[0])
        )
        if remark:
            sentence = g.frame(say.THEM).format(x=listed, do=sentence)
        for t in some[1:]:
            _elsewhere(g, g.of(t), first.to)
        deliveries = [Delivery(g.of(t), first.to) for t in some]
        if remark and g.rng.random() < 0.5:
            then, after = _part(g)
            if any(set(after.candidates) & set(d.candidates) for d in deliveries):
                raise CannotSayError
            sentence, deliveries = f"{sentence} {g.one(('and', 'then', 'and then'))} {then}", [*deliveries, after]
        return sentence, g.start, KitchenGoal(tuple(deliveries))
    if draw < 0.4:
        place, to = g._shuffled(["close counter", "far counter", "table"])[:2]
        names = g.start.at(place)
        if not 1 <= len(names) <= 3:
            raise CannotSayError
        said = g.frame(say.EVERYTHING_AT).format(l=g.place(place), m=g.place(to))
        return said, g.start, KitchenGoal((Delivery(names, to, None, f"at {place}"),))
    if draw < 0.55:  # two kinds of things to one place
        a, b = g.tag_here("nouns"), g.tag_here("nouns")
        ones, others = g.with_tag(a), g.with_tag(b)
        if set(ones) & set(others):
            raise CannotSayError
        nouns = [f"{g.one((article(noun), 'one', 'some'))} {noun}" for noun in (g.noun(a), g.noun(b))]
        sentence, delivery = _deliver(g, " and ".join(nouns), ones, kind=a)
        _elsewhere(g, others, delivery.to)
        return sentence, g.start, KitchenGoal((delivery, Delivery(others, delivery.to, kind=b)))
    parts = [_part(g) for _ in range(int(g.rng.choice((2, 2, 3))))]
    several = [set(delivery.candidates) for _, delivery in parts]
    if any(a & b for i, a in enumerate(several) for b in several[i + 1 :]):
        raise CannotSayError
    frame = g.frame(say.JOIN) if len(parts) == 2 else g.frame(say.JOIN3)
    sentence = frame.format(**dict(zip("abc", (said for said, _ in parts), strict=False)))
    return sentence, g.start, KitchenGoal(tuple(delivery for _, delivery in parts))


def _as_well(g: KitchenGenerator) -> Said:
    """A thing to a place, and another one "as well"."""
    thing = g.asked()
    sentence, first = _deliver(g, g.called(thing), g.of(thing))
    other = g.one([t for t in g.scene if t is not thing])
    _elsewhere(g, g.of(other), first.to)
    said = g.frame(say.AS_WELL).format(do=sentence, y=g.called(other))
    return said, g.start, KitchenGoal((first, Delivery(g.of(other), first.to)))


def _and_shut(g: KitchenGenerator) -> Said:
    """A thing into a drawer or out of it, and the drawer "shut again"."""
    if g.rng.random() < 0.6:
        thing = g.asked()
        sentence, delivery = _stow(g, g.called(thing), g.of(thing))
        drawer = delivery.to
    else:
        inside = [t for t in g.scene if len(g.of(t)) == 1 and g.start.locations[g.of(t)[0]] in DRAWERS]
        thing = g.one(inside)
        drawer = g.start.locations[g.of(thing)[0]]
        where = g.frame(say.INSIDE).format(l=g.place(drawer))
        sentence, delivery = _deliver(
            g, f"the {thing.name} {where}", g.of(thing), kind=f"{thing.name}, also at {drawer}"
        )
        if delivery.to in DRAWERS:
            raise CannotSayError  # it is not clear which of the drawers is meant
    return g.frame(say.AND_SHUT).format(do=sentence), g.start, KitchenGoal((delivery,), closed=(drawer,))


def _and_then(g: KitchenGenerator) -> Said:
    """A thing somewhere, and before or after it a skill about a drawer or a place."""
    kind = g.one(("open", "close", "go", "pick"))
    if kind == "open":
        drawer = g.one([d for d in DRAWERS if d not in g.start.open])
        before, (after, delivery) = g.frame(say.OPEN).format(d=g.place(drawer)), _part(g)
        goal = KitchenGoal((delivery,), opened=(drawer,))
    elif kind == "close":
        drawer = g.one(sorted(g.start.open))
        (before, delivery), after = _part(g), g.frame(say.CLOSE).format(d=g.place(drawer))
        goal = KitchenGoal((delivery,), closed=(drawer,))
    elif kind == "go":
        (before, delivery), place = _part(g), g.one(g.world.names_of_kind("surface|person"))
        after, goal = g.frame(say.GO).format(l=g.place(place)), KitchenGoal((delivery,), robot_at=place)
        if delivery.to == place:
            raise CannotSayError
    else:
        thing, place = g.asked(), g.one(g.world.names_of_kind("surface|person"))
        if g.start.held in g.of(thing):
            raise CannotSayError
        before, after = g.frame(say.PICK).format(x=g.called(thing)), g.frame(say.GO).format(l=g.place(place))
        goal = KitchenGoal(hold=g.of(thing), robot_at=place)
    return g.frame(say.JOIN).format(a=before, b=after), g.start, goal


def _part(g: KitchenGenerator) -> tuple[str, Delivery]:
    """One of several requests."""
    draw = g.rng.random()
    if draw < 0.65:
        thing = g.asked()
        return _deliver(g, g.called(thing), g.of(thing))
    if draw < 0.8:
        tag = g.tag_here("nouns")
        noun = g.noun(tag)
        return _deliver(g, f"{article(noun)} {noun}", g.with_tag(tag), kind=tag)
    tag = g.tag_here("something")
    names = g.with_tag(tag)
    _elsewhere(g, names, "user")
    return g.frame(say.SOMETHING).format(s=g.need(tag, "something")), Delivery(names, "user", kind=tag)


def _impossible(g: KitchenGenerator) -> Said:
    """Nothing that was asked for is there, or no skill does it."""
    goal = KitchenGoal(impossible=True)
    draw = g.rng.random()
    if draw < 0.4:
        a, b = g._shuffled(g.scene)[:2]
        deed = g.one(g.deeds) if g.deeds and g.rng.random() < DEEDS else ""
        frame = g.one(say.DEED if deed else say.IMPOSSIBLE.of(g.split))
        return frame.format(v=deed, x=f"the {a.name}", y=f"the {b.name}"), g.start, goal
    if draw < 0.75:
        missing = _absent(g)
        goal = KitchenGoal(impossible=True, missing=missing)
        to, frames = g.one(
            (("user", say.FETCH), ("table", say.MOVE), ("trash can", say.TRASH), ("", say.PICK), ("", say.FIND))
        )
        return g.frame(frames).format(x=f"the {missing}", l=g.place(to) if to else ""), g.start, goal
    here = {name for t in g.scene for name in (*t.tags, t.name, *t.aliases)}
    tag = g.one([t for t in g.tags if t not in here and g.tags[t]["something"]])
    goal = KitchenGoal(impossible=True, missing=tag)
    draw = g.rng.random()
    if draw < 0.45:
        return g.frame(say.FETCH).format(x=f"{article(g.noun(tag))} {g.noun(tag)}"), g.start, goal
    if draw < 0.85 or not g.tags[tag]["said"]:
        return g.frame(say.SOMETHING).format(s=g.need(tag, "something")), g.start, goal
    return g.frame(say.CALLED_FOR).format(s=g.need(tag, "said")), g.start, goal


def _absent(g: KitchenGenerator) -> str:
    """Draw what a thing is called that is not there; half of the time one that resembles what is."""
    names = {name for t in g.scene for name in (t.name, *t.aliases, *t.tags)}
    absent = [t for t in (g.own if g.split != "train" else g.pool) if names.isdisjoint((t.name, *t.aliases))]
    if g.rng.random() < 0.5:
        words = {word for name in names for word in name.split()}
        absent = [t for t in absent if words & set(t.name.split())] or absent
    thing = g.one(absent)
    if g.split == "train" and g.rng.random() < 0.2:
        thing = g._renamed(thing)
    return str(thing.name)


FAMILIES: dict[str, tuple[Callable[[KitchenGenerator], Said], float]] = {
    "single primitive": (_single, 1.2),
    "verb": (_other_verb, 1.2),
    "noun": (_noun, 2.0),
    "structured": (_structured, 1.5),
    "embodiment": (_embodiment, 1.2),
    "need": (_need, 3.0),
    "exclusion": (_exclusion, 1.3),
    "dislike": (_dislike, 0.8),
    "remark": (_about, 1.0),
    "count": (_count, 1.6),
    "long-horizon": (_long, 2.0),
    "impossible": (_impossible, 2.0),
}
