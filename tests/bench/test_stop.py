import math

import numpy as np
import pytest

from fmrl_ros.bench.stop import Stop, as_table, report, stop_of


def states(speeds, period=0.01):
    """Joint states of one joint with these speeds, rad/s, from time 0 on."""
    times = [period * i for i in range(len(speeds))]
    return times, [[float(q)] for q in np.cumsum(speeds) * period], list(speeds)


def test_an_arm_stands_from_when_on_it_moves_no_more():
    times, positions, speeds = states([0.5] * 20 + [0.0] * 20)
    stop = stop_of(0.1, times, positions, speeds)
    assert stop.seconds == pytest.approx(0.1) and stop.travel == pytest.approx(0.045, abs=0.002)


def test_a_moment_of_rest_before_it_moves_on_is_no_standing():
    times, positions, speeds = states([0.5] * 10 + [0.0] * 3 + [0.5] * 10 + [0.0] * 20)
    assert stop_of(0.0, times, positions, speeds).seconds == pytest.approx(0.23)


def test_an_arm_that_moves_to_the_end_or_was_seen_too_briefly_at_rest_has_not_stood():
    assert math.isnan(stop_of(0.0, *states([0.5] * 30)).seconds)
    assert math.isnan(stop_of(0.0, *states([0.5] * 30 + [0.0] * 5)).seconds)


def test_an_arm_that_stood_when_it_was_said_needs_no_time():
    assert stop_of(0.05, *states([0.0] * 30)) == Stop(0.0, 0.0)


def test_each_way_has_its_times_its_travel_and_the_share_that_stood():
    result = report(
        3, {"word": [Stop(0.1, 0.01), Stop(0.2, 0.03), Stop(0.3, 0.02)], "command": [Stop(math.nan, math.nan)]}
    )
    figures = {figure.name: figure for figure in result.figures}
    assert figures["word/time to standing median"].value == pytest.approx(0.2)
    assert figures["word/furthest"].value == 0.03 and figures["word/stood"].value == 1.0
    assert figures["command/stood"].value == 0.0
    assert as_table(result).row_count == 2
