import json
import math

import pytest

from fmrl_ros.learning.perception.judging import (
    Judged,
    Tally,
    by_mishap,
    calibrated,
    confidence_error,
    train_success_detector,
)
from fmrl_ros.learning.perception.recipe import JudgeTraining
from fmrl_ros.perception.ensemble import load_calibrations
from fmrl_ros.worlds.scene import Verdict


def judged(success, value, confidence=0.9, covered=None, mishap="none"):
    verdict = Verdict(value, confidence, "")
    return Judged("pick", "pick up the red block", success, verdict, covered or verdict, mishap, "feasible", 1)


def test_a_tally_counts_each_kind_of_answer():
    pairs = [(True, True)] * 8 + [(True, False)] * 2 + [(False, False)] * 3 + [(False, True)] + [(False, None)] * 2
    tally = Tally.of((success, Verdict(value, 0.9, "")) for success, value in pairs)
    assert (tally.right_true, tally.missed, tally.right_false, tally.believed, tally.unknown) == (8, 2, 3, 1, 2)
    assert tally.attempts == 16
    assert tally.balanced_accuracy == pytest.approx((0.8 + 0.75) / 2)
    assert tally.unknown_share == pytest.approx(2 / 16)
    low, high = tally.as_dict()["successes_told"]
    assert low < 0.8 < high


def test_without_failures_only_the_successes_count():
    assert Tally.of([(True, Verdict(True, 0.9, ""))]).balanced_accuracy == 1.0
    assert math.isnan(Tally.of([(True, Verdict(None, 0.0, ""))]).balanced_accuracy)


def test_calibration_takes_back_what_a_judge_is_too_sure_of():
    attempts = [judged(i % 10 != 0, True, 0.999) for i in range(200)]
    attempts += [judged(i % 10 == 0, False, 0.999) for i in range(200)]
    found = calibrated(attempts)
    probability = 1 / (1 + math.exp(-found.log_odds(Verdict(True, 0.999, ""))))
    assert probability == pytest.approx(0.9, abs=0.03)


def test_confidence_that_comes_true_has_no_error():
    assert confidence_error([judged(i < 9, True, 0.9) for i in range(10)]) == pytest.approx(0.0, abs=1e-6)
    assert confidence_error([judged(i < 5, True, 0.9) for i in range(10)]) == pytest.approx(0.4)


def test_mishaps_are_counted():
    rows = by_mishap([judged(True, True), judged(False, False, mishap="slip"), judged(False, True, mishap="slip")])
    assert rows["slip"] == {"attempts": 2, "failed": 2, "judged rightly": 1}


def test_a_training_in_miniature_leaves_calibrations_that_can_be_read(tmp_path):
    shares = []
    config = JudgeTraining(calibration=2, report=3, workers=1, skills=("press_button",))
    results = train_success_detector(tmp_path, config, lambda share, text: shares.append(share))
    assert shares == sorted(shares)
    assert load_calibrations(tmp_path / "calibrations.json").keys() == {results["judge"]}
    assert json.loads((tmp_path / "results.json").read_text())["verdicts"]["all"]["seen"]["attempts"] == 3
    assert "half covered" in (tmp_path / "README.md").read_text()
