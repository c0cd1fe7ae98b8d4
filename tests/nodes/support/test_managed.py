"""The managed states, in one process; and what a node's process says of the arguments that it is given."""

import subprocess
import sys

import pytest
import rclpy
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter
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


GIVEN = ["-p", "pace:=2", "-p", "world:=1", "-p", "mood:=y"]
"""Parameters whose YAML is of another kind than the parameter."""


@pytest.fixture
def node(monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", "102")
    rclpy.init(args=["--ros-args", *GIVEN], signal_handler_options=SignalHandlerOptions.NO)
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


def test_a_whole_number_is_taken_for_a_float_and_for_text(node):
    assert (node.parameter("pace", 1.0), node.parameter("world", "tabletop")) == (2.0, "1")
    (refused,) = node.set_parameters([Parameter("pace", value="fast")])
    assert not refused.successful, "once it has its kind, it keeps it"
    assert node.parameter("pace", 1.0) == 2.0


def test_a_parameter_of_another_kind_can_be_set_right_after_it_was_refused(node):
    for _ in range(2):
        with pytest.raises(ValueError, match=r"parameter 'mood' must be text, not true: YAML"):
            node.parameter("mood", "calm")
    node.set_parameters([Parameter("mood", value="y")])
    assert node.parameter("mood", "calm") == "y"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-p", "patience:=long"], "parameter 'patience' must be a number, not \"long\""),
        (["-p", "world:=1", "-p", "settle:=1"], "unknown world '1'; valid: "),
        (
            ["-p", "autostart:=1"],
            "error: parameter 'autostart' must be true or false, not 1; for example",
        ),
        (["-p", "judges:=vlm:/nowhere"], "the backend vlm:/nowhere has no model: no folder /nowhere; give a folder"),
        (["-p", "use_sim_time:=1"], "'use_sim_time' to '1' of type 'INTEGER', expecting type 'BOOL'"),
        (["-p", "world:="], "Couldn't parse parameter override rule: '-p world:='"),
        (["--speed", "2"], "--speed"),
    ],
)
def test_an_argument_that_a_node_cannot_use_ends_it_with_one_line_and_code_2(domain, monkeypatch, arguments, said):
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    command = [sys.executable, "-m", "fmrl_ros.nodes.success_detector", "--ros-args", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert len([line for line in ended.stderr.splitlines() if said in line]) == 1
