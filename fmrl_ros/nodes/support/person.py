"""A person who hears the planner's questions in the monologue and answers on a topic."""

from __future__ import annotations

import contextlib
import queue
import time
from collections.abc import Callable

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_msgs.msg import String

TOPIC = "answer"
_POLL = 0.1


class ListeningPerson:
    """Whoever publishes on the topic ``answer``; see `fmrl_ros.planning.planner.Person`.

    Args:
      node: Subscribes; its executor must run in another thread.
      patience: Seconds to wait for an answer.
    """

    def __init__(self, node: Node, patience: float) -> None:
        self.patience = patience
        self.should_stop: Callable[[], bool] = lambda: False
        self._node = node
        self._said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._subscription = node.create_subscription(
            String, TOPIC, lambda message: self._said.put(message.data), 10, callback_group=ReentrantCallbackGroup()
        )

    def close(self) -> None:
        """Hear nothing any more."""
        self._node.destroy_subscription(self._subscription)

    def listens(self) -> bool:
        """True if somebody has a publisher on the topic."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._said.get_nowait()
        return self._node.count_publishers(TOPIC) > 0

    def answer(self) -> str:
        """Return what is said within `patience` seconds, or nothing; `should_stop` ends the wait."""
        deadline = time.monotonic() + self.patience
        while time.monotonic() < deadline and not self.should_stop():
            with contextlib.suppress(queue.Empty):
                return self._said.get(timeout=_POLL).strip()
        return ""
