import numpy as np
import pytest

from fmrl_ros.bench.chaos.arm_watch import ArmWatch
from fmrl_ros.robot.profile import load_profile

PROFILE = load_profile("franka_sim")
STILL = np.zeros(len(PROFILE.joints))


def swing(watch, speed, joint=0, seconds=0.5, period=0.01):
    """Let a joint turn at a speed, rad/s, from home."""
    q = PROFILE.home.copy()
    for step in range(round(seconds / period)):
        watch.take(step * period, q.copy(), STILL + speed * (np.arange(len(q)) == joint))
        q[joint] += speed * period
    return watch


def test_an_arm_within_its_limits_is_beyond_none_and_its_way_is_known():
    watch = swing(ArmWatch(PROFILE), 0.5)
    assert watch.excess == "" and watch.count == 50
    assert watch.travel() == pytest.approx(0.245, abs=0.01)
    assert watch.travel(since=40) == pytest.approx(0.045, abs=0.01)
    assert watch.peak == pytest.approx(0.5 / PROFILE.velocity_limits[0])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({3: 0.2}, "fr3_joint4 0.352 rad beyond its limits"),
        ({1: np.nan}, "no finite number"),
        ({1: 1.2}, "outside its box"),
    ],
)
def test_the_limit_that_was_passed_first_is_named(change, words):
    watch = ArmWatch(PROFILE)
    q = PROFILE.home.copy()
    for joint, position in change.items():
        q[joint] = position
    watch.take(0.0, q, STILL)
    watch.take(0.1, PROFILE.home.copy(), STILL)
    assert words in watch.excess
    watch.forget()
    assert watch.excess == "" and watch.count == 0


def test_a_joint_that_is_too_fast_for_long_is_named_and_a_moment_is_not():
    assert "fr3_joint1 at 4.00 rad/s" in swing(ArmWatch(PROFILE), 4.0).excess
    assert swing(ArmWatch(PROFILE), 4.0, seconds=0.1).excess == ""


def test_where_the_simulator_puts_the_arm_is_no_motion_that_is_too_fast():
    watch = swing(ArmWatch(PROFILE), 0.1)
    with watch.unwatched():
        q = PROFILE.home.copy()
        q[6] += 1.5
        watch.take(0.6, q, STILL)
    for step in range(30):
        watch.take(0.61 + 0.01 * step, q, STILL)
    assert watch.excess == ""
