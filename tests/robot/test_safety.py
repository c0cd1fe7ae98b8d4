import numpy as np
import pytest

from fmrl_ros.robot.kinematics import ForwardKinematics
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.safety import VELOCITY_BURST, CommandGate, CommandRejectedError, Mode
from fmrl_ros.robot.trajectory import JointTrajectory, ordered

PROFILE = load_profile("franka_sim")
TOOL = ForwardKinematics(PROFILE).tool


@pytest.fixture
def gate():
    return CommandGate(PROFILE, TOOL)


def stream(gate, target, seconds, start=0.0, period=0.05):
    now = start
    while now < start + seconds:
        gate.stream(target, now)
        gate.update(gate.reference, now)
        now += period
    return now


def test_a_gentle_stream_passes_unchanged(gate):
    target = PROFILE.home.copy()
    for step in range(40):
        target = target + 0.02
        target[3] = PROFILE.home[3]
        gate.stream(np.clip(target, *PROFILE.position_limits.T), 0.05 * step)
        assert gate.counts.velocity == 0
        if gate.counts.workspace:
            break
    assert step > 5


@pytest.mark.parametrize("count", [0, 6, 8])
def test_a_command_of_the_wrong_length_is_refused_and_changes_nothing(gate, count):
    with pytest.raises(CommandRejectedError, match=f"command has {count} values, the arm has 7 joints"):
        gate.stream(np.zeros(count), 0.0)
    assert np.array_equal(gate.reference, PROFILE.home)
    assert gate.counts.rejected == 1


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_command_that_is_not_finite_names_the_joint(gate, value):
    command = PROFILE.home.copy()
    command[2] = value
    with pytest.raises(CommandRejectedError, match="not finite at fr3_joint3"):
        gate.stream(command, 0.0)
    assert np.array_equal(gate.reference, PROFILE.home)


def test_the_reference_never_leaves_the_position_limits(gate):
    for sign in (1, -1):
        stream(gate, sign * np.full(7, 50.0), 5.0)
        assert (gate.reference >= PROFILE.position_limits[:, 0]).all()
        assert (gate.reference <= PROFILE.position_limits[:, 1]).all()
    assert gate.counts.position > 0


@pytest.mark.parametrize("period", [0.001, 0.02, 0.05, 0.2])
def test_no_stream_moves_faster_than_the_velocity_limits(gate, period):
    rng = np.random.default_rng(0)
    travelled, now = np.zeros(7), 0.0
    while now < 2.0:
        before = gate.reference
        gate.stream(rng.uniform(*PROFILE.position_limits.T), now)
        travelled += np.abs(gate.reference - before)
        now += period
    assert (travelled <= PROFILE.velocity_limits * (now + VELOCITY_BURST) + 1e-9).all()
    assert gate.counts.velocity > 0


@pytest.mark.parametrize("period", [0.001, 0.02, 0.2])
def test_no_stream_with_trajectories_in_between_moves_faster_than_the_velocity_limits(gate, period):
    rng = np.random.default_rng(0)
    travelled, now = np.zeros(7), 0.0
    while now < 2.0:
        before = gate.reference
        gate.follow(JointTrajectory(np.array([period / 2]), gate.reference[None]), now)
        now += period
        gate.update(gate.reference, now)
        assert gate.mode is Mode.HOLDING
        gate.stream(rng.uniform(*PROFILE.position_limits.T), now)
        travelled += np.abs(gate.reference - before)
    assert (travelled <= PROFILE.velocity_limits * (now + VELOCITY_BURST) + 1e-9).all()


def test_the_tool_stays_in_its_box(gate):
    rng = np.random.default_rng(1)
    low, high = PROFILE.workspace.T
    for step in range(2000):
        gate.stream(rng.uniform(*PROFILE.position_limits.T), 0.05 * step)
        tool = TOOL(gate.reference)
        assert (tool >= low - 1e-3).all() and (tool <= high + 1e-3).all()
    assert gate.counts.workspace > 0


def test_from_outside_its_box_the_tool_may_come_back(gate):
    outside = PROFILE.home.copy()
    outside[0] = 1.5
    gate.hold(outside)
    assert TOOL(outside)[0] < PROFILE.workspace[0, 0]
    stream(gate, PROFILE.home, 5.0)
    assert np.allclose(gate.reference, PROFILE.home, atol=1e-6)


def test_silence_holds_the_arm_where_it_was_measured(gate):
    target = PROFILE.home + np.array([0.3, 0, 0, 0, 0, 0, 0])
    end = stream(gate, target, 0.3) - 0.05
    measured = PROFILE.home + np.array([0.1, 0, 0, 0, 0, 0, 0])
    gate.update(measured, end + PROFILE.watchdog - 0.01)
    assert gate.mode is Mode.STREAMING
    gate.update(measured, end + PROFILE.watchdog + 0.01)
    assert gate.mode is Mode.HOLDING
    assert np.allclose(gate.reference, measured)
    gate.update(measured + 0.05, end + 2.0)
    assert np.allclose(gate.reference, measured), "a holding arm must not drift with its measurement"
    assert gate.counts.held == 1


