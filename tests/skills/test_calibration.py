"""Calibration turns a critic's ranking into probabilities."""

import numpy as np

from fmrl_ros.skills.calibration import (
    area_under_curve,
    expected_calibration_error,
    fit_platt,
    wilson_interval,
)


def test_platt_recovers_the_map_that_made_the_outcomes():
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 2, 20_000)
    outcomes = (rng.random(20_000) < 1 / (1 + np.exp(-(1.5 * logits - 0.7)))).astype(float)
    slope, offset = fit_platt(logits, outcomes)
    assert abs(slope - 1.5) < 0.1
    assert abs(offset + 0.7) < 0.1


def test_a_separable_set_has_a_finite_fit():
    slope, offset = fit_platt(np.array([-3.0, -2, 2, 3]), np.array([0.0, 0, 1, 1]))
    assert 0 < slope < 100
    assert np.isfinite(offset)


def test_a_perfect_forecast_has_no_calibration_error_and_a_confident_wrong_one_has():
    outcomes = np.array([0.0, 1, 1, 0])
    assert expected_calibration_error(outcomes, outcomes) == 0
    assert expected_calibration_error(1 - outcomes, outcomes) == 1


def test_auc_counts_ties_half():
    assert area_under_curve(np.array([0.1, 0.9]), np.array([0.0, 1])) == 1
    assert area_under_curve(np.array([0.5, 0.5]), np.array([0.0, 1])) == 0.5


def test_wilson_interval_stays_inside_0_and_1():
    assert wilson_interval(0, 0) == (0.0, 1.0)
    low, high = wilson_interval(200, 200)
    assert 0.97 < low < 1
    assert np.isclose(high, 1)
