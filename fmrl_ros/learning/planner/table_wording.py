"""How people say things at the table: sentence frames by what is asked for, and words by what they mean.

They are in ``table_wording.yaml``. Training, development and test have frames of their own; words are shared. In a
frame ``{a}`` and ``{b}`` stand for blocks; ``{l}`` and ``{m}`` for where they go, ``{x}`` and ``{y}`` for the same with
a preposition of motion ("into the blue bowl"), ``{at}`` and ``{at2}`` with one of rest ("in the blue bowl"); ``{do}``,
``{do2}`` and ``{do3}`` for whole requests; ``{if}`` and ``{not}`` for a condition and its opposite; ``{l1}`` and
``{ls}`` for a kind, in the singular and the plural. Other slots are words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from fmrl_ros.learning.planner.training_data import load_training_data

FILE = "table_wording.yaml"


def section(name: str) -> Mapping[str, Any]:
    """Return a section of the file. Raises TrainingDataError if the file is missing."""
    return load_training_data(FILE)[name]


def words(slot: str) -> Sequence[str]:
    """Return the words for a slot. Raises TrainingDataError if the file is missing."""
    return section("words")[slot]


def is_command(sentence: str) -> bool:
    """True if a sentence or a frame begins with a command, before which "please" or "could you" can stand."""
    return re.split(r"[ ,.;:]", sentence)[0].strip("{}") in _commands()


@cache
def _commands() -> frozenset[str]:
    verbs = [verb for slot in ("put", "pick", "push", "commands") for verb in words(slot)]
    for key in ("no skill", "impossible verb"):
        verbs += [frame for frames in section("frames")[key].values() for frame in frames]
    return frozenset(verb.split()[0] for verb in verbs)
