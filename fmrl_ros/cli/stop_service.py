"""Asks the robot to stop, within a bounded time."""

from __future__ import annotations

import threading
from typing import Any

from rclpy.node import Node
from std_srvs.srv import Trigger

SERVICE = "stop"


def stop_robot(node: Node, timeout: float = 3.0) -> str | None:
    """Call the driver's stop service and wait for its answer; the node must be served by another thread.

    Returns:
      None if the robot has stopped, otherwise what went wrong.
    """
    client: Any = node.create_client(Trigger, SERVICE)
    try:
        if not client.wait_for_service(timeout_sec=timeout):
            return f"no robot answers on /{SERVICE}"
        answered = threading.Event()
        future = client.call_async(Trigger.Request())
        future.add_done_callback(lambda _: answered.set())
        if not answered.wait(timeout):
            return f"/{SERVICE} did not answer within {timeout:.0f} s"
        response = future.result()
        return None if response.success else f"/{SERVICE} refused: {response.message}"
    finally:
        node.destroy_client(client)
