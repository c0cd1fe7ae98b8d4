"""The managed states, in one process."""

import pytest
import rclpy
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import Empty
from std_srvs.srv import Trigger

from fmrl_ros.nodes.support.managed import ManagedNode


class Echo(ManagedNode):
    """Fails at its first configuration if it is told to."""

    def __init__(self) -> None:
        super().__init__("echo")
        self.fails = False

    def load(self) -> None:
        self.create_subscription(Empty, "heard", lambda _: None, 1)
        if self.fails:
            self.fails = False
            raise ValueError("no model")
        self.said = self.create_publisher(Empty, "said", 1)
        self.create_service(Trigger, "echo", lambda _, response: response)
        self.create_client(Trigger, "other")
        self.create_timer(10.0, lambda: None)


@pytest.fixture
def node(monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", "102")
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = Echo()
    yield node
    node.destroy_node()
    rclpy.shutdown()


def offers(node):
    return [len(list(some)) for some in (node.subscriptions, node.publishers, node.services, node.clients, node.timers)]


def test_what_was_configured_is_withdrawn_at_cleanup_and_there_once_after_it(node):
    bare = offers(node)
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    configured = offers(node)
    assert [a - b for a, b in zip(configured, bare, strict=True)] == [1, 1, 1, 1, 1]
    assert node.trigger_cleanup() == TransitionCallbackReturn.SUCCESS
    assert offers(node) == bare
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    assert offers(node) == configured


def test_a_failure_that_is_mended_is_forgotten_and_leaves_nothing(node):
    bare = offers(node)
    node.fails = True
    assert node.trigger_configure() != TransitionCallbackReturn.SUCCESS and node.failure == "no model"
    assert offers(node) == bare
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS and node.failure is None
