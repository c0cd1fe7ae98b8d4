"""Whether the client of an instruction still lives: DDS takes 20 s to notice that a process was killed.

A client that wants to be missed publishes its goal's id on the topic `TOPIC`, `PERIOD` apart. The planner ends the
instruction of a client from which it has heard so, and hears nothing more. Clients that never publish are not watched.
"""

from __future__ import annotations

import time
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_msgs.msg import String

TOPIC = "instruction_heartbeat"
PERIOD = 0.4
"""Between two signs of life, s."""
_TIMEOUT = 1.4
"""A client that is silent for longer has ended, s."""
_STALL = 0.5
"""Who asks less often than this, s, was held up itself, as the client may have been, which then gets a new chance."""


class Heartbeats:
    """Listens to the clients of a planner's instructions.

    Args:
      node: Subscribes; its executor must run in another thread than the one that asks.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._last: dict[str, float] = {}
        self._asked: dict[str, float] = {}
        self._subscription = node.create_subscription(
            String, TOPIC, self._take, 10, callback_group=ReentrantCallbackGroup()
        )

    def close(self) -> None:
        """Listen no more."""
        self._node.destroy_subscription(self._subscription)

    def lost(self, goal: str) -> bool:
        """True if the client of a goal has given signs of life, and gives none any more. Asked ten times a second."""
        now = time.monotonic()
        stalled = now - self._asked.get(goal, now) > _STALL
        self._asked[goal] = now
        if goal not in self._last:
            return False
        if stalled:
            self._last[goal] = now
        return now - self._last[goal] > _TIMEOUT

    def forget(self, goal: str) -> None:
        """A goal is over."""
        self._last.pop(goal, None)
        self._asked.pop(goal, None)

    def _take(self, message: String) -> None:
        self._last[message.data] = time.monotonic()


def goal_name(uuid: Any) -> str:
    """Return a goal's id (``unique_identifier_msgs/UUID``) as text."""
    return bytes(uuid.uuid).hex()
