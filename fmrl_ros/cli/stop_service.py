"""Asks the robot to stop within a bounded time."""

from __future__ import annotations

import os

from rclpy.node import Node
from std_srvs.srv import Trigger

from fmrl_ros.cli.service_call import NoAnswerError, call
from fmrl_ros.robot.stop_switch import press, switch_path


def stop_robot(node: Node, timeout: float = 3.0) -> str | None:
    """Stop the robot by its switch, or by its driver's service where it has none here.

    The node must be served by another thread.

    Args:
      node: Calls.
      timeout: Seconds to wait for the service, and again for its answer.

    Returns:
      None if the robot has stopped, otherwise what went wrong.
    """
    if press(switch_path(os.environ.get("ROS_DOMAIN_ID", ""), node.get_namespace())) is not None:
        return None
    try:
        response = call(node, Trigger, "stop", Trigger.Request(), timeout)
    except NoAnswerError as error:
        return str(error)
    return None if response.success else f"{node.resolve_service_name('stop')} refused: {response.message}"
