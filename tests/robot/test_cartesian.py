import numpy as np
import pytest

from fmrl_ros.robot.cartesian import CartesianController
from fmrl_ros.robot.kinematics import ForwardKinematics, ToolPose
from fmrl_ros.robot.profile import load_profile

PROFILE = load_profile("franka_sim")
HOME = PROFILE.home

TURNED = np.array([0.2, -0.1, 0.1, 0.2, -0.1, 0.1, 0.3])
LAST_JOINT = np.array([0, 0, 0, 0, 0, 0, 0.3])


@pytest.fixture(scope="module")
def controller():
    return CartesianController(PROFILE)


def reached(controller, pose, q=HOME, calls=40):
    for _ in range(calls):
        q = controller.solve(q, pose)
    return q


def test_the_tool_is_where_the_forward_kinematics_of_the_arm_has_it(controller):
    assert controller.forward(HOME + TURNED).position == pytest.approx(ForwardKinematics(PROFILE).tool(HOME + TURNED))


def test_the_last_joint_turns_the_hand_about_the_vertical(controller):
    before, after = controller.forward(HOME), controller.forward(HOME + LAST_JOINT)
    assert after.yaw - before.yaw == pytest.approx(-0.3, abs=1e-6)  # seen from above; the flange looks down
    assert after.position == pytest.approx(before.position)


@pytest.mark.parametrize("yaw", [0.0, 0.6, -0.6])
@pytest.mark.parametrize("position", [(0.5, 0.2, 0.1), (0.35, -0.3, 0.3)])
def test_solving_again_and_again_reaches_the_pose_with_the_tool_pointing_down(controller, position, yaw):
    q = reached(controller, ToolPose(np.array(position), yaw))
    pose = controller.forward(q)
    assert pose.position == pytest.approx(position, abs=1e-3)
    assert pose.yaw == pytest.approx(yaw, abs=5e-3)
    hand = ForwardKinematics(PROFILE).link(q, "hand")
    assert hand[:3, 2] == pytest.approx([0, 0, -1], abs=5e-3)


@pytest.mark.parametrize("name", ["franka_sim", "six_joint_sim"])
@pytest.mark.parametrize("place", [(0.3, -0.3, 0.05), (0.65, 0.2, 0.05), (0.65, -0.33, 0.3), (0.4, 0.35, 0.05)])
def test_any_arm_reaches_the_corners_of_the_table_with_the_hand_turned(name, place):
    arm = CartesianController(load_profile(name))
    start = arm.forward(arm.home).position
    for yaw in (-1.0, 1.0):
        q = arm.home
        for share in np.linspace(0, 1, 40):  # in steps, as skills go
            q = arm.solve(q, ToolPose(start + share * (np.array(place) - start), share * yaw))
        pose = arm.forward(reached(arm, ToolPose(np.array(place), yaw), q, 10))
        assert pose.position == pytest.approx(place, abs=2e-3)
        assert pose.yaw == pytest.approx(yaw, abs=0.01)


def test_a_pose_out_of_reach_keeps_the_joints_within_their_limits(controller):
    q = reached(controller, ToolPose(np.array([1.5, 0.0, 0.1]), 0.0))
    low, high = controller.joint_range.T
    assert (q >= low - 1e-6).all() and (q <= high + 1e-6).all()


def test_an_answer_does_not_change_with_the_next_question(controller):
    first = controller.solve(HOME, ToolPose(np.array([0.5, 0.2, 0.1]), 0.0))
    kept = first.copy()
    controller.solve(HOME, ToolPose(np.array([0.4, -0.2, 0.2]), 0.0))
    assert np.array_equal(first, kept)
