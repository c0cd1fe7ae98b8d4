"""Starts are repeated on a warm cache, in turn with another checkout's, and reported as medians and ratios."""

import math
from pathlib import Path

import pytest

from fmrl_ros.bench.demo_run import THIS, DemoError, DemoRun
from fmrl_ros.bench.start import Repetition, StartBenchmark, as_table, measure, report


def demo_run(first_step, success=True, moving=8.0):
    return DemoRun(success, "it slipped", 3, first_step - 1, first_step, first_step + 10, moving)


class Demos:
    """Plays demos that take as long as it is told, and keeps in which order."""

    def __init__(self, *outcomes):
        self.outcomes = list(outcomes)
        self.sources = []

    def __call__(self, source):
        self.sources.append("this" if source is THIS else "other")
        return self.outcomes[(len(self.sources) - 1) % len(self.outcomes)]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup(name='fmrl_ros')\n")
    return tmp_path


def test_the_run_that_warms_the_caches_is_not_reported():
    demos = Demos(demo_run(90.0), demo_run(4.0), demo_run(6.0), demo_run(5.0))
    measured = measure(StartBenchmark(repetitions=3), run=demos)
    assert [each.this.first_step for each in measured] == [4.0, 6.0, 5.0]
    figures = {figure.name: figure for figure in report(StartBenchmark(3), measured).figures}
    first = figures["demo/time to the first step"]
    assert first.value == 5.0 and first.interval == (4.0, 6.0) and first.n == 3 and first.baseline is None
    assert figures["demo/time to the prompt"].value == 15.0 and figures["demo/time moving"].value == 8.0
    assert not [name for name in figures if "ratio" in name]


def test_two_checkouts_take_turns_and_each_is_first_as_often(folder):
    demos = Demos(demo_run(5.0))
    measure(StartBenchmark(repetitions=2, against=folder), run=demos)
    assert demos.sources == ["this", "other", "this", "other", "other", "this"]


def test_the_ratio_of_medians_has_the_range_of_the_pairs(folder):
    pairs = [(4.0, 8.0), (5.0, 10.0), (6.0, 10.0)]
    measured = [Repetition(demo_run(this), demo_run(other)) for this, other in pairs]
    start = report(StartBenchmark(3, against=folder), measured)
    figures = {figure.name: figure for figure in start.figures}
    assert figures["demo/time to the first step"].baseline == 10.0
    ratio = figures["demo/time to the first step/ratio to the other checkout"]
    assert ratio.value == 0.5 and ratio.interval == (0.5, 0.6)
    assert start.settings["against"] == "unknown"  # no git checkout
    assert "other checkout" in [column.header for column in as_table(start).columns]


def test_a_repetition_that_failed_is_counted_and_not_timed():
    measured = [Repetition(demo_run(4.0)), Repetition(demo_run(400.0, success=False)), Repetition(demo_run(math.nan))]
    start = report(StartBenchmark(3), measured)
    success, _, first, *_ = start.figures
    assert success.value == pytest.approx(1 / 3) and first.value == 4.0 and first.n == 1
    assert len(start.detail["repetitions"]) == 3


def test_a_demo_that_does_not_succeed_is_not_timed_at_all():
    demos = Demos(demo_run(4.0, success=False))
    with pytest.raises(DemoError, match="did not succeed, its times say nothing: it slipped"):
        measure(StartBenchmark(repetitions=3), run=demos)
    assert len(demos.sources) == 1


def test_another_folder_without_a_checkout_is_refused_before_anything_runs():
    demos = Demos(demo_run(4.0))
    with pytest.raises(DemoError, match="is no checkout"):
        measure(StartBenchmark(against=Path("nowhere")), run=demos)
    assert demos.sources == []
