"""Joint states as they come: those that can be the arm's; of the others, who published them and what is wrong."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState

from fmrl_ros.nodes.support import conversions
from fmrl_ros.nodes.support.joint_state_publishers import JointStatePublishers
from fmrl_ros.robot.joint_states import JointStateCheck, JointStateError, why_none_come
from fmrl_ros.robot.profile import RobotProfile
from fmrl_ros.robot.state import RobotState

if TYPE_CHECKING:
    from rclpy.subscription import MessageInfo


class JointStateFeed:
    """Subscribes to ``joint_states`` and checks each as `JointStateCheck` does.

    Args:
      node: Subscribes.
      profile: Of the robot.
      take: Called, in the executor, with each state that can be the arm's.
      refuse: Called there with the words why another cannot; those that lack joints are left out.
      depth: Messages that wait while the executor is busy.
    """

    def __init__(
        self,
        node: Node,
        profile: RobotProfile,
        take: Callable[[RobotState], None],
        refuse: Callable[[str], None],
        depth: int = 1,
    ) -> None:
        self._take, self._refuse = take, refuse
        quality, topic = QoSProfile(depth=depth), profile.topics.joint_states
        self._check = JointStateCheck(profile)
        self._publishers = JointStatePublishers(node, topic, quality)
        node.create_subscription(JointState, topic, self._receive, quality)

    def absence(self) -> str:
        """Return why no joint states come, as far as the ROS graph tells."""
        return why_none_come(self._publishers.topic, self._publishers.all(), self._check.incomplete)

    def _receive(self, message: JointState, info: MessageInfo) -> None:
        reading = conversions.joint_reading_from(message)
        try:
            state = self._check.admit(reading, self._publishers.name(info), time.monotonic())
        except JointStateError as error:
            self._refuse(str(error))
            return
        if state is not None:
            self._take(state)
