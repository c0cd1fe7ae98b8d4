"""Colours for a world's objects: those that training draws, and those that it never shows."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.worlds.world import World

Array = NDArray[np.float64]

HELD_OUT_HUES = ((0.04, 0.10), (0.45, 0.52), (0.74, 0.82))
"""Hues that nothing in a training scene has: about orange, turquoise and purple."""
UNSEEN = ((0.92, 0.45, 0.08), (0.10, 0.72, 0.70), (0.50, 0.18, 0.72), (0.92, 0.38, 0.62))
"""Orange, turquoise, purple and pink: no training scene has the first three, and pink only nearly."""
_HUES_APART = 0.085
_GREYS_AND_BROWN = ((0.15, 0.15, 0.15), (0.5, 0.5, 0.5), (0.9, 0.9, 0.9), (0.4, 0.26, 0.15))
_LEAST_DISTANCE = 0.5
"""A distractor's colour is at least this far from every object's, in [0, 1] RGB: it must not look like one."""


def draw_palette(colors: Array, rng: np.random.Generator) -> Array:
    """Return new colours, shape [objects, 3]; objects that had the same colour have the same new one."""
    groups = np.unique(colors, axis=0, return_inverse=True)[1].reshape(-1)
    hues: list[float] = []
    while len(hues) <= groups.max():
        hue = _draw_hue(rng)
        if all(min(abs(hue - h), 1 - abs(hue - h)) > _HUES_APART for h in hues):
            hues.append(hue)
    return np.array([_draw_vivid(hue, rng) for hue in hues])[groups]


def distractor_color(colors: Array, rng: np.random.Generator) -> Array:
    """Return a colour, shape [3], unlike those of the objects, shape [objects, 3].

    Distractors have every hue that objects have: were some hues theirs alone, they would be learned as background, and
    an object that is declared to have such a colour would be missed.
    """
    while True:
        plain = rng.random() < 0.3
        color = np.array(rng.choice(_GREYS_AND_BROWN) if plain else _draw_vivid(_draw_hue(rng), rng))
        if np.linalg.norm(colors - color, axis=1).min() > _LEAST_DISTANCE:
            return color


def _draw_hue(rng: np.random.Generator) -> float:
    """Draw a hue that is not held out."""
    while True:
        hue = rng.random()
        if not any(low < hue < high for low, high in HELD_OUT_HUES):
            return hue


def _draw_vivid(hue: float, rng: np.random.Generator) -> tuple[float, float, float]:
    return colorsys.hls_to_rgb(hue, rng.uniform(0.3, 0.62), rng.uniform(0.55, 1.0))


def recolored(world: World, colors: Sequence[tuple[float, float, float]]) -> World:
    """Return the world with other colours for its objects; those of the same colour have the same new one.

    Raises ValueError if there are fewer colours than the world has.
    """
    old = list(dict.fromkeys(entry.color for entry in world.objects))
    if len(colors) < len(old):
        raise ValueError(f"{len(colors)} colours for {len(old)} of world '{world.name}'")
    named = dict(zip(old, colors, strict=False))
    return replace(world, objects=tuple(replace(entry, color=named[entry.color]) for entry in world.objects))
