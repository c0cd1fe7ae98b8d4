"""Over real DDS, and by a real clock that jumps."""

import time

import pytest

pytest.importorskip("rclpy")

from builtin_interfaces.msg import Time
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock

from fmrl_ros.nodes.support.resets import QOS, TOPIC, Resets

pytestmark = pytest.mark.graph


def until(condition, what):
    deadline = time.monotonic() + 20.0
    while not condition():
        assert time.monotonic() < deadline, f"waited too long for {what}"
        time.sleep(0.05)


@pytest.fixture
def begun(node):
    begun = []
    resets = Resets(node, begun.append)
    yield begun
    resets.close()


def test_a_reset_is_told_with_the_stamp_from_which_on_all_is_new(node, begun):
    publisher = node.create_publisher(Time, TOPIC, QOS)
    until(lambda: (publisher.publish(Time(sec=7, nanosec=500_000_000)), begun)[1], "the reset")
    assert begun[0] == 7.5


def test_a_clock_that_jumps_back_is_a_reset_and_one_that_goes_on_is_none(node, begun):
    node.set_parameters([Parameter("use_sim_time", value=True)])
    publisher = node.create_publisher(Clock, "/clock", 10)

    def tell(seconds):
        def told():
            publisher.publish(Clock(clock=Time(sec=seconds)))
            return node.get_clock().now().nanoseconds == seconds * 10**9

        until(told, f"the time {seconds}")

    for seconds in (50, 51, 90):
        tell(seconds)
    assert not begun
    tell(3)
    until(lambda: begun, "the jump")
    assert begun == [3.0]
