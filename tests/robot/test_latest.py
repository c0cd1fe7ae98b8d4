import threading

import pytest

from fmrl_ros.robot.latest import Latest


@pytest.fixture
def latest():
    return Latest()


def after(seconds, act, *arguments):
    """Do something in another thread, a moment from now."""
    timer = threading.Timer(seconds, act, arguments)
    timer.start()
    return timer


def test_before_the_first_value_there_is_none(latest):
    assert latest.value is None and latest.silence == float("inf")
    assert latest.wait(lambda value: True, 0.0) is None


def test_the_newest_value_counts(latest):
    latest.set("old")
    latest.set("new")
    assert latest.value == "new" and 0 <= latest.silence < float("inf")


def test_a_wait_ends_with_the_first_value_that_is_accepted(latest):
    latest.set(1)
    timers = [after(0.02 * k, latest.set, k) for k in (2, 3, 4)]
    assert latest.wait(lambda value: value >= 3, 10.0) >= 3
    for timer in timers:
        timer.join()


def test_a_wait_without_an_accepted_value_ends_in_time_and_with_none(latest):
    latest.set(1)
    assert latest.wait(lambda value: value > 1, 0.05) is None


def test_the_next_value_is_another_one_even_if_it_is_equal(latest):
    first, equal = [1], [1]
    latest.set(first)
    assert latest.next(first, 0.02) is None
    timer = after(0.05, latest.set, equal)
    assert latest.next(first, 10.0) is equal
    timer.join()


def test_a_value_that_is_there_already_is_the_next_at_once(latest):
    latest.set("there")
    assert latest.next(None, 0.0) == "there"


def test_cleared_it_is_as_before_the_first_value(latest):
    latest.set("old")
    latest.clear()
    assert latest.value is None and latest.silence == float("inf")
