"""What several cameras found at one time, as one finding an object."""

from __future__ import annotations

import cmath
import math
from collections import Counter
from collections.abc import Iterable, Sequence

from fmrl_ros.perception.detection import Detection

MAX_DISTANCE = 0.03
"""Two cameras that see an object further apart do not see the same thing, m."""
MAX_CONFIDENCE = 0.999
"""A greater confidence counts as this: no camera alone decides against all others."""
MIN_CONTESTED_CONFIDENCE = 0.5
"""Of findings that contradict one another, one of a lower probability than this is not reported."""
SHARED_ERROR_PROBABILITY = 0.1
"""Probability that a second camera is mistaken in the same way as the first: what looks alike does so to both."""


def fuse(seen: Iterable[Sequence[Detection]], symmetry: int = 4) -> tuple[Detection, ...]:
    """Return one detection of each name; of names that are `ambiguous` none.

    Of those that agree, positions and yaws are averaged, weighted by confidence and visible share; that they agree
    speaks for them. Of those that contradict one another at most one is right: the most likely is reported, and none if
    that is more likely wrong than right.

    Args:
      seen: For each camera what it found, base frame.
      symmetry: Yaw is known up to a turn of 2 pi over this.
    """
    seen = [tuple(found) for found in seen]
    doubtful = ambiguous(seen)
    fused = (_fused(several, symmetry) for name, several in _by_name(seen).items() if name not in doubtful)
    return tuple(detection for detection in fused if detection is not None)


def ambiguous(seen: Iterable[Sequence[Detection]]) -> tuple[str, ...]:
    """Return the names that one camera found more than once: which thing is meant cannot be known."""
    counts = [Counter(detection.name for detection in found) for found in seen]
    return tuple(dict.fromkeys(name for count in counts for name, times in count.items() if times > 1))


def confirmed(seen: Sequence[Sequence[Detection]], min_confidence: float) -> list[tuple[Detection, ...]]:
    """Return for each camera its confident detections, and those that become confident because cameras agree.

    Args:
      seen: For each camera what it found, base frame.
      min_confidence: Least confidence of a detection, or of several that agree, in [0, 1].
    """
    kept = _confirmed_together(seen, min_confidence)
    return [tuple(d for d in found if d.confidence >= min_confidence or d in kept) for found in seen]


def _confirmed_together(seen: Sequence[Sequence[Detection]], min_confidence: float) -> list[Detection]:
    """Return the detections of too little confidence, of names that no camera is sure of, that agree and suffice."""
    sure = {detection.name for found in seen for detection in found if detection.confidence >= min_confidence}
    doubtful = _by_name(_best_of_each(found) for found in seen)
    agreeing = [_agreeing(several) for name, several in doubtful.items() if name not in sure]
    return [detection for several in agreeing if _joint(several) >= min_confidence for detection in several]


def _best_of_each(found: Iterable[Detection]) -> list[Detection]:
    """Return of each name that one camera found the detection of the greatest weight."""
    return list({d.name: d for d in sorted(found, key=_weight)}.values())


def _by_name(seen: Iterable[Iterable[Detection]]) -> dict[str, list[Detection]]:
    """Return for each name its detections by all cameras."""
    by_name: dict[str, list[Detection]] = {}
    for found in seen:
        for detection in found:
            by_name.setdefault(detection.name, []).append(detection)
    return by_name


def _agreeing(several: Sequence[Detection]) -> list[Detection]:
    """Return those of a thing's detections that put it at one place, the most likely one."""
    groups = ([d for d in several if math.dist(d.position, one.position) <= MAX_DISTANCE] for one in several)
    return max(groups, key=_joint)


def _joint(agreeing: Sequence[Detection]) -> float:
    """Return the confidence of cameras that agree: all are right, or all are mistaken in the same way."""
    confidences = [min(d.confidence, MAX_CONFIDENCE) for d in agreeing]
    right = math.prod(confidences)
    mistaken = math.prod(1 - c for c in confidences) * SHARED_ERROR_PROBABILITY ** (len(agreeing) - 1)
    return right / (right + mistaken)


def _fused(several: list[Detection], symmetry: int) -> Detection | None:
    """Return several cameras' detections of one thing as one, or None where they contradict one another too much."""
    if len(several) == 1:
        return several[0]
    agreeing = _agreeing(several)
    contradicting = [d for d in several if d not in agreeing]
    confidence = _joint(agreeing)
    for other in contradicting:
        confidence = _exclusive(confidence, min(other.confidence, MAX_CONFIDENCE))
    if contradicting and confidence < MIN_CONTESTED_CONFIDENCE:
        return None
    weights = [_weight(d) for d in agreeing]
    return Detection(
        several[0].name,
        _mean_position(agreeing, weights),
        _mean_yaw(agreeing, weights, symmetry),
        confidence,
        max(d.visible_fraction for d in agreeing),
        _mean([d.state for d in agreeing], weights),
    )


def _mean(values: Iterable[float], weights: Sequence[float]) -> float:
    return sum(w * value for w, value in zip(weights, values, strict=True)) / sum(weights)


def _mean_position(agreeing: Sequence[Detection], weights: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = (_mean(axis, weights) for axis in zip(*(d.position for d in agreeing), strict=True))
    return x, y, z


def _mean_yaw(agreeing: Sequence[Detection], weights: Sequence[float], symmetry: int) -> float:
    """Return the circular mean of yaws that are known up to a turn of 2 pi over `symmetry`, rad; 0 of round things."""
    if not any(d.yaw for d in agreeing):
        return 0.0
    turned = sum(w * cmath.exp(1j * symmetry * d.yaw) for w, d in zip(weights, agreeing, strict=True))
    return cmath.phase(turned) / symmetry


def _weight(detection: Detection) -> float:
    return detection.confidence * max(detection.visible_fraction, 0.05) + 1e-6


def _exclusive(confidence: float, other: float) -> float:
    """Return the probability of the first where the two exclude one another."""
    alone, instead = confidence * (1 - other), other * (1 - confidence)
    return alone / (alone + instead + (1 - confidence) * (1 - other))
