"""Every method is reported beside the colour thresholds, with the verdicts where attempts were judged."""

import numpy as np
import pytest

from fmrl_ros.bench.perception.benchmark import Measurement, PerceptionBenchmark
from fmrl_ros.bench.perception.report import as_tables, report
from fmrl_ros.bench.perception.result import Result
from fmrl_ros.learning.perception.evaluation import Sighting
from fmrl_ros.learning.perception.judging import Judged
from fmrl_ros.worlds.scene import Verdict


def sightings(found):
    errors = [np.array([0.001, 0.0, 0.0]) if i < found else np.full(3, np.nan) for i in range(10)]
    return [Sighting("block", 1.0, i < found, error, 0.0, 0.9) for i, error in enumerate(errors)]


def verdict(value):
    return Verdict(value, 0.9, "")


def measurement(judged=()):
    facts = {"on": [(True, True), (False, False)]}
    results = [Result("embedded", "both", "own", sightings(9), facts)]
    results += [Result("colour thresholds", "both", "own", sightings(5), facts)]
    times = {"embedded": {"2 cameras": {"median_ms": 20.0, "p99_ms": 30.0, "frames": 40}}}
    robots = {"embedded": {"2 robots": {"one_after_the_other_ms": 40.0, "together_ms": 30.0, "ratio": 1.33}}}
    return Measurement(PerceptionBenchmark(), results, times, robots, judged)


def figures(measured):
    return {figure.name: figure for figure in report(measured).figures}


def test_a_backend_stands_beside_the_colour_thresholds():
    found = figures(measurement())
    assert found["embedded/both cameras/own colours/found"].value == 0.9
    assert found["embedded/both cameras/own colours/found"].baseline == 0.5
    assert found["colour thresholds/both cameras/own colours/found"].baseline is None
    assert found["embedded/both cameras/own colours/position p95"].value == pytest.approx(1.0)
    assert found["embedded/both cameras/own colours/relations"].value == 1.0
    assert found["embedded/2 cameras/time p99"].value == 30 and found["embedded/2 robots/time together"].baseline == 40


def test_verdicts_are_reported_only_where_attempts_were_judged():
    judged = [Judged("pick", "", True, verdict(True), verdict(None), "", "", 0)] * 3
    judged += [Judged("pick", "", False, verdict(False), verdict(False), "", "", 0)]
    found = figures(measurement(judged))
    assert found["embedded/verdicts seen freely/balanced accuracy"].value == 1.0
    assert found["embedded/verdicts half covered/unknown"].value == 0.75
    assert not [name for name in figures(measurement()) if "verdicts" in name]
    assert len(list(as_tables(measurement(judged)))) == 4 and len(list(as_tables(measurement()))) == 3


def test_the_detail_has_what_every_method_made_of_the_scenes():
    detail = report(measurement()).detail
    assert [row["method"] for row in detail["methods"]] == ["embedded", "colour thresholds"]
    assert detail["verdicts"] is None
