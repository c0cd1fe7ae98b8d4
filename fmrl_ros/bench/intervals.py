"""Confidence intervals of what benchmarks measure, beside Wilson's for rates (`fmrl_ros.skills.calibration`)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fmrl_ros.skills.calibration import wilson_interval


def quantile_interval(values: Sequence[float], q: float) -> tuple[float, float] | None:
    """Return the 95 % interval of a quantile from order statistics, whatever the distribution; None without values.

    Args:
      values: Independent measurements.
      q: Which quantile, in [0, 1].
    """
    count = len(values)
    if not count:
        return None
    ordered = np.sort(values)
    spread = 1.96 * math.sqrt(count * q * (1 - q))
    low, high = math.floor(count * q - spread), math.ceil(count * q + spread)
    return float(ordered[max(low, 0)]), float(ordered[min(high, count - 1)])


def difference_interval(one: tuple[int, int], other: tuple[int, int]) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two success rates (Newcombe 1998, method 10).

    Args:
      one: Successes and trials of the rate that the other is taken from; at least one trial.
      other: Successes and trials of the other.
    """
    (low, high), (other_low, other_high) = wilson_interval(*one), wilson_interval(*other)
    rate, other_rate = one[0] / one[1], other[0] / other[1]
    least = rate - other_rate - math.hypot(rate - low, other_high - other_rate)
    most = rate - other_rate + math.hypot(high - rate, other_rate - other_low)
    return least, most
