"""Asks the robot to stop, within a bounded time."""

from __future__ import annotations

import queue
import time
from typing import Any

from rclpy.node import Node
from std_srvs.srv import Trigger

SERVICE = "stop"
_AGAIN = 0.5
"""Without an answer for so long, s, it is asked again: DDS may lose the answer to a client that it has just met."""


def stop_robot(node: Node, timeout: float = 3.0) -> str | None:
    """Call the driver's stop service until it answers; the node must be served by another thread.

    Args:
      node: Calls.
      timeout: Seconds to wait for the service, and again for its answer.

    Returns:
      None if the robot has stopped, otherwise what went wrong.
    """
    client: Any = node.create_client(Trigger, SERVICE)
    name = node.resolve_service_name(SERVICE)
    try:
        if not client.wait_for_service(timeout_sec=timeout):
            return f"no robot answers on {name}"
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        deadline = time.monotonic() + timeout
        while (left := deadline - time.monotonic()) > 0:
            client.call_async(Trigger.Request()).add_done_callback(answers.put)
            try:
                response = answers.get(timeout=min(_AGAIN, left)).result()
            except queue.Empty:
                continue
            return None if response.success else f"{name} refused: {response.message}"
        return f"{name} did not answer within {timeout:.0f} s"
    finally:
        node.destroy_client(client)
