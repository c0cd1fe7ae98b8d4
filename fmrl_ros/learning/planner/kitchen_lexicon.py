"""The lexicon of generated kitchen instructions: things, their tags, and what people say of them, by split.

It is ``kitchen_words.yaml``. Whole things and tags belong to development or test and are never trained on; of the
phrases for training's tags, the last of each list is the test's and the one before it development's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fmrl_ros.learning.planner.sentences import Split
from fmrl_ros.learning.planner.training_data import load_training_data
from fmrl_ros.worlds.world import World

FILE = "kitchen_words.yaml"

TagPhrases = dict[str, dict[str, list[str]]]
"""Phrases for each tag by their use: ``synonyms`` of the tag, ``nouns`` for things that have it, ``purposes``, which
complete "something ...", and ``remarks``, which call for such a thing."""

_HELD_OUT: tuple[Split, ...] = ("dev", "test")
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
class Lexicon:
    """What scenes are made of and what there is to say of it.

    Attributes:
      tags: Phrases for every tag.
      things: The things.
      unsupported_verbs: Verbs for what no skill does to them.
    """

    tags: TagPhrases
    things: list[Thing]
    unsupported_verbs: tuple[str, ...] = ()


def things(split: Split) -> list[Thing]:
    """Return the lexicon's things of a split."""
    lines = _file()["objects" if split == "train" else f"{split}_objects"]
    fields = [[field.strip() for field in line.split("|")] for line in lines]
    return [
        Thing(name, tuple(t.strip() for t in tags.split(",")), text, tuple(a.strip() for a in other.split(";")))
        for name, tags, text, other in fields
    ]


def tag_phrases(split: Split) -> TagPhrases:
    """Return the phrases for the tags that are of a split alone."""
    phrases: TagPhrases = _file()["tags" if split == "train" else f"{split}_tags"]
    return phrases


def world_things(world: World) -> list[Thing]:
    """Return a world's own things, one of each kind."""
    kinds = [o for o in world.objects if not o.name.rpartition(" ")[2].isdigit()]
    aliases = _file()["aliases"]
    return [Thing(o.name, o.tags, o.description, tuple(aliases.get(o.name, ()))) for o in kinds]


def held_out_words() -> set[str]:
    """Return what development's and test's own things and tags are called."""
    words = {name for split in _HELD_OUT for t in things(split) for name in (t.name, *t.aliases, *t.tags)}
    for split in _HELD_OUT:
        for tag, phrases in tag_phrases(split).items():
            words |= {tag, *phrases.get("synonyms", ()), *phrases["nouns"]}
    return words - set(tag_phrases("train"))


def made_up_name(rng: np.random.Generator) -> str:
    """Draw a name that is no word: what a thing of that name is can only be read in the prompt."""
    return "".join(_SYLLABLES[i] for i in rng.integers(len(_SYLLABLES), size=2))


def phrases_of_split(phrases: Sequence[str], split: Split) -> Sequence[str]:
    """Return the phrases of a split; fewer than three are everybody's."""
    if len(phrases) < 3:
        return phrases
    return {"train": phrases[:-2], "dev": phrases[-2:-1], "test": phrases[-1:]}[split]


def _file() -> dict[str, Any]:
    tree: dict[str, Any] = load_training_data(FILE)
    return tree
