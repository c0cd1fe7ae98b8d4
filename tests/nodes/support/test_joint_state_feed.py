"""A driver publishes on the topic to which the feed subscribes; both are of one node."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("rclpy")

from sensor_msgs.msg import JointState

from fmrl_ros.nodes.support.conversions import joint_state_message
from fmrl_ros.nodes.support.joint_state_feed import JointStateFeed
from fmrl_ros.robot.profile import load_profile

pytestmark = pytest.mark.graph
PROFILE = load_profile("franka_sim")
NAMES = (*PROFILE.joints, *PROFILE.gripper_joints)


def joints(stamp, count=9, **changes):
    """A message of the arm at home, of the first `count` joints, with some positions changed."""
    positions = dict(zip(NAMES[:count], (*PROFILE.home, 0.04, 0.04), strict=False)) | changes
    return joint_state_message(NAMES[:count], stamp, np.array(list(positions.values())), np.zeros(count))


@pytest.fixture
def driver(node):
    """What a feed hands on, and a function that publishes until something has been handed on."""
    taken, refused = [], []
    feed = JointStateFeed(node, PROFILE, taken.append, refused.append)
    publisher = node.create_publisher(JointState, PROFILE.topics.joint_states, 1)

    def publish(message, until):
        for _ in range(400):
            publisher.publish(message)
            threading.Event().wait(0.05)
            if until():
                return
        raise AssertionError("waited too long")

    return SimpleNamespace(feed=feed, taken=taken, refused=refused, publish=publish)


def test_states_of_the_arm_are_taken(driver):
    driver.publish(joints(1.5), lambda: driver.taken)
    assert driver.taken[0].stamp == 1.5 and driver.taken[0].q == pytest.approx(PROFILE.home)
    assert not driver.refused


def test_a_state_that_cannot_be_the_arms_is_refused_by_joint_and_publisher(driver):
    driver.publish(joints(1.5, fr3_joint2=np.nan), lambda: any("/both" in reason for reason in driver.refused))
    assert driver.refused[-1] == "joint_states of /both: fr3_joint2 is nan, not a finite number"
    assert not driver.taken


def test_states_without_all_joints_are_left_out_and_say_why_none_come(driver):
    driver.publish(joints(1.4, count=2), lambda: "no position of fr3_joint3" in driver.feed.absence())
    assert not driver.taken and not driver.refused
