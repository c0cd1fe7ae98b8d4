import json

import numpy as np
import pytest

from fmrl_ros.bench.perception.benchmark import PerceptionBenchmark, run
from fmrl_ros.bench.perception.report import as_tables, report


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    return run(PerceptionBenchmark(scenes=6, seed=123, pictures=tmp_path_factory.mktemp("pictures")))


def test_every_method_looks_through_every_camera_at_both_sets_of_colours(measured):
    methods = {(result.method, result.cameras, result.colors) for result in measured.results}
    assert ("embedded", "both", "unseen") in methods and ("colour thresholds", "front", "own") in methods
    assert len(methods) == len(measured.results) == 12


def test_times_are_taken_for_cameras_and_for_several_robots(measured):
    assert set(measured.latency["embedded"]) == {"1 camera", "2 cameras"}
    assert set(measured.robots["embedded"]) == {"2 robots", "4 robots"}


def test_frames_and_errors_are_drawn(measured):
    assert {path.name for path in measured.config.pictures.iterdir()} == {"frames.png", "errors.png"}


def test_a_real_measurement_can_be_reported_and_printed(measured):
    written = report(measured)
    assert json.loads(json.dumps(written.as_json(), allow_nan=False))["settings"]["scenes"] == 6
    figures = {figure.name: figure for figure in written.figures}
    assert np.isfinite(figures["embedded/both cameras/unseen colours/position p95"].value)
    assert len(list(as_tables(measured))) == 3
