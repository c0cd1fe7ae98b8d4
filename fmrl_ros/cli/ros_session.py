"""A ROS node inside a command: made, served by a thread of its own, and gone without a trace at the end."""

from __future__ import annotations

import os
import threading
from types import TracebackType

import rclpy
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from fmrl_ros.cli.domain_number import named_domain


class RosSession:
    """Use as a context manager; Ctrl-C stays with the command.

    Args:
      purpose: Part of the node's name.
      namespace: Of the robot that it speaks to.

    A ROS domain that is none ends the command.
    """

    def __init__(self, purpose: str, namespace: str = "") -> None:
        named_domain()
        self._context = Context()
        rclpy.init(args=[], context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self.node: Node = rclpy.create_node(f"fmrl_{purpose}_{os.getpid()}", namespace=namespace, context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._spin, name="ros")

    def __enter__(self) -> RosSession:
        """Begin to serve the node; create its subscriptions and clients before or after."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Join the thread first: one alive at exit would abort the process."""
        self._ending.set()
        self._executor.wake()
        self._thread.join()
        self._executor.shutdown(timeout_sec=2.0)
        self.node.destroy_node()
        rclpy.shutdown(context=self._context)

    def _spin(self) -> None:
        while not self._ending.is_set():
            try:
                self._executor.spin_once(timeout_sec=0.2)
            except ExternalShutdownException:
                return
            except Exception as error:  # of one callback: the others, above all the answers, go on
                self.node.get_logger().error(f"{error!r}", throttle_duration_sec=5.0)
