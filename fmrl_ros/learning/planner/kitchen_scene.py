"""Random kitchens, and random words for what is in them: what the families of kitchen requests are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fmrl_ros.learning.planner.kitchen_frames import DRAWERS, SURFACES, Frames
from fmrl_ros.learning.planner.kitchen_lexicon import (
    Lexicon,
    TagPhrases,
    Thing,
    made_up_name,
    phrases_of_split,
    tag_phrases,
    things,
    world_things,
)
from fmrl_ros.learning.planner.sentences import Split
from fmrl_ros.meaning.english import article
from fmrl_ros.worlds.names import HAND, numbered
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import World, WorldObject

COUNTERS = ("close counter", "far counter", "table")
"""Surfaces on which things lie about."""
TAG_SYNONYM, MADE_UP_NAME = 0.3, 0.15
"""Shares of a training scene's tags that are called otherwise than in the lexicon, and of its things that have made-up
names."""
_THINGS = {"thing", "item", "object", "article", "piece"}


class SampleRejectedError(Exception):
    """The scene that was drawn offers nothing for this request; another one is to be drawn."""


@dataclass(frozen=True)
class _Source:
    """What scenes are drawn from.

    Attributes:
      targets: Things that requests are about, outside training.
      pool: All things.
      phrases: For every tag.
      new_things: The world's own things are left out.
      unsupported_verbs: As in `Lexicon`.
    """

    targets: Sequence[Thing]
    pool: Sequence[Thing]
    phrases: TagPhrases
    new_things: bool
    unsupported_verbs: tuple[str, ...] = ()


class KitchenScene:
    """Draws kitchens of one split, and names and phrases for what is in them.

    Args:
      world: Places and skills; its things are among those that scenes are made of.
      split: Which frames, phrases and things are used. Development and test use those of training as well for what is
        around, never for what is asked for.
      seed: Of everything random.
      new_things: Scenes are made of things of the split alone: a world that nobody was trained on.

    Attributes:
      start: The present kitchen.
      things: Its things, one of each kind.
      tags: Phrases for each tag, by what the tag is called in this kitchen.
    """

    start: SymbolicState
    things: list[Thing]

    def __init__(self, world: World, split: Split, seed: int, new_things: bool = False) -> None:
        self.world, self.split = world, split
        self.rng = np.random.default_rng([seed, 7, ("train", "dev", "test").index(split), int(new_things)])
        self._world_things = world_things(world)
        targets, phrases = things(split), dict(tag_phrases("train"))
        others = [*things("train"), *(targets if split != "train" else [])]
        if split != "train":
            phrases |= tag_phrases(split)
        pool = targets if new_things else [*self._world_things, *others]
        self._usual = self.source = _Source(targets, pool, phrases, new_things)
        self.tags = phrases
        self._instances: dict[str, list[str]] = {}

    def use_lexicon(self, lexicon: Lexicon | None) -> None:
        """Draw the next scenes from a lexicon's things alone; from the usual ones if it is None."""
        self.source = (
            self._usual
            if lexicon is None
            else _Source(lexicon.things, lexicon.things, lexicon.tags, True, lexicon.unsupported_verbs)
        )
        self.tags = self.source.phrases

    # The scene.

    def draw_scene(self) -> None:
        """Draw which things are there, and arrange them."""
        several = self._draw_things(count=int(self.rng.choice((4, 5, 6, 7, 8, 9, 10, 12, 14, 18))))
        if self.split == "train":
            named = self._with_tag_synonyms(several)
            several = [self.with_made_up_name(t) if self.rng.random() < MADE_UP_NAME else t for t in named]
        self.arrange(list({t.name: t for t in several}.values()))

    def _draw_things(self, count: int) -> list[Thing]:
        source = self.source
        at_home = not source.new_things and self.rng.random() < 0.35
        pool = self._world_things if at_home else source.pool
        fresh = source.targets if self.split != "train" and not at_home else pool
        chosen = self.shuffled(fresh)[: 2 + count // 3]
        if self.rng.random() < 0.4:  # things that have something in common, to be told apart
            tag = self.choose(self.choose(chosen).tags)
            chosen += [t for t in self.shuffled(pool) if tag in t.tags][:3]
        chosen += self.shuffled(pool)[:count]
        return self.shuffled(list({t.name: t for t in chosen}.values())[:count])

    def arrange(self, things: list[Thing]) -> None:
        """Make a scene of these things: draw how many there are of each, where, and what the robot holds."""
        self.things = things
        names, objects = {}, []
        for thing in things:
            instances = 1 + int(self.rng.random() < 0.15) + int(self.rng.random() < 0.05)
            names[thing.name] = [numbered(thing.name, n) for n in range(1, instances + 1)]
            tags, text = self._shown_tags(thing), self._shown_description(thing)
            objects += [WorldObject(n, "item", tags=tags, description=text) for n in names[thing.name]]
        self._instances = names
        spread = self.shuffled(COUNTERS)[: int(self.rng.integers(2, 4))]
        locations = {}
        for o in objects:
            draw = self.rng.random()
            drawer = self.choose(self.world.names_of_kind("drawer"))
            locations[o.name] = drawer if draw < 0.1 else "user" if draw < 0.12 else self.choose(spread)
        if self.rng.random() < 0.4:
            locations[self.choose(list(locations))] = HAND
        robot_at = self.choose((*self.world.names_of_kind("surface|person"), ""))
        opened = frozenset(d for d in self.world.names_of_kind("drawer") if self.rng.random() < 0.08)
        self.start = SymbolicState.of(replace(self.world, objects=tuple(objects)), locations, robot_at, opened)

    def with_made_up_name(self, thing: Thing) -> Thing:
        """Return the thing under a made-up name."""
        name = made_up_name(self.rng)
        return Thing(name, thing.tags, thing.description, (name,))

    def _with_tag_synonyms(self, things: Sequence[Thing]) -> list[Thing]:
        """Give some of the tags other names in this scene: the prompt says how its tags are called."""
        names = self._draw_tag_names({tag for thing in things for tag in thing.tags})
        self.tags = {names[tag]: phrases for tag, phrases in self.source.phrases.items()}
        return [replace(thing, tags=tuple(names.get(tag, tag) for tag in thing.tags)) for thing in things]

    def _draw_tag_names(self, here: set[str]) -> dict[str, str]:
        """Return what each tag is called in a scene with the tags `here`; no two have the same name."""
        phrases = self.source.phrases
        names, taken = {tag: tag for tag in phrases}, set(phrases)
        for tag in (tag for tag in phrases if tag in here):
            synonyms = [word for word in phrases[tag]["synonyms"] if word not in taken]
            if synonyms and self.rng.random() < TAG_SYNONYM:
                names[tag] = self.choose(synonyms)
                taken.add(names[tag])
        return names

    def _shown_tags(self, thing: Thing) -> tuple[str, ...]:
        return tuple(self.shuffled(thing.tags) if self.rng.random() < 0.5 else thing.tags)

    def _shown_description(self, thing: Thing) -> str:
        return thing.description if self.rng.random() < 0.8 else ""

    # What is there.

    def instances(self, thing: Thing) -> tuple[str, ...]:
        """Return the names of a thing's instances."""
        return tuple(self._instances[thing.name])

    def tagged(self, *tags: str, without: str = "") -> tuple[str, ...]:
        """Return the instances of things that have all of some tags, and not another."""
        found = [t for t in self.things if all(tag in t.tags for tag in tags) and without not in t.tags]
        return tuple(name for t in found for name in self._instances[t.name])

    def other_tags(self, tag: str) -> set[str]:
        """Return what else things with a tag are tagged with."""
        return {other for t in self.things if tag in t.tags for other in t.tags if other != tag}

    # Random choices.

    def choose(self, choices: Sequence[Any]) -> Any:
        """Draw one of `choices`. Raises SampleRejectedError if there is none."""
        if not len(choices):
            raise SampleRejectedError
        return choices[int(self.rng.integers(len(choices)))]

    def shuffled(self, items: Sequence[Any]) -> list[Any]:
        """Return the items in random order."""
        return [items[i] for i in self.rng.permutation(len(items))]

    def draw_target(self) -> Thing:
        """Draw a thing of the scene to speak about; outside training one that is new, where there is one."""
        new = [t for t in self.things if t in self.source.targets] if self.split != "train" else self.things
        thing: Thing = self.choose(new if new and self.rng.random() < 0.7 else self.things)
        return thing

    def draw_tag(self, use: str) -> str:
        """Draw a tag that something in the scene has and for which there are phrases of this use."""
        here = {tag for t in self.things for tag in t.tags}
        known = [t for t in self.tags if t in here and self.tags[t][use]]
        if self.split != "train" and self.rng.random() < 0.5:
            new = [t for t in known if t in tag_phrases(self.split)]
            known = new or known
        return str(self.choose(known))

    # Words.

    def frame(self, frames: Frames, skip: int = 0) -> str:
        """Draw a frame of this split; half of the time development and test use one of training.

        The first `skip` of training, the plainest, are left out.
        """
        split = "train" if self.rng.random() < 0.5 else self.split
        return str(self.choose(frames.of(split)[skip if split == "train" else 0 :]))

    def place_name(self, place: str) -> str:
        """Draw a way to name a place or a drawer."""
        return self.frame({**SURFACES, **DRAWERS}[place])

    def thing_name(self, thing: Thing, alias: float = 0.0) -> str:
        """Draw a way to name a thing, with its article; by an alias with that probability."""
        name = self.choose(thing.aliases) if thing.aliases and self.rng.random() < alias else thing.name
        return f"{self.choose(('the', 'the', article(name)))} {name}"

    def phrase(self, tag: str, use: str) -> str:
        """Draw a phrase for a tag; outside training one of the split's own."""
        return str(self.choose(phrases_of_split(self.tags[tag][use], self.split)))

    def noun(self, tag: str) -> str:
        """Draw a noun for things with a tag; what one of several here is called does not stand for the others."""
        tagged = [t for t in self.things if tag in t.tags]
        names = {name for t in tagged for name in (t.name, *t.aliases)} if len(tagged) > 1 else set()
        return str(self.choose([noun for noun in self.tags[tag]["nouns"] if noun not in names]))

    def adjective(self, tag: str) -> str:
        """Draw a word for a tag that can stand before a noun: what stands before "thing" among the tag's nouns."""
        pairs = [noun.split() for noun in self.tags[tag]["nouns"] if noun.count(" ") == 1]
        return str(self.choose([word for word, of_what in pairs if of_what in _THINGS]))
