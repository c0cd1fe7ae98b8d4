"""Asks the robot to stop within a bounded time."""

from __future__ import annotations

from rclpy.node import Node
from std_srvs.srv import Trigger

from fmrl_ros.cli.service_call import NoAnswerError, call


def stop_robot(node: Node, timeout: float = 3.0) -> str | None:
    """Call the driver's stop service until it answers; the node must be served by another thread.

    Args:
      node: Calls.
      timeout: Seconds to wait for the service, and again for its answer.

    Returns:
      None if the robot has stopped, otherwise what went wrong.
    """
    try:
        response = call(node, Trigger, "stop", Trigger.Request(), timeout)
    except NoAnswerError as error:
        return str(error)
    return None if response.success else f"{node.resolve_service_name('stop')} refused: {response.message}"
