"""What was planned rightly is reported by condition and by family, with what affordances are worth."""

import json

import pytest

from fmrl_ros.bench.plan.benchmark import PlanBenchmark, Result, Trial
from fmrl_ros.bench.plan.conditions import CONDITIONS, Condition, label
from fmrl_ros.bench.plan.report import as_table, by_family, report


def trials(successes, failures, family="need"):
    rights = [True] * successes + [False] * failures
    return [Trial(family, "bring me a drink", {}, ("done",), right, right, "", ()) for right in rights]


def figures(*results):
    return {figure.name: figure for figure in report(PlanBenchmark("kitchen", seed=40), results).figures}


def test_success_is_reported_for_a_condition_and_each_of_its_families():
    found = figures(Result(Condition("saycan"), [*trials(8, 2), *trials(1, 1, "verb")], 1.5))
    assert found["kitchen/saycan/success"].value == 0.75 and found["kitchen/saycan/success"].n == 12
    assert found["kitchen/saycan/need/success"].value == 0.8 and found["kitchen/saycan/verb/success"].value == 0.5
    assert found["kitchen/saycan/time an instruction"].value == 1.5
    assert found["kitchen/saycan/success"].baseline is None


def test_what_affordances_are_worth_is_a_difference_with_an_interval():
    found = figures(
        Result(Condition("saycan_blind", split="obstructed"), trials(12, 8)),
        Result(Condition("saycan_blind_no_affordance", split="obstructed"), trials(0, 20)),
        Result(Condition("saycan_blind_no_affordance"), trials(20, 0)),
    )
    gain = found["kitchen/saycan_blind on obstructed/gain by affordances"]
    assert gain.value == pytest.approx(60) and gain.unit == "points"
    low, high = gain.interval
    assert 30 < low < 60 < high < 80
    assert found["kitchen/saycan_blind on obstructed/success"].baseline == 0.0


def test_a_condition_without_instructions_has_no_figures():
    assert figures(Result(Condition("saycan"))) == {}


def test_the_detail_has_what_failed_and_the_settings_what_was_asked():
    written = report(PlanBenchmark("kitchen", seed=40), [Result(Condition("saycan"), trials(3, 1))])
    (row,) = written.detail["results"]
    assert row["overall"]["rate"] == 0.75 and len(row["failed"]) == 1 and written.settings["seed"] == 40


def test_neither_table_nor_json_shows_a_password_and_no_number_is_none():
    result = Result(Condition("saycan", "openai:m@http://alice:s3cret@host:1/v1"), trials(1, 1))
    written = json.dumps(report(PlanBenchmark(), [result]).as_json(), allow_nan=False)
    assert "s3cret" not in label(result.condition) + written and "openai:m@http://host:1/v1" in written


def test_tables_have_a_row_a_condition_and_a_row_a_family():
    result = Result(Condition("saycan"), [*trials(8, 2), *trials(1, 1, "verb")])
    assert as_table([result]).row_count == 1
    (families,) = by_family([result]).renderables
    assert families.row_count == 2
    assert sum(int(cell.partition("/")[0]) for cell in families.columns[1].cells) == 9


def test_many_conditions_stand_in_several_tables():
    assert len(by_family([Result(condition) for condition in CONDITIONS["kitchen"]]).renderables) == 7
