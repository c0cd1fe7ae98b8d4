from fmrl_ros.learning.perception.judging import Judged, by_mishap, tallies
from fmrl_ros.learning.perception.judging_card import judging_card
from fmrl_ros.learning.perception.recipe import JudgeTraining
from fmrl_ros.worlds.scene import Verdict


def test_a_card_counts_the_mistakes_of_both_kinds_and_names_the_command():
    yes, no, unknown = (Verdict(value, 0.9, "") for value in (True, False, None))
    judged = [
        Judged("pick", "pick up the red block", success, verdict, unknown, mishap, "feasible", seed)
        for seed, (success, verdict, mishap) in enumerate(
            [(True, yes, "none"), (True, no, "none"), (False, yes, "slip"), (False, no, "slip")]
        )
    ]
    results = {
        "judge": "embedded", "date": "2026-01-02", "seed": 3, "calibration_attempts": 7, "confidence_error": 0.02,
        "verdicts": tallies(judged), "mishaps": by_mishap(judged),
    }  # fmt: skip
    card = judging_card(JudgeTraining(calibration=50, report=150), results)
    assert "`fmrl train success-detector --calibration 50 --report 150`" in card
    assert "Date: 2026-01-02. Seed: 3." in card and "Results on 4 fresh attempts, 2 of them failed" in card
    assert "| pick | seen | 4 | 50.0 % | 0.0 % | 1 | 1 |" in card
    assert "| pick | half covered | 4 |  | 100.0 % | 0 | 0 |" in card
    assert "| slip | 2 | 2 | 1 |" in card
