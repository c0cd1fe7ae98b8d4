from dataclasses import dataclass

import pytest
from worlds_seen import WORLD, scene

from fmrl_ros.perception.backends.backend import BackendError, Observation
from fmrl_ros.perception.ensemble import Calibration, Ensemble, load_calibrations
from fmrl_ros.worlds.scene import Verdict

PICK = WORLD.skill("pick up the red block")
NOW = Observation(scene())


@dataclass
class Says:
    name: str
    verdict: Verdict | None

    def judge(self, skill, before, after):
        if self.verdict is None:
            raise BackendError(f"{self.name} is away")
        return self.verdict


def says(value, confidence=0.9, name="one"):
    return Says(name, Verdict(value, confidence, f"{name} says {value}"))


def judged(*judges, **settings):
    return Ensemble(judges, **settings).judge(PICK, NOW, NOW)


def test_judges_that_agree_are_surer_together():
    verdict = judged(says(True, 0.8), says(True, 0.8, "two"))
    assert verdict.value is True and verdict.confidence == pytest.approx(0.64 / 0.68, abs=1e-3)
    assert verdict.reason == "one says True"


def test_the_surer_of_two_that_disagree_decides_and_equals_do_not_know():
    assert judged(says(True, 0.99), says(False, 0.7, "two")).value is True
    assert judged(says(True, 0.99), says(False, 0.7, "two")).reason == "one says True"
    even = judged(says(True, 0.9), says(False, 0.9, "two"))
    assert even.value is None and "disagree" in even.reason


def test_a_judge_that_does_not_know_or_fails_changes_nothing():
    alone = judged(says(False, 0.9))
    for other in (says(None, 0.0, "two"), Says("two", None)):
        together = judged(says(False, 0.9), other)
        assert together.value == alone.value and together.reason.startswith(alone.reason)
        assert together.confidence == pytest.approx(alone.confidence)
    assert judged(says(False, 0.9), says(None, 0.0, "two")).reason == alone.reason


def test_a_judge_that_fails_is_named_in_the_verdict_and_for_as_long_as_it_fails():
    two = Says("two", None)
    together = Ensemble([says(False, 0.9), two])
    assert together.judge(PICK, NOW, NOW).reason == "one says False; two did not judge (two is away)"
    assert together.failing == {"two": "two is away"}
    two.verdict = Verdict(False, 0.9, "two says False")
    assert together.judge(PICK, NOW, NOW).reason == "one says False" and together.failing == {}
    assert judged(Says("two", None)).reason == "two did not judge (two is away)"


def test_when_nobody_knows_the_verdict_is_unknown_and_says_why():
    verdict = judged(says(None, 0.0), Says("two", None))
    assert verdict.value is None and verdict.confidence == 0.0
    assert "one says None" in verdict.reason and "two is away" in verdict.reason
    assert judged().value is None


@pytest.mark.parametrize("text", [None, "slope", "[1]", '{"one": {"slop": 1}}', '{"one": {"slope": "steep"}}'])
def test_a_file_that_is_no_calibration_is_named_with_the_form(tmp_path, text):
    file = tmp_path / "calibration.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(ValueError, match=r"calibration\.json: .*slope"):
        load_calibrations(file)


def test_calibration_tames_a_judge_that_is_too_sure(tmp_path):
    braggart = says(True, 0.999, "braggart")
    file = tmp_path / "calibration.json"
    file.write_text('{"braggart": {"slope": 0.1, "offset": -0.2}}')
    calibrations = load_calibrations(file)
    assert calibrations == {"braggart": Calibration(0.1, -0.2)}
    assert judged(braggart).confidence > 0.99
    assert judged(braggart, calibrations=calibrations).confidence < 0.65
    assert judged(braggart, says(False, 0.8), calibrations=calibrations).value is False
