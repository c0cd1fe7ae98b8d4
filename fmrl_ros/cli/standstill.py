"""Whether a stopped arm stands, by the joint states that its driver publishes."""

from __future__ import annotations

import queue
import time

from rclpy.node import Node

from fmrl_ros.nodes.support.joint_state_feed import JointStateFeed
from fmrl_ros.robot.profile import RobotProfile
from fmrl_ros.robot.standing import Standing
from fmrl_ros.robot.state import RobotState
from fmrl_ros.robot.stop_switch import MOVES, STANDS, STANDSTILL_TIMEOUT

UNSEEN = "whether its arm stands is not seen"


class Standstill:
    """Follows joint states from now on. The node must be served by another thread.

    Args:
      node: Subscribes.
      profile: Of the robot.
    """

    def __init__(self, node: Node, profile: RobotProfile) -> None:
        self._states: queue.SimpleQueue[RobotState] = queue.SimpleQueue()
        self._feed = JointStateFeed(node, profile, self._states.put, lambda why: None, depth=10)

    def wait(self, timeout: float = STANDSTILL_TIMEOUT) -> str:
        """Wait until the arm stands, for `timeout` seconds at most; what came before the call does not count.

        Returns:
          `STANDS` or `MOVES`; `UNSEEN` if no joint states come, or none that can be the arm's.
        """
        while not self._states.empty():
            self._states.get()
        standing, found, deadline = Standing(), UNSEEN, time.monotonic() + timeout
        while (left := deadline - time.monotonic()) > 0:
            try:
                state = self._states.get(timeout=left)
            except queue.Empty:
                break
            standing.note(state.stamp, state.q)
            if standing.stands:
                return STANDS
            found = MOVES
        return found
