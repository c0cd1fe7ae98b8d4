import pytest

from fmrl_ros.simulation import pace
from fmrl_ros.simulation.pace import Pace


class Clock:
    """A wall clock on which only sleep and work take time."""

    def __init__(self):
        self.now, self.slept = 50.0, []

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(pace, "time", clock)
    return clock


@pytest.mark.parametrize("factor", [0.5, 1.0, 4.0])
def test_simulated_time_runs_at_the_factor_of_wall_time(clock, factor):
    schedule = Pace(factor)
    for step in range(1, 101):
        clock.now += 0.001  # the physics of a step
        schedule.wait(0.01 * step)
    assert clock.now == pytest.approx(50.0 + 1.0 / factor)
    assert schedule.report().real_time_factor == pytest.approx(factor)
    assert schedule.report().jitter_max == pytest.approx(0.0, abs=1e-9)


def test_as_fast_as_possible_never_sleeps_and_still_reports_the_factor(clock):
    schedule = Pace(0.0)
    for step in range(1, 11):
        clock.now += 0.002
        schedule.wait(0.01 * step)
    assert clock.slept == []
    assert schedule.report().real_time_factor == pytest.approx(5.0)


def test_a_small_delay_is_caught_up(clock):
    schedule = Pace(1.0)
    clock.now += 0.05
    schedule.wait(0.01)
    schedule.wait(0.10)
    assert clock.now == pytest.approx(50.10)
    assert schedule.report().jitter_max == pytest.approx(0.04)


def test_after_a_long_delay_the_schedule_starts_anew(clock):
    schedule = Pace(1.0)
    clock.now += 5.0
    schedule.wait(0.01)
    schedule.wait(0.02)
    assert clock.now == pytest.approx(55.01)


def test_a_report_is_of_the_last_steps_alone(clock):
    schedule = Pace(1.0, window=10)
    clock.now += 0.05
    schedule.wait(0.01)
    for step in range(10, 30):
        schedule.wait(0.01 * step)
    report = schedule.report()
    assert (report.jitter_mean, report.jitter_p99, report.jitter_max) == pytest.approx((0, 0, 0), abs=1e-9)


def test_lateness_is_reported_as_its_mean_99th_percentile_and_maximum(clock):
    schedule = Pace(1.0)
    for step in range(1, 201):
        schedule.wait(0.1 * step)
        clock.now += 0.04 if step == 100 else 0.0
        schedule.wait(0.1 * step + 0.02)
    report = schedule.report()
    assert report.jitter_max == pytest.approx(0.02)
    assert report.jitter_p99 == pytest.approx(0.0, abs=1e-9)
    assert report.jitter_mean == pytest.approx(0.02 / 400)


def test_a_restart_forgets_what_was_measured(clock):
    schedule = Pace(1.0)
    clock.now += 0.05
    schedule.wait(0.01)
    schedule.restart(100.0)
    assert schedule.report() == pace.PaceReport(0.0, 0.0, 0.0, 0.0)
    schedule.wait(100.5)
    assert clock.now == pytest.approx(50.55)


@pytest.mark.parametrize("factor", [-1.0, float("inf"), float("nan")])
def test_a_factor_that_is_none_is_refused(factor):
    with pytest.raises(ValueError, match="real-time factor must be 0"):
        Pace(factor)
