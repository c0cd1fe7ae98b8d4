import numpy as np
import pytest

from fmrl_ros.bench.intervals import difference_interval, quantile_interval


def test_a_quantile_s_interval_holds_the_true_one_nineteen_times_of_twenty():
    rng = np.random.default_rng(0)
    intervals = [quantile_interval(rng.random(400), 0.9) for _ in range(400)]
    assert np.mean([low <= 0.9 <= high for low, high in intervals]) > 0.93


def test_few_values_bound_their_quantile_by_the_least_and_the_greatest():
    assert quantile_interval([3.0, 1.0], 0.5) == (1.0, 3.0)
    assert quantile_interval([], 0.5) is None


def test_a_difference_of_rates_has_newcombe_s_interval():
    low, high = difference_interval((56, 70), (48, 80))  # the first example of his paper
    assert low == pytest.approx(0.0524, abs=1e-3) and high == pytest.approx(0.3339, abs=1e-3)
