"""From the pixels that a network gave an object's label to hypotheses: what looks like that object, and where.

A label's pixels may show one thing, two that look alike, or something of another shape; geometry tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.perception.fitting import PoseFit, Surface, expected_area, fit_poses, quantile
from fmrl_ros.perception.view import Picture
from fmrl_ros.robot.camera import CameraModel
from fmrl_ros.worlds.world import WorldObject

MIN_PIXELS = 10
"""A label of fewer pixels gives no hypothesis."""
_MIN_SHARE_IN_PICTURE = 0.6
"""An object of which less is in the picture, cut off by its edge, has no reliable pose."""
_CERTAIN_PIXEL = 0.9
"""Pixels of a higher probability may belong to a second thing that looks like the first ..."""
_MIN_SECOND_SHARE = 0.5
"""... if there are so many of them, as a share of the first one's and of what such an object shows."""
_MAX_RESIDUAL_RATIO = 0.3
"""Of two things that look alike, one whose points lie so many times as close to the object's shape is the object."""
_MAX_BELOW_TABLE = 0.01
"""Below the table, the plane z = 0, by so much is nothing that stands on it, m."""
_MIN_BRIGHTNESS = 0.02
"""Brightness, in [0, 1], below which colours cannot be told apart."""


@dataclass(frozen=True)
class Patch:
    """Pixels that were given an object's label, row by row.

    Attributes:
      entry: The object.
      picture: The picture in which they are.
      labels: Those of all the picture's pixels, shape [height, width].
      pixels: Indices into the flattened picture, shape [n].
      points: What they show, m, base frame, shape [n, 3].
      probability: Probability of the label, shape [n].
    """

    entry: WorldObject
    picture: Picture
    labels: NDArray[np.uint8]
    pixels: NDArray[np.int_]
    points: NDArray[np.float64]
    probability: NDArray[np.float32]

    def part(self, chosen: NDArray[np.bool_]) -> Patch:
        """Return the chosen pixels."""
        pixels, points, probability = self.pixels[chosen], self.points[chosen], self.probability[chosen]
        return replace(self, pixels=pixels, points=points, probability=probability)


@dataclass(frozen=True)
class Hypothesis:
    """What looks like an object in one picture.

    Attributes:
      entry: The object.
      fit: Its pose.
      probability: Mean probability of the object's class over its pixels.
      visible_fraction: See `Detection`.
      pixels: Number of its pixels.
      brightness: Logarithm of how bright its pixels are over how bright the object's declared colour is.
      hue_error: Angle between its colour and the declared one in RGB space, rad: what light does not change.
    """

    entry: WorldObject
    fit: PoseFit
    probability: float
    visible_fraction: float
    pixels: int
    brightness: float
    hue_error: float


FEATURES = 10
"""How many `confidence_features` there are."""


def confidence_features(hypothesis: Hypothesis, others: Sequence[Hypothesis]) -> list[float]:
    """Return what the confidence is computed from.

    Args:
      hypothesis: What looks like an object.
      others: What looks like other objects in the same picture: they tell how bright the light is. A brown thing looks
        like an orange one in the dark, but not beside things in broad light.
    """
    shade = hypothesis.brightness - float(np.median([other.brightness for other in others])) if others else 0.0
    return [
        1.0,
        float(np.log(max(hypothesis.probability, 1e-3) / max(1.0 - hypothesis.probability, 1e-3))),
        min(hypothesis.visible_fraction, 1.0),
        min(hypothesis.visible_fraction, 0.3),
        float(np.log(hypothesis.pixels / 50)),
        min(1e3 * hypothesis.fit.residual, 8.0),
        min(hypothesis.visible_fraction, 1.0) * float(np.exp(-1e3 * hypothesis.fit.residual)),
        max(-shade, 0.0),
        max(shade, 0.0),
        hypothesis.hue_error,
    ]


def hypotheses_of(patches: Sequence[Patch]) -> list[list[Hypothesis]]:
    """Return for each label's pixels none, one or two hypotheses; all poses are fitted together."""
    largest = [_connected(patch) for patch in patches]
    firsts = _fitted(largest)
    return [
        [] if first is None else _best_of(first, _second(patch, kept, first))
        for patch, kept, first in zip(patches, largest, firsts, strict=True)
    ]


