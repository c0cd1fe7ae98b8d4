"""What generated worlds are made of: kinds of things, and what can be done with them, out of ``world_parts.yaml``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from fmrl_ros.learning.planner.sentences import Split
from fmrl_ros.learning.planner.training_data import load_training_data

FILE = "world_parts.yaml"
_NO_COMMANDS = {"the", "i", "it", "we", "there", "nobody", "something", "how", "what", "{a}", "{b}", "no", "nothing"}
"""First words of frames that are no commands."""


@dataclass(frozen=True)
class State:
    """What a skill leads to, and how people ask for it.

    Attributes:
      phrase: The skill's.
      words: What is true then, behind the thing of which it is: ``tight``, ``plugged into``.
      frames: All sentences, of which the last is of the test and the one before it of development.
    """

    phrase: str
    words: str
    frames: tuple[str, ...]

    @property
    def predicate(self) -> str:
        """Its predicate's name."""
        return "".join(letter if letter.isalnum() else "_" for letter in self.words)

    def asked(self, split: Split, commands: bool) -> Sequence[str]:
        """Return the frames of a split, or of those that are commands."""
        own = {"train": self.frames[:-2], "dev": self.frames[-2:-1], "test": self.frames[-1:]}[split]
        return [frame for frame in own if frame.split()[0] not in _NO_COMMANDS] if commands else own


@dataclass(frozen=True)
class Ability:
    """What can be done with things.

    Attributes:
      kinds: For each argument the kinds of things that may fill it.
      done: What it leads to.
      undone: The opposite, if a skill leads to that.
    """

    kinds: tuple[tuple[str, ...], ...]
    done: State
    undone: State | None

    @property
    def states(self) -> tuple[State, ...]:
        """Both, or the one that there is."""
        return (self.done, self.undone) if self.undone else (self.done,)

    @property
    def held_out(self) -> bool:
        """True if no world of training has it."""
        return sum(map(ord, self.done.phrase)) % 7 == 3


@cache
def abilities() -> tuple[Ability, ...]:
    """Return all that can be done. Raises TrainingDataError if the file is missing."""
    return tuple(_ability(entry) for entry in load_training_data(FILE)["abilities"])


def _ability(entry: Mapping[str, str]) -> Ability:
    kinds = tuple(tuple(kind.strip() for kind in either.split(",")) for either in entry["of"].split("/"))
    states = [_state(entry[key], entry[ask]) for key, ask in (("done", "ask"), ("undone", "back")) if key in entry]
    return Ability(kinds, states[0], states[1] if len(states) > 1 else None)


def _state(said: str, frames: str) -> State:
    phrase, words = listed(said)
    return State(phrase, words, tuple(listed(frames)))


@cache
def things(section: str) -> Mapping[str, Sequence[tuple[str, str]]]:
    """Return the things of each kind of a section (``movable``, ``fixed``), each with what is known of it."""
    return {kind: [_thing(said) for said in listed(text)] for kind, text in load_training_data(FILE)[section].items()}


def _thing(said: str) -> tuple[str, str]:
    name, _, known = said.partition(" = ")
    return name, known


@cache
def receivers() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return what things can be ``in``, ``on`` and ``at``, by kinds."""
    parts = load_training_data(FILE)
    held = {"in": parts["containers"], "on": parts["surfaces"], "at": {"place": parts["spots"]}}
    return {relation: {kind: listed(text) for kind, text in kinds.items()} for relation, kinds in held.items()}


@cache
def listing(section: str) -> Sequence[str]:
    """Return the words of a section (``colours``, ``features``)."""
    return listed(load_training_data(FILE)[section])


@cache
def carrying(skill: str) -> Sequence[str]:
    """Return the phrases of a skill that moves things (``pick``, ``in``, ``on``, ``at``)."""
    return listed(load_training_data(FILE)["carrying"][skill])


def listed(text: str) -> list[str]:
    """Return what stands between the bars of a text."""
    return [part.strip() for part in text.split(" | ")]
