"""Affordance calibration: from a critic's value to a probability of success, and how far that can be trusted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def fit_platt(
    logits: Array, successes: Array, iterations: int = 100, offset_precision: float = 1e-3
) -> tuple[float, float]:
    """Fit slope and offset of a logistic map by Newton's method on the regularised log-likelihood.

    Args:
      logits: Logits of the critic's values, shape [n].
      successes: Outcomes, 0 or 1, shape [n].
      iterations: Newton steps.
      offset_precision: How firmly the offset is believed to be 0 (inverse variance of a normal prior).

    Follows Platt (1999), with his smoothed targets, so that a separable set has a finite fit.
    """
    positives, negatives = successes.sum(), len(successes) - successes.sum()
    targets = np.where(successes > 0, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    features = np.stack([logits, np.ones_like(logits)], -1)
    weights = np.array([1.0, 0.0])
    ridge = np.array([1e-3, offset_precision])
    for _ in range(iterations):
        probability = 1 / (1 + np.exp(-features @ weights))
        gradient = features.T @ (probability - targets) + ridge * weights
        curvature = features.T @ (features * (probability * (1 - probability))[:, None]) + np.diag(ridge)
        weights = weights - np.clip(np.linalg.solve(curvature, gradient), -1, 1)
    return float(weights[0]), float(weights[1])


def reliability(probabilities: Array, successes: Array, bins: int = 10) -> list[tuple[float, float, int]]:
    """Return mean probability, success rate and count of every bin of equal width that is not empty."""
    which = np.minimum((probabilities * bins).astype(int), bins - 1)
    return [
        (float(probabilities[which == b].mean()), float(successes[which == b].mean()), int((which == b).sum()))
        for b in range(bins)
        if (which == b).any()
    ]


def expected_calibration_error(probabilities: Array, successes: Array, bins: int = 10) -> float:
    """Return the mean gap between predicted probability and success rate over equal-width bins, weighted by count."""
    gaps = [abs(mean - rate) * count for mean, rate, count in reliability(probabilities, successes, bins)]
    return float(sum(gaps) / len(probabilities))


def area_under_curve(scores: Array, successes: Array) -> float:
    """Return the probability that a success scores higher than a failure (ties count half); nan if one is absent."""
    good, bad = scores[successes > 0], scores[successes == 0]
    if not len(good) or not len(bad):
        return float("nan")
    difference = good[:, None] - bad[None, :]
    return float(np.mean((difference > 0) + 0.5 * (difference == 0)))


def wilson_interval(successes: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    """Return the Wilson score interval of a success rate; 95 % for the default `z`."""
    if trials == 0:
        return 0.0, 1.0
    rate = successes / trials
    centre = rate + z * z / (2 * trials)
    spread = z * np.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, float((centre - spread) / scale)), min(1.0, float((centre + spread) / scale))