def _fitted(patches: Sequence[Patch]) -> list[Hypothesis | None]:
    """Return objects' poses from their pixels.

    None for one whose pixels are too few, that the picture's edge cuts, or that would be sunk in the table: another,
    flatter thing.
    """
    enough = [patch for patch in patches if len(patch.pixels) >= MIN_PIXELS]
    fits = fit_poses([Surface(p.entry.kind, p.entry.size, p.points, p.picture[2].pose[:2, 3]) for p in enough])
    hypotheses = iter([_hypothesis(patch, fit) for patch, fit in zip(enough, fits, strict=True)])
    return [next(hypotheses) if len(patch.pixels) >= MIN_PIXELS else None for patch in patches]


def _hypothesis(patch: Patch, fit: PoseFit) -> Hypothesis | None:
    entry, (color, _, camera), size = patch.entry, patch.picture, len(patch.pixels)
    if fit.position[2] < entry.size[2] / 2 - _MAX_BELOW_TABLE:
        return None
    area = expected_area(entry.kind, fit.position, fit.yaw, entry.size, camera)
    if size < _MIN_SHARE_IN_PICTURE * area and _touches_edge(patch.pixels, camera):
        return None
    seen, declared = np.median(color.reshape(-1, 3)[patch.pixels], 0) / 255, np.array(entry.color)
    likeness = seen @ declared / max(float(np.linalg.norm(seen) * np.linalg.norm(declared)), 1e-6)
    return Hypothesis(
        entry,
        fit,
        float(patch.probability.mean()),
        size / max(area, 1.0),
        size,
        float(np.log(max(seen.max(), _MIN_BRIGHTNESS) / max(declared.max(), _MIN_BRIGHTNESS))),
        float(np.arccos(np.clip(likeness, -1, 1))),
    )


def _second(patch: Patch, kept: Patch, first: Hypothesis) -> Hypothesis | None:
    """Return a second thing among the pixels of one label, away from the first, which was found in those kept."""
    apart = np.linalg.norm(patch.points - first.fit.position, axis=1) > 1.5 * max(patch.entry.size)
    if np.count_nonzero(apart & (patch.probability > _CERTAIN_PIXEL)) <= _MIN_SECOND_SHARE * len(kept.pixels):
        return None
    (second,) = _fitted([_connected(patch.part(apart))])
    return second if second is not None and second.visible_fraction > _MIN_SECOND_SHARE else None


def _best_of(one: Hypothesis, other: Hypothesis | None) -> list[Hypothesis]:
    """Return what looks like an object, one thing or two; the one that has its shape if the other has not."""
    if other is None:
        return [one]
    better, worse = sorted((one, other), key=lambda hypothesis: hypothesis.fit.residual)
    return [better] if better.fit.residual < _MAX_RESIDUAL_RATIO * worse.fit.residual else [one, other]


def _connected(patch: Patch) -> Patch:
    """Return the part of the label's most probable connected piece and of what lies within the object's reach of it."""
    pixels, points, entry, labels = patch.pixels, patch.points, patch.entry, patch.labels
    v, u = np.divmod(pixels, labels.shape[1])
    top, left = int(v[0]), int(u.min())
    around = labels[top : int(v[-1]) + 1, left : int(u.max()) + 1] == labels[v[0], u[0]]
    count, parts = cv2.connectedComponents(around.view(np.uint8), connectivity=8)
    kept = np.ones(len(pixels), bool)
    if count > 2:
        # Certain pixels count, doubtful ones do not: a large doubtful part is likely another thing.
        certainty = np.maximum(patch.probability - 0.5, 0.01)
        part = parts[v - top, u - left]
        kept = part == int(np.argmax(np.bincount(part, certainty)))
    reach = np.array([0.65, 0.65, 1.1]) * (entry.size if entry.kind == "bowl" else np.full(3, 1.15 * entry.size[0]))
    middle = quantile(points[kept], 0.5)
    offset = np.abs(points - middle)
    return patch.part((np.hypot(offset[:, 0], offset[:, 1]) < reach[0]) & (offset[:, 2] < reach[2]))


def _touches_edge(pixels: NDArray[np.int_], camera: CameraModel) -> bool:
    v, u = np.divmod(pixels, camera.width)
    return bool(v.min() == 0 or u.min() == 0 or v.max() == camera.height - 1 or u.max() == camera.width - 1)
