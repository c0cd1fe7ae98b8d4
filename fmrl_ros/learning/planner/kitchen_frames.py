"""How people say what they want in a kitchen: sentence frames by what is asked for, and names of places.

They are in ``kitchen_frames.yaml``. Training, development and test have frames of their own. In a frame ``{x}`` and
``{y}`` stand for things, ``{l}`` and ``{m}`` for places, ``{d}`` for a drawer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from fmrl_ros.learning.planner.instructions import Split


@dataclass(frozen=True)
class Frames:
    """Ways to say one thing, by split; the first of training is the plainest."""

    train: tuple[str, ...]
    dev: tuple[str, ...]
    test: tuple[str, ...]

    def of(self, split: Split) -> tuple[str, ...]:
        """Return those of a split."""
        return {"train": self.train, "dev": self.dev, "test": self.test}[split]


_TREE: dict[str, Any] = yaml.load(
    Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"),
    Loader=yaml.CSafeLoader,  # safe_load takes eight times as long
)


def _split(tree: dict[str, list[str]]) -> Frames:
    return Frames(tuple(tree["train"]), tuple(tree["dev"]), tuple(tree["test"]))


def _frames(name: str) -> Frames:
    return _split(_TREE[name])


def _by_place(name: str) -> dict[str, Frames]:
    return {place: _split(tree) for place, tree in _TREE[name].items()}


FETCH = _frames("fetch")
"""{x} to the user."""
MOVE = _frames("move")
"""{x} onto the surface {l}."""
TRASH = _frames("trash")
"""{x} into the trash can."""
STOW = _frames("stow")
"""{x} into the drawer {d}."""
PICK = _frames("pick")
"""{x} into the hand."""
FIND = _frames("find")
"""The robot to {x}."""
GO = _frames("go")
"""The robot to {l}."""
OPEN = _frames("open")
"""The drawer {d}."""
CLOSE = _frames("close")
"""The drawer {d}."""
RELEASE = _frames("release")
"""{x} out of the hand."""
HELD_TO = _frames("held_to")
"""What is in the hand onto {l}."""
HAND_OVER = _frames("hand_over")
"""What is in the hand to the user."""
THROW_IT = _frames("throw_it")
"""What is in the hand into the trash can."""
SOMETHING = _frames("something")
"""A thing that fits {s}."""
CALLED_FOR = _frames("called_for")
"""A thing that the remark {s} calls for."""
NOT = _frames("not")
"""{a}, a {a0}, but not {b}."""
WITHOUT = _frames("without")
"""{a} that is no {t}."""
NOTHING = _frames("nothing")
"""{a}, but not a thing that fits {s}."""
CANNOT_HAVE = _frames("cannot_have")
"""What fits {s} is not wanted in the request {do}."""
AS_WELL = _frames("as_well")
"""The request {do}, and the same with {y}."""
AND_SHUT = _frames("and_shut")
"""The request {do}, which is about a drawer, and to close that."""
ALL = _frames("all")
"""All {k}; {k1} is their singular."""
JOIN = _frames("join")
"""Two requests."""
JOIN3 = _frames("join3")
"""Three requests."""
ABOUT = _frames("about")
"""A remark on {x}, and what to {do} with it."""
THEM = _frames("them")
"""The same for several things."""
CANNOT_STAND = _frames("cannot_stand")
"""{b} is not wanted in the request {do}."""
EVERYTHING_AT = _frames("everything_at")
"""All things at {l} to {m}."""
IMPOSSIBLE = _frames("impossible")
"""What no skill does."""
DEED = tuple(_TREE["deed"])
"""{v}, which no skill does, to {x}, perhaps with {y}; for training alone."""
ON_TOP = _frames("on_top")
"""Where a thing is: on {l}."""
INSIDE = _frames("inside")
"""Where a thing is: in {l}."""
BESIDE = _frames("beside")
"""{x} to where {y} is."""
SURFACES = _by_place("surfaces")
"""Names of places and people, by place."""
DRAWERS = _by_place("drawers")
"""Names of drawers."""


def heard_words() -> set[str]:
    """Return the words of all frames but training's for what no skill does."""
    several = {name: frames for name, frames in globals().items() if isinstance(frames, Frames)}
    said = [s for name, f in several.items() for s in (*f.dev, *f.test, *(() if name == "IMPOSSIBLE" else f.train))]
    return {word for sentence in said for word in re.findall("[a-z]+", sentence)}
