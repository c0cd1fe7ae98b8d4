"""A node of the test's own in the graph under test: listens, calls, commands."""

import contextlib
import queue
import threading
import time
from collections import defaultdict

import numpy as np
import rclpy
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor, ShutdownException
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data

from fmrl_ros.nodes.support.action_client import LiveActionClient

_MATCHING = 1.0
"""After this side has found the other, the other takes so long to find this one, s; messages until then are lost."""
_AGAIN = 5.0
"""Without an answer for so long, s, a service is asked again."""

RETAINED = QoSProfile(depth=200, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Probe:
    def __init__(self, domain):
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node("probe", context=self.context)
        self.group = ReentrantCallbackGroup()
        self.executor = MultiThreadedExecutor(num_threads=4, context=self.context)
        self.executor.add_node(self.node)
        self.received = defaultdict(list)
        self.arrivals = defaultdict(list)
        self._clients = {}
        self._publishers = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def _spin(self):
        while not self._over.is_set():
            try:
                self.executor.spin_once(timeout_sec=0.1)
            except ShutdownException:
                return

    def close(self):
        self._over.set()
        self._thread.join()
        self.executor.shutdown(timeout_sec=2.0)
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)

    def listen(self, kind, topic, qos=qos_profile_sensor_data):
        def take(message):
            self.arrivals[topic].append(time.monotonic())
            self.received[topic].append(message)

        self.node.create_subscription(kind, topic, take, qos, callback_group=self.group)
        return self.received[topic]

    def publisher(self, kind, topic, qos=1):
        """Return a publisher that has a listener."""
        if topic not in self._publishers:
            self._publishers[topic] = self.node.create_publisher(kind, topic, qos)
            self.wait(lambda: self._publishers[topic].get_subscription_count() > 0, 10, f"a listener on {topic}")
            time.sleep(_MATCHING)
        return self._publishers[topic]

    def publish(self, message, topic, qos=1):
        self.publisher(type(message), topic, qos).publish(message)

    def client(self, kind, name):
        """Return a service client that has found its server."""
        if name not in self._clients:
            self._clients[name] = self.node.create_client(kind, name, callback_group=self.group)
            assert self._clients[name].wait_for_service(timeout_sec=10.0), f"no service {name}"
            time.sleep(_MATCHING)
        return self._clients[name]

    def call(self, kind, name, /, timeout=20.0, **fields):
        """Call a service until it answers: DDS may lose the answer to a client that it has just met."""
        client = self.client(kind, name)
        return _until_answered(lambda: client.call_async(kind.Request(**fields)), timeout, _AGAIN, name)

    def goal(self, kind, name, /, feedback=None, **fields):
        """Send a goal, once more if no answer comes, and return its handle; a second goal replaces the first."""
        if new := name not in self._clients:
            self._clients[name] = LiveActionClient(self.node, kind, name, callback_group=self.group)
        assert self._clients[name].wait_for_server(timeout_sec=10.0), f"no action {name}"
        if new:
            time.sleep(_MATCHING)
        client = self._clients[name]
        return _until_answered(
            lambda: client.send_goal_async(kind.Goal(**fields), feedback_callback=feedback), 20.0, 10.0, name
        )

    def result(self, future, timeout, what):
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        assert done.wait(timeout), f"{what} did not answer within {timeout} s"
        return future.result()

    def wait(self, condition, timeout, what="it"):
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, f"waited {timeout} s for {what}"
            time.sleep(0.01)


def _until_answered(ask, timeout, again, name):
    """Return the first answer; ask every `again` seconds until `timeout`."""
    answers = queue.SimpleQueue()
    for left in np.arange(timeout, 0.0, -again):
        ask().add_done_callback(answers.put)
        with contextlib.suppress(queue.Empty):
            return answers.get(timeout=min(again, left)).result()
    raise AssertionError(f"{name} did not answer within {timeout} s")
