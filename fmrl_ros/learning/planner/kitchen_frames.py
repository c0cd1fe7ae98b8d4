"""How people say what they want in a kitchen: sentence frames by what is asked for, and names of places.

They are in ``kitchen_frames.yaml``. Training, development and test have frames of their own. In a frame ``{x}`` and
``{y}`` stand for things, ``{l}`` and ``{m}`` for places, ``{d}`` for a drawer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from fmrl_ros.learning.planner.sentences import Split
from fmrl_ros.learning.planner.training_data import load_training_data

FILE = "kitchen_frames.yaml"
_NOT_REQUESTS = ("unsupported_verb", "surfaces", "drawers")


@dataclass(frozen=True)
class Frames:
    """Ways to say one thing; the first of training is the plainest.

    Attributes:
      key: Where they stand in the file, which is read when they are first asked for.
      place: The place that they name, if they name one.
    """

    key: str
    place: str = ""

    def of(self, split: Split) -> tuple[str, ...]:
        """Return those of a split. Raises TrainingDataError if the file is missing."""
        return _frames(self.key, self.place, split)


@cache
def _frames(key: str, place: str, split: Split) -> tuple[str, ...]:
    tree: dict[str, Any] = load_training_data(FILE)[key]
    return tuple((tree[place] if place else tree)[split])


FETCH = Frames("fetch")
"""{x} to the user."""
MOVE = Frames("move")
"""{x} onto the surface {l}."""
TRASH = Frames("trash")
"""{x} into the trash can."""
STOW = Frames("stow")
"""{x} into the drawer {d}."""
PICK = Frames("pick")
"""{x} into the hand."""
FIND = Frames("find")
"""The robot to {x}."""
GO = Frames("go")
"""The robot to {l}."""
OPEN = Frames("open")
"""The drawer {d}."""
CLOSE = Frames("close")
"""The drawer {d}."""
RELEASE = Frames("release")
"""{x} out of the hand."""
HELD_TO_SURFACE = Frames("held_to_surface")
"""What is in the hand onto {l}."""
HELD_TO_USER = Frames("held_to_user")
"""What is in the hand to the user."""
HELD_TO_TRASH = Frames("held_to_trash")
"""What is in the hand into the trash can."""
NEED = Frames("need")
"""A thing that fits {s}."""
REMARK = Frames("remark")
"""A thing that the remark {s} calls for."""
WITHOUT_THING = Frames("without_thing")
"""{a}, a {a0}, but not {b}."""
WITHOUT_KIND = Frames("without_kind")
"""{a} that is no {t}."""
WITHOUT_PROPERTY = Frames("without_property")
"""{a}, but not a thing that fits {s}."""
DISLIKED_PROPERTY = Frames("disliked_property")
"""What fits {s} is not wanted in the request {do}."""
AS_WELL = Frames("as_well")
"""The request {do}, and the same with {y}."""
AND_CLOSE = Frames("and_close")
"""The request {do}, which is about a drawer, and to close that."""
ALL = Frames("all")
"""All {k}; {k1} is their singular."""
JOIN = Frames("join")
"""Two requests."""
JOIN3 = Frames("join3")
"""Three requests."""
ABOUT_IT = Frames("about_it")
"""A remark on {x}, and what to {do} with it."""
ABOUT_THEM = Frames("about_them")
"""The same for several things."""
DISLIKED_THING = Frames("disliked_thing")
"""{b} is not wanted in the request {do}."""
EVERYTHING_AT = Frames("everything_at")
"""All things at {l} to {m}."""
UNSUPPORTED = Frames("unsupported")
"""What no skill does."""
ON_TOP = Frames("on_top")
"""Where a thing is: on {l}."""
INSIDE = Frames("inside")
"""Where a thing is: in {l}."""
BESIDE = Frames("beside")
"""{x} to where {y} is."""
SURFACES = {
    place: Frames("surfaces", place) for place in ("close counter", "far counter", "table", "trash can", "user")
}
"""Names of places and people, by place."""
DRAWERS = {drawer: Frames("drawers", drawer) for drawer in ("top drawer", "middle drawer", "bottom drawer")}
"""Names of drawers."""


def unsupported_verb_frames() -> tuple[str, ...]:
    """Return frames of training for {v}, a verb that no skill does, to {x}, perhaps with {y}."""
    return tuple(load_training_data(FILE)["unsupported_verb"])


def request_words() -> set[str]:
    """Return the words of all frames but place names, and but training's for what no skill does."""
    frames = {name: tree for name, tree in load_training_data(FILE).items() if name not in _NOT_REQUESTS}
    splits = {name: ("dev", "test") if name == UNSUPPORTED.key else ("train", "dev", "test") for name in frames}
    sentences = (sentence for name, tree in frames.items() for split in splits[name] for sentence in tree[split])
    return {word for sentence in sentences for word in re.findall("[a-z]+", sentence)}
