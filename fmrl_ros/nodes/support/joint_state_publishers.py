"""Who publishes joint states: the node that a message came from, and those that a subscription cannot hear."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rclpy.node import Node
from rclpy.qos import QoSCompatibility, QoSProfile, qos_check_compatible
from rclpy.topic_endpoint_info import TopicEndpointInfo

from fmrl_ros.robot.joint_states import JointStatePublisher

if TYPE_CHECKING:
    from rclpy.subscription import MessageInfo

_UNKNOWN = "_UNKNOWN_"
"""How the ROS graph ends the name of a node of which only the publisher has been discovered so far."""


class JointStatePublishers:
    """The nodes that publish on one topic, as the ROS graph knows them."""

    def __init__(self, node: Node, topic: str, quality: QoSProfile) -> None:
        """Look with `node` at `topic`, to which it subscribes with the quality of service `quality`."""
        self.topic = node.resolve_topic_name(topic)
        self._node, self._quality = node, quality
        self._names: dict[bytes, str] = {}

    def name(self, info: MessageInfo) -> str:
        """Return the name of the node that published the message with this message info; empty if it is not known.

        Middlewares that do not say which publisher a message is from leave only the case of a single one.
        """
        identifier = bytes((info.get("publisher_gid") or {}).get("data", b""))
        if identifier not in self._names:
            names = {bytes(endpoint.endpoint_gid): _full_name(endpoint) for endpoint in self._endpoints()}
            self._names |= {key: name for key, name in names.items() if name}
            if not identifier:
                return next(iter(names.values())) if len(names) == 1 else ""
        return self._names.get(identifier, "")

    def all(self) -> list[JointStatePublisher]:
        """Return every publisher, and whether its messages reach the subscription."""
        return [
            JointStatePublisher(
                _full_name(endpoint) or "a node whose name is not known yet",
                qos_check_compatible(endpoint.qos_profile, self._quality)[0] != QoSCompatibility.ERROR,
            )
            for endpoint in self._endpoints()
        ]

    def _endpoints(self) -> list[TopicEndpointInfo]:
        return list(self._node.get_publishers_info_by_topic(self.topic))


def _full_name(endpoint: TopicEndpointInfo) -> str:
    """Return a publisher's node with its namespace; empty if it is not known yet."""
    if endpoint.node_name.endswith(_UNKNOWN):
        return ""
    return f"{endpoint.node_namespace.rstrip('/')}/{endpoint.node_name}"
