import numpy as np
import pytest

from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.robot.kinematics import ForwardKinematics
from fmrl_ros.robot.profile import load_profile

PROFILE = load_profile("franka_sim")
HOME = PROFILE.home

LEFT = np.array([np.pi / 2, 0, 0, 0, 0, 0, 0])


@pytest.fixture(scope="module")
def kinematics():
    return ForwardKinematics(PROFILE)


def test_the_first_joint_turns_the_tool_about_the_base(kinematics):
    x, y, z = kinematics.tool(HOME)
    assert kinematics.tool(HOME + LEFT) == pytest.approx([-y, x, z])


def test_the_tool_lies_before_the_hand_on_its_axis(kinematics):
    hand = kinematics.link(HOME, "hand")
    assert hand[:3, 3] + 0.1034 * hand[:3, 2] == pytest.approx(kinematics.tool(HOME))


def test_a_link_s_pose_is_a_rigid_motion(kinematics):
    pose = kinematics.link(HOME + 0.3 * LEFT, "fr3_link5")
    rotation = pose[:3, :3]
    assert rotation @ rotation.T == pytest.approx(np.eye(3))
    assert np.linalg.det(rotation) == pytest.approx(1.0)
    assert pose[3] == pytest.approx([0, 0, 0, 1])


def test_an_unknown_link_gets_the_valid_ones(kinematics):
    with pytest.raises(UnknownNameError, match=r"unknown link 'elbow'.*fr3_link4.*hand"):
        kinematics.link(HOME, "elbow")


def test_an_answer_does_not_change_with_the_next_question(kinematics):
    tool, hand = kinematics.tool(HOME), kinematics.link(HOME, "hand")
    kept = tool.copy(), hand.copy()
    kinematics.tool(HOME + LEFT)
    assert np.array_equal(tool, kept[0]) and np.array_equal(hand, kept[1])
