import numpy as np

from fmrl_ros.robot.standing import Standing


def follow(positions, period=0.01):
    standing = Standing()
    for i, position in enumerate(positions):
        standing.note(i * period, np.array([position, 0.0]))
    return standing


def test_an_arm_that_stays_where_it_is_stands_though_it_trembles():
    assert follow([0.0] * 15).stands
    assert follow([0.0003 * (-1) ** i for i in range(15)]).stands


def test_an_arm_that_moves_or_was_seen_too_briefly_does_not():
    assert not follow([0.003 * i for i in range(30)]).stands
    assert not follow([0.0] * 5).stands
    assert not Standing().stands


def test_after_its_clock_jumped_back_an_arm_is_watched_anew():
    standing = follow([0.0] * 15)
    standing.note(0.0, np.zeros(2))
    assert not standing.stands
