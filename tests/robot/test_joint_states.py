"""Joint states that cannot be the arm's are refused at the door, by joint and by publisher."""

from dataclasses import replace

import numpy as np
import pytest

from fmrl_ros.robot.joint_states import (
    TRUST_DELAY,
    JointReading,
    JointStateCheck,
    JointStateError,
    JointStatePublisher,
    robot_state,
    why_none_come,
)
from fmrl_ros.robot.profile import load_profile

PROFILE = load_profile("franka_sim")
NAMES = (*PROFILE.joints, *PROFILE.gripper_joints)
PERIOD = 0.01


def reading(stamp=1.0, **changes):
    """The arm at home with open fingers, but for the joints that are named."""
    positions = dict(zip(NAMES, (*PROFILE.home, 0.04, 0.04), strict=True)) | changes
    return JointReading(stamp, NAMES, np.array(list(positions.values())), np.zeros(len(NAMES)))


def zeros(stamp=1.0):
    return JointReading(stamp, NAMES, np.zeros(len(NAMES)), np.zeros(len(NAMES)))


def refusal(check, message, source="/driver", arrival=1.0):
    with pytest.raises(JointStateError) as raised:
        check.admit(message, source, arrival)
    return str(raised.value)


@pytest.fixture
def check():
    return JointStateCheck(PROFILE)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("joint", ["fr3_joint2", "finger_joint1"])
def test_a_position_that_is_not_finite_is_refused_by_joint_and_publisher(check, joint, value):
    text = refusal(check, reading(**{joint: value}))
    assert text == f"joint_states of /driver: {joint} is {value}, not a finite number"


def test_zeros_and_degrees_are_refused_by_the_limits(check):
    assert "fr3_joint6 at 0.00 rad is outside its limits [0.54, 4.52]" in refusal(check, zeros())
    degrees = reading(**{joint: float(np.rad2deg(q)) for joint, q in zip(PROFILE.joints, PROFILE.home, strict=True)})
    assert "is the unit rad" in refusal(check, degrees)


def test_an_arm_that_stands_a_little_beyond_its_limits_is_believed(check):
    assert check.admit(reading(fr3_joint4=-0.1), "/driver", 1.0) is not None


def test_joints_are_found_by_name_not_by_order():
    names = [*PROFILE.gripper_joints, *reversed(PROFILE.joints), "a_wheel"]
    positions = np.arange(len(names)) / 100 + np.array([0.0, 0.0, *reversed(PROFILE.home), 0.0])
    state = robot_state(JointReading(1.5, names, positions, positions), PROFILE)
    assert np.allclose(state.q, positions[[names.index(joint) for joint in PROFILE.joints]])
    assert state.gripper_width == pytest.approx(0.01) and state.stamp == 1.5


def test_velocities_that_are_not_measured_are_zero():
    message = reading()
    assert robot_state(replace(message, velocities=np.full(len(NAMES), np.nan)), PROFILE).dq.tolist() == [0.0] * 7
    assert robot_state(replace(message, velocities=np.zeros(0)), PROFILE).dq.tolist() == [0.0] * 7


def test_a_message_without_the_arms_joints_is_left_out_and_remembered(check):
    assert check.admit(JointReading(1.0, ["wheel"], np.zeros(1), np.zeros(1)), "/base", 1.0) is None
    assert "joint_states of /base have no position of fr3_joint1" in check.incomplete
    assert "only of wheel; correct arm.joints and gripper.joints" in check.incomplete
    assert check.admit(reading(), "/driver", 1.0) is not None
    assert check.admit(JointReading(1.0, ["wheel"], np.zeros(1), np.zeros(1)), "/base", 1.0) is None
    assert check.incomplete == "", "a driver that falls silent later has the right names"


def test_a_joint_of_the_arm_that_is_missing_later_is_named(check):
    assert check.admit(reading(), "/driver", 1.0) is not None
    whole = reading()
    without = replace(whole, names=whole.names[:2] + whole.names[3:], positions=np.delete(whole.positions, 2))
    assert check.admit(without, "/driver", 1.0) is None
    assert "joint_states of /driver have no position of fr3_joint3" in check.incomplete


def alternate(check, other, period=PERIOD, seconds=3.0):
    """Publish the arm's states and now and then, each `period`, another's; return the refusals of the last second."""
    refusals, admitted, due = [], 0, period
    for step in range(round(seconds / PERIOD)):
        now = 1.0 + step * PERIOD
        messages = [(reading(now), "/driver")]
        if now - 1.0 >= due:
            due += period
            messages.append((other(now), "/joint_state_publisher"))
        for message, source in messages:
            try:
                check.admit(message, source, now)
                admitted += now > seconds
            except JointStateError as error:
                refusals.append(str(error))
    return admitted, refusals


@pytest.mark.parametrize("period", [PERIOD, 0.1, 0.4])
@pytest.mark.parametrize(
    ("other", "words"),
    [
        (zeros, "joint_states of /joint_state_publisher: fr3_joint6 at 0.00 rad"),
        (lambda now: reading(now, fr3_joint1=1.5), "to /joint_state_publisher jump by 1.50 rad at fr3_joint1"),
        (lambda now: reading(0.0), "from /driver to /joint_state_publisher jump back by"),
        (lambda now: reading(now, fr3_joint3=np.nan), "fr3_joint3 is nan"),
    ],
    ids=["zeros", "another posture", "stamps of zero", "not a number"],
)
def test_with_a_second_publisher_no_state_is_trusted_and_it_is_named(check, other, words, period):
    admitted, refusals = alternate(check, other, period)
    assert admitted == 0
    assert any(words in text for text in refusals)


def test_a_reset_is_trusted_again_once_the_states_have_been_right_for_a_while(check):
    check.admit(reading(1.0), "/driver", 1.0)
    jumped = {"fr3_joint1": 1.5}
    text = refusal(check, reading(1.01, **jumped), arrival=1.01)
    assert "joint_states of /driver jump by 1.50 rad at fr3_joint1, which no arm can; was the robot reset" in text
    assert refusal(check, reading(1.02, **jumped), arrival=1.02) == text
    later = 1.01 + TRUST_DELAY
    assert check.admit(reading(later, **jumped), "/driver", later).q[0] == 1.5


def test_an_arm_at_its_greatest_speed_is_believed_at_any_rate_of_states(check):
    speed = PROFILE.velocity_limits[0]
    for period in (0.001, 0.01, 0.1, 0.9):
        check = JointStateCheck(PROFILE)
        for step in range(5):
            now = 1.0 + step * period
            q = -2.0 + speed * step * period
            assert check.admit(reading(now, fr3_joint1=min(q, 2.7)), "/driver", now) is not None


def test_messages_that_overtake_each_other_are_no_jump(check):
    for stamp in (1.0, 1.02, 1.01, 1.03):
        assert check.admit(reading(stamp), "/driver", stamp) is not None


@pytest.mark.parametrize(
    ("publishers", "incomplete", "words"),
    [
        ([], "", "nobody publishes /joint_states; is the robot's driver running"),
        ([("/arm", False)], "", "/arm publishes /joint_states with best effort, reliable is needed"),
        ([("/arm", True)], "joint_states of /arm have no position of x", "have no position of x"),
        ([("/arm", True)], "", "/arm publishes /joint_states, but nothing of arm and hand comes"),
    ],
)
def test_silence_has_its_reason(publishers, incomplete, words):
    text = why_none_come("/joint_states", [JointStatePublisher(*p) for p in publishers], incomplete)
    assert words in text
