"""Tells a node when the world was put back: a simulator says so, or its clock jumps back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from builtin_interfaces.msg import Time
from rclpy.clock import JumpThreshold
from rclpy.duration import Duration
from rclpy.qos import QoSProfile

from fmrl_ros.nodes.support import conversions

TOPIC = "world_reset"
"""A simulator publishes here, before it puts the world back, the stamp from which on all is of the new one."""
QOS = QoSProfile(depth=10)
_JUMP = 0.2
"""A clock that goes back by more has jumped, s."""


class Resets:
    """Calls back, in the executor, whenever the world was put back. Needs `close` at the end.

    Args:
      node: Subscribes; its clock is watched.
      begin: Takes the ROS time from which on what is measured is of the world as it is now, s.
      callback_group: Of the subscription; None for the node's own.
    """

    def __init__(self, node: Any, begin: Callable[[float], None], callback_group: Any = None) -> None:
        node.create_subscription(
            Time, TOPIC, lambda message: begin(conversions.seconds(message)), QOS, callback_group=callback_group
        )
        clock = node.get_clock()
        backwards = JumpThreshold(min_forward=None, min_backward=Duration(seconds=-_JUMP), on_clock_change=False)
        self._jumps = clock.create_jump_callback(
            backwards, post_callback=lambda _: begin(1e-9 * float(clock.now().nanoseconds))
        )

    def close(self) -> None:
        """Watch the clock no longer; the node itself withdraws the subscription."""
        self._jumps.unregister()
