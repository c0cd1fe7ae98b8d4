"""Publishers of joint states, in contexts of their own, as in other processes."""

import itertools
import threading

import pytest

pytest.importorskip("rclpy")

import rclpy
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

from fmrl_ros.nodes.support.joint_state_publishers import JointStatePublishers

pytestmark = pytest.mark.graph
NEWEST = QoSProfile(depth=1)
BEST_EFFORT = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


@pytest.fixture
def driver():
    """Returns a function that starts a node with a publisher of joint states, and returns the publisher."""
    running = []

    def begin(name, quality):
        context = rclpy.Context()
        rclpy.init(context=context, domain_id=98)
        other = rclpy.create_node(name, namespace="/lab", context=context)
        running.append((other, context))
        return other.create_publisher(JointState, "/joint_states", quality)

    yield begin
    for other, context in running:
        other.destroy_node()
        context.try_shutdown()


def until(condition):
    for _ in range(400):
        if condition():
            return
        threading.Event().wait(0.05)
    raise AssertionError("waited too long")


def test_each_message_has_the_name_of_the_node_that_published_it(node, driver):
    publishers, heard = JointStatePublishers(node, "joint_states", NEWEST), {}

    def take(message, info):
        heard[message.name[0]] = publishers.name(info)

    node.create_subscription(JointState, "joint_states", take, NEWEST)
    drivers = itertools.cycle([(name, driver(name, NEWEST)) for name in ("arm", "stranger")])

    def both_known():
        name, publisher = next(drivers)  # in turn: of two at once, a queue of one message keeps the last
        publisher.publish(JointState(name=[name]))
        return len(heard) == 2 and all(heard.values())

    until(both_known)
    assert heard == {"arm": "/lab/arm", "stranger": "/lab/stranger"}


def test_a_publisher_whose_quality_of_service_does_not_fit_is_known(node, driver):
    publishers = JointStatePublishers(node, "joint_states", NEWEST)
    assert publishers.topic == "/joint_states" and publishers.all() == []
    driver("arm", BEST_EFFORT)
    until(lambda: [p.node for p in publishers.all()] == ["/lab/arm"])
    assert [publisher.compatible for publisher in publishers.all()] == [False]


def test_a_middleware_that_names_no_publisher_leaves_the_case_of_a_single_one(node, driver):
    publishers = JointStatePublishers(node, "joint_states", NEWEST)
    assert publishers.name({}) == ""
    driver("arm", NEWEST)
    until(lambda: publishers.name({}) == "/lab/arm")
