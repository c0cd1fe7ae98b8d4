"""Calls a service within a bounded time."""

from __future__ import annotations

import queue
import time
from typing import Any

from rclpy.node import Node

_AGAIN = 0.5
"""Without an answer for so long, s, it is asked again: DDS may lose the answer to a client that it has just met."""


class NoAnswerError(Exception):
    """Nobody answered; the message names the service.

    Attributes:
      service: Its whole name.
    """

    def __init__(self, message: str, service: str) -> None:
        super().__init__(message)
        self.service = service


def call(node: Node, kind: Any, service: str, request: Any, timeout: float) -> Any:
    """Call a service until it answers; the node must be served by another thread.

    Args:
      node: Calls.
      kind: Type of the service. It may be asked more than once.
      service: Its name, relative to the node's namespace.
      request: What is asked.
      timeout: Seconds to wait for the service, and again for its answer.

    Raises:
      NoAnswerError: If there is no such service, or no answer in time.
    """
    client: Any = node.create_client(kind, service)
    name = node.resolve_service_name(service)
    try:
        if not client.wait_for_service(timeout_sec=timeout):
            raise NoAnswerError(f"no robot answers on {name}", name)
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        deadline = time.monotonic() + timeout
        while (left := deadline - time.monotonic()) > 0:
            client.call_async(request).add_done_callback(answers.put)
            try:
                return answers.get(timeout=min(_AGAIN, left)).result()
            except queue.Empty:
                continue
        raise NoAnswerError(f"{name} did not answer within {timeout:.0f} s", name)
    finally:
        node.destroy_client(client)
