import numpy as np
import pytest

from fmrl_ros.bench.perception.result import Result, balanced_accuracy
from fmrl_ros.learning.perception.evaluation import Sighting


def sighting(visible=1.0, detected=True, error=0.001, cut_off=False):
    offset = np.array([error, 0.0, 0.0]) if detected else np.full(3, np.nan)
    return Sighting("block", visible, detected, offset, 0.0, 0.9, cut_off)


def result(*sightings, **relations):
    return Result("embedded", "both", "own", sightings, relations)


def test_balanced_accuracy_weighs_rare_truths_as_much_as_common_ones():
    assert balanced_accuracy([(True, True), (False, False), (False, False), (True, False)]) == pytest.approx(0.8333)
    assert balanced_accuracy([(False, False)]) is None


def test_what_can_hardly_be_seen_need_not_be_found():
    seen = result(sighting(), sighting(detected=False), sighting(0.2, detected=False), sighting(cut_off=True))
    assert seen.found == (1, 2)


def test_a_report_far_off_or_of_something_hidden_is_wrong():
    assert result(sighting(), sighting(error=0.05), sighting(visible=0.0), sighting(detected=False)).right == (1, 3)


def test_position_errors_are_those_of_what_must_be_found_in_millimetres():
    assert result(sighting(error=0.002), sighting(0.1, error=0.5), sighting(detected=False)).distances == [2.0]


def test_predicates_without_a_true_fact_do_not_count():
    said = result(on=[(True, True), (False, False)], open=[(True, True), (True, False)], full=[(False, False)])
    assert said.relations_mean == 0.75 and said.row()["relations_by_predicate"]["full"] is None