def test_a_measurement_that_is_no_number_holds_the_joint_where_it_was_commanded_to(gate):
    commanded, measured = gate.reference, PROFILE.home + 0.01
    measured[1] = np.nan
    gate.hold(measured)
    assert gate.reference[1] == commanded[1]
    assert np.allclose(np.delete(gate.reference, 1), np.delete(measured, 1))
    gate.stop(measured, np.nan, 0.1)
    assert np.isfinite(gate.reference).all() and gate.finger == PROFILE.gripper_range[1]


def test_stop_wins_over_everything_until_resume(gate):
    stream(gate, PROFILE.home + 0.1, 0.2)
    measured = PROFILE.home + 0.05
    gate.stop(measured, finger=0.02, finger_speed=0.0)
    trajectory = JointTrajectory(np.array([1.0]), PROFILE.home[None])
    for command in (
        lambda: gate.stream(PROFILE.home, 0.25),
        lambda: gate.follow(trajectory, 0.25),
        lambda: gate.grip([0.04]),
    ):
        with pytest.raises(CommandRejectedError, match="stopped; call the service resume"):
            command()
    gate.update(measured, 10.0)
    assert gate.mode is Mode.STOPPED and np.allclose(gate.reference, measured)
    gate.hold(measured)
    assert gate.mode is Mode.STOPPED, "a reset must not release a stop"
    gate.resume(measured)
    assert np.allclose(gate.reference, measured), "resuming must not move the arm"
    gate.stream(PROFILE.home, 10.05)
    assert gate.mode is Mode.STREAMING


def test_stop_ends_a_trajectory(gate):
    gate.follow(JointTrajectory(np.array([1.0]), PROFILE.home[None] + 0.2), 0.0)
    gate.update(gate.reference, 0.3)
    measured = gate.reference
    gate.stop(measured, 0.04, 0.0)
    gate.resume(measured)
    gate.update(measured, 0.9)
    assert np.allclose(gate.reference, measured)


def test_a_hand_that_grips_keeps_its_grip_on_stop_and_a_moving_one_stops_where_it_is(gate):
    gate.grip([0.0])
    gate.stop(PROFILE.home, finger=0.019, finger_speed=0.0)
    assert gate.finger == 0.0, "the fingers press on the object as before"
    gate.resume(PROFILE.home)
    gate.grip([0.0])
    gate.stop(PROFILE.home, finger=0.03, finger_speed=-0.1)
    assert gate.finger == 0.03


@pytest.mark.parametrize("command", [[], [0.01, 0.01], [np.nan]])
def test_a_gripper_command_is_one_finite_number(gate, command):
    with pytest.raises(CommandRejectedError, match=r"one finger joint position in \[0.0, 0.04\] m"):
        gate.grip(command)


def test_a_gripper_command_is_clamped(gate):
    gate.grip([1.0])
    assert gate.finger == PROFILE.gripper_range[1]


def test_a_trajectory_is_followed_within_the_velocity_limits_to_its_end(gate):
    goal = PROFILE.home + np.array([0.8, 0, 0, 0, 0, 0, 0])
    gate.follow(JointTrajectory(np.array([0.1]), goal[None]), 0.0)  # three times too fast
    now, before = 0.0, gate.reference
    for _ in range(400):
        now += 0.005
        gate.update(before, now)
        assert (np.abs(gate.reference - before) <= PROFILE.velocity_limits * 0.005 + 1e-9).all()
        before = gate.reference
    assert np.allclose(gate.reference, goal, atol=1e-3)
    assert gate.mode is Mode.HOLDING


@pytest.mark.parametrize(
    ("times", "points", "message"),
    [
        ([], np.zeros((0, 7)), "needs points of 7 joints"),
        ([1.0], np.zeros((1, 6)), "needs points of 7 joints"),
        ([1.0, 1.0], np.zeros((2, 7)), "times must increase"),
        ([-1.0], np.zeros((1, 7)), "times must increase"),
        ([1.0], np.full((1, 7), np.nan), "not finite"),
    ],
)
def test_a_malformed_trajectory_is_refused(gate, times, points, message):
    with pytest.raises(CommandRejectedError, match=message):
        gate.follow(JointTrajectory(np.array(times), points), 0.0)
    assert gate.mode is Mode.HOLDING


def test_trajectory_columns_follow_the_joint_names():
    points = np.array([[1.0, 2.0, 3.0]])
    assert np.array_equal(ordered(["c", "a", "b"], ["a", "b", "c"], points), [[2.0, 3.0, 1.0]])
    with pytest.raises(ValueError, match="trajectory is for joints a; the arm has a, b"):
        ordered(["a"], ["a", "b"], points)
