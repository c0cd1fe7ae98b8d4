"""What several cameras found at one time, as one finding an object."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Sequence

from fmrl_ros.perception.detection import Detection

APART = 0.03
"""Two cameras that see an object this far apart do not see the same thing, m."""
SURE = 0.999


def fuse(seen: Iterable[Sequence[Detection]], symmetry: int = 4) -> tuple[Detection, ...]:
    """Return one detection of each name.

    Of those that agree with the best one, positions and yaws are averaged, weighted by confidence and visible share;
    their errors are taken as independent. One that disagrees makes the best one doubtful: at most one is right.

    Args:
      seen: For each camera what it found, base frame, at most one a name.
      symmetry: Yaw is known up to a turn of 2 pi over this.
    """
    by_name: dict[str, list[Detection]] = {}
    for found in seen:
        for detection in found:
            by_name.setdefault(detection.name, []).append(detection)
    return tuple(_fused(several, symmetry) for several in by_name.values())


def _fused(several: list[Detection], symmetry: int) -> Detection:
    if len(several) == 1:
        return several[0]
    best = max(several, key=_weight)
    agreeing = [d for d in several if math.dist(d.position, best.position) <= APART]
    others = [d for d in several if d not in agreeing]
    weights = [_weight(d) for d in agreeing]
    total = sum(weights)
    x, y, z = (sum(w * d.position[i] for w, d in zip(weights, agreeing, strict=True)) / total for i in range(3))
    turned = sum(w * cmath.exp(1j * symmetry * d.yaw) for w, d in zip(weights, agreeing, strict=True))
    confidence = 1 - math.prod(1 - min(d.confidence, SURE) for d in agreeing)
    for other in others:
        confidence = _one_of_two(confidence, min(other.confidence, SURE))
    return Detection(
        best.name,
        (x, y, z),
        cmath.phase(turned) / symmetry if any(d.yaw for d in agreeing) else 0.0,
        confidence,
        max(d.visible_fraction for d in agreeing),
        sum(w * d.state for w, d in zip(weights, agreeing, strict=True)) / total,
    )


def _weight(detection: Detection) -> float:
    return detection.confidence * max(detection.visible_fraction, 0.05) + 1e-6


def _one_of_two(confidence: float, other: float) -> float:
    """Return the probability of the first where the two exclude one another."""
    alone, instead = confidence * (1 - other), other * (1 - confidence)
    return alone / (alone + instead + (1 - confidence) * (1 - other))
