from dataclasses import replace

import numpy as np
import pytest

from fmrl_ros.robot.cartesian import CartesianController
from fmrl_ros.robot.kinematics import ToolPose
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.skills.control import MAX_LEAD, MAX_TURN, MAX_YAW, REGION, STEP, ToolStepper, region

PROFILE = load_profile("franka_sim")
HOME = PROFILE.home


@pytest.fixture(scope="module")
def controller():
    return CartesianController(PROFILE)


@pytest.fixture
def stepper(controller):
    return ToolStepper(controller, HOME, holding=False)


@pytest.fixture
def at_home(controller):
    return controller.forward(HOME)


def follow(stepper, controller, steps, action, **options):
    """Act `steps` times on an arm that is always where it was told to be; return the last command."""
    command = stepper.act(np.zeros(4, np.float32), controller.forward(HOME))
    for _ in range(steps):
        command = stepper.act(np.array(action, np.float32), controller.forward(command.q), **options)
    return command


def test_it_starts_at_the_tool_with_the_hand_as_it_is(controller, at_home):
    empty, full = (ToolStepper(controller, HOME, holding).memory for holding in (False, True))
    assert empty.tool == pytest.approx(at_home.position)
    assert (empty.open, empty.started_holding) == (True, False)
    assert (full.open, full.started_holding) == (False, True)


def test_a_full_action_moves_the_tool_by_a_step_on_each_axis(stepper, at_home):
    stepper.act(np.array([1, -1, 0.5, 1], np.float32), at_home)
    assert stepper.memory.tool - at_home.position == pytest.approx([STEP, -STEP, STEP / 2])


def test_the_tool_goes_where_both_the_skills_and_the_robot_s_workspace_let_it():
    narrow = np.array([[0.3, 0.5], [-0.9, 0.1], [0.1, 2.0]])
    low, high = region(CartesianController(replace(PROFILE, workspace=narrow)))
    assert low == pytest.approx([0.3, REGION[0, 1], 0.1])
    assert high == pytest.approx([0.5, 0.1, REGION[1, 2]])
    stepper = ToolStepper(CartesianController(replace(PROFILE, workspace=narrow)), HOME, holding=False)
    stepper.move(np.array([0.35, 0.15, 0.05]), True, ToolPose(np.array([0.35, 0.15, 0.05]), 0.0))
    assert stepper.memory.tool == pytest.approx([0.35, 0.1, 0.1])


def test_an_action_out_of_range_counts_as_a_full_one(stepper, at_home):
    stepper.act(np.array([9, 0, 0, 1], np.float32), at_home)
    assert stepper.memory.tool - at_home.position == pytest.approx([STEP, 0, 0])


@pytest.mark.parametrize(("hand", "finger"), [(0.3, 0.04), (-0.3, 0.0), (0.0, 0.0)])
def test_the_hand_opens_above_zero_and_closes_else(stepper, at_home, hand, finger):
    assert stepper.act(np.array([0, 0, 0, hand], np.float32), at_home).finger == finger
    assert stepper.memory.open is (finger > 0)


def test_the_arm_is_led_to_where_the_tool_shall_be(stepper, controller):
    command = follow(stepper, controller, 5, [0.5, 0.5, -1, 1])
    assert controller.forward(command.q).position == pytest.approx(stepper.memory.tool, abs=2e-3)


def test_a_command_runs_ahead_of_a_blocked_arm_by_the_leash_at_most(stepper, at_home):
    for _ in range(10):
        stepper.act(np.array([1, 0, -1, 1], np.float32), at_home)
    assert np.abs(stepper.memory.tool - at_home.position).max() == pytest.approx(MAX_LEAD)


@pytest.mark.parametrize("direction", [(1, 1, 1), (-1, -1, -1)])
def test_the_tool_never_leaves_its_region(stepper, controller, direction):
    follow(stepper, controller, 50, [*direction, 1])
    low, high = REGION
    assert (low <= stepper.memory.tool).all() and (stepper.memory.tool <= high).all()


def test_the_hand_turns_to_the_nearest_side_of_a_square_a_bit_at_a_time(stepper, controller, at_home):
    facing = at_home.yaw + 0.5
    first = follow(stepper, controller, 1, [0, 0, 0, 1], facing=facing)
    assert controller.forward(first.q).yaw - at_home.yaw == pytest.approx(MAX_TURN, abs=0.01)
    last = follow(stepper, controller, 10, [0, 0, 0, 1], facing=facing + np.pi / 2)
    assert controller.forward(last.q).yaw == pytest.approx(facing, abs=0.01)


def test_without_something_to_face_the_hand_keeps_its_orientation(stepper, controller, at_home):
    command = follow(stepper, controller, 5, [1, 1, 0, 1])
    assert controller.forward(command.q).yaw == pytest.approx(at_home.yaw, abs=0.01)


def test_the_hand_never_turns_further_than_its_limit(stepper, controller):
    for step in range(40):  # a square that keeps turning
        command = follow(stepper, controller, 1, [0, 0, 0, 1], facing=0.1 * step)
        assert abs(controller.forward(command.q).yaw) < MAX_YAW + 0.01


def test_where_the_tool_was_is_remembered_for_a_while(stepper, controller):
    poses = [ToolPose(np.array([0.4, 0.01 * k, 0.3]), 0.0) for k in range(20)]
    for k, pose in enumerate(poses):
        stepper.note(0.05 * k, pose)
    assert stepper.memory.tool_at(0.95) == pytest.approx(poses[19].position)
    assert stepper.memory.tool_at(0.81) == pytest.approx(poses[16].position)
    assert stepper.memory.tool_at(0.0) == pytest.approx(poses[8].position), "the oldest that is remembered"
