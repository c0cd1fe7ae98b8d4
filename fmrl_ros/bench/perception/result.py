"""What one method reported on a set of scenes, and how right that was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fmrl_ros.learning.perception.evaluation import VISIBLE, WRONG, Sighting, summary
from fmrl_ros.learning.perception.training_scenes import LabelledScene

Look = tuple[LabelledScene, ...]
"""A scene as one or more cameras see it."""


@dataclass(frozen=True)
class Result:
    """What one method reported on a set of scenes.

    Attributes:
      method: A backend or the baseline.
      cameras: Which looked: ``both`` or one's name.
      colors: ``own`` (the world's) or ``unseen``.
      sightings: Every object of every scene.
      relations: For each predicate what was said of each fact that could be judged, and whether it was so.
    """

    method: str
    cameras: str
    colors: str
    sightings: Sequence[Sighting]
    relations: Mapping[str, Sequence[tuple[bool, bool]]]

    @property
    def required(self) -> list[Sighting]:
        """The objects that must be found: those of which enough can be seen."""
        return [s for s in self.sightings if s.visible_fraction >= VISIBLE and not s.cut_off]

    @property
    def distances(self) -> list[float]:
        """Position errors of those that must be found and were, mm."""
        distances = (1e3 * s.distance for s in self.required if s.detected)
        return [distance for distance in distances if np.isfinite(distance)]

    @property
    def found(self) -> tuple[int, int]:
        """How many of those that must be found were, and how many there are."""
        return sum(s.detected for s in self.required), len(self.required)

    @property
    def right(self) -> tuple[int, int]:
        """How many reports are of a visible object close to its place, and how many reports there are."""
        reported = [s for s in self.sightings if s.detected]
        return sum(s.visible_fraction > 0 and s.distance < WRONG for s in reported), len(reported)

    @property
    def relations_by_predicate(self) -> dict[str, float | None]:
        """Balanced accuracy of each predicate's facts; None where all or none of them are true."""
        return {name: balanced_accuracy(pairs) for name, pairs in sorted(self.relations.items())}

    @property
    def relations_mean(self) -> float | None:
        """Mean balanced accuracy over the predicates that have one; None if none has."""
        known = [value for value in self.relations_by_predicate.values() if value is not None]
        return round(float(np.mean(known)), 4) if known else None

    def row(self) -> dict[str, Any]:
        """Return the row of the table and of the report's detail."""
        figures = {key: value for key, value in summary(self.sightings).items() if key != "bands"}
        return {
            "method": self.method,
            "cameras": self.cameras,
            "colours": self.colors,
            **figures,
            "relations": self.relations_mean,
            "relations_by_predicate": self.relations_by_predicate,
        }


def balanced_accuracy(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Return the mean of the shares of true and of false facts told rightly; pairs are (said, true).

    Returns:
      None if all facts are true, or none is.
    """
    said, true = np.array(pairs, bool).reshape(-1, 2).T
    if true.all() or not true.any():
        return None
    return round(float((said[true].mean() + (~said[~true]).mean()) / 2), 4)
