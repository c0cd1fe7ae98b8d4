"""Which other nodes are alive, by DDS liveliness: known within seconds even of a node that was killed.

Discovery alone notices a killed process after its participant's lease, 20 s by default. Every node here therefore
offers a topic ``<node>/alive`` on which nothing is ever sent; the middleware's own threads keep it alive, so that a
busy interpreter does not look dead.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.duration import Duration
from rclpy.event_handler import QoSLivelinessChangedInfo, SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import LivelinessPolicy, QoSProfile
from std_msgs.msg import Empty

LEASE = 1.0
"""A node gives a sign of life before so long has passed, s; Fast DDS gives three in two leases."""
PATIENCE = 2.5
"""A node that has given no sign of life for so long is gone, s: three signs and more have failed to come."""


def _quality(lease: float) -> QoSProfile:
    return QoSProfile(depth=1, liveliness=LivelinessPolicy.AUTOMATIC, liveliness_lease_duration=Duration(seconds=lease))


def offer_liveness(node: Node) -> None:
    """Let others see that this node is alive."""
    node.create_publisher(Empty, f"{node.get_fully_qualified_name()}/alive", _quality(LEASE))


class Watch:
    """Follows whether some nodes are alive. A node that was never seen counts as neither alive nor gone.

    One in a process, for a node: Fast DDS (3.2) does not tell a later subscription of the same process that a publisher
    is alive of which another one knows, and from then on neither of them that it is back after a restart.
    """

    def __init__(self, node: Node, names: Iterable[str]) -> None:
        """Begin to watch nodes, given by their names in this node's namespace or fully qualified."""
        self._node = node
        self._group = MutuallyExclusiveCallbackGroup()  # of two events the later is noted last
        self._alive: dict[str, bool] = {}
        self._came: dict[str, float] = {}
        self._watched: set[str] = set()
        self._needed: set[str] = set()
        self._changed = threading.Condition()
        for name in names:
            self.add(name)

    def add(self, name: str, needed: bool = True) -> None:
        """Watch one more node; one that is not needed is only told of when it is asked for by name."""
        full = self._full(name)
        with self._changed:
            if needed:
                self._needed.add(full)
            if full in self._watched:
                return
            self._watched.add(full)

        def note(event: QoSLivelinessChangedInfo) -> None:
            with self._changed:
                if event.alive_count > 0 or full in self._alive:
                    self._alive[full] = event.alive_count > 0
                if event.alive_count > 0 and (event.alive_count_change > 0 or event.not_alive_count_change):
                    self._came[full] = time.monotonic()
                self._changed.notify_all()

        self._node.create_subscription(
            Empty,
            f"{full}/alive",
            lambda message: None,
            _quality(PATIENCE),
            callback_group=self._group,
            event_callbacks=SubscriptionEventCallbacks(liveliness=note),
        )

    def gone(self, name: str | None = None) -> str | None:
        """Return the name of a needed node that was alive and no longer is, or None; of `name` alone if given."""
        with self._changed:
            names = self._needed if name is None else {self._full(name)}
            return next((n.rsplit("/", 1)[-1] for n in sorted(names) if self._alive.get(n) is False), None)

    def age(self, name: str) -> float:
        """Return for how long a node has been alive since it was seen to start last, s; zero if it never was."""
        with self._changed:
            now = time.monotonic()
            return now - self._came.get(self._full(name), now)

    def _full(self, name: str) -> str:
        namespace = self._node.get_namespace().rstrip("/")
        return name if name.startswith("/") else f"{namespace}/{name}"
