import threading
import time

import pytest
import rclpy
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import Empty
from std_srvs.srv import Trigger

from fmrl_ros.nodes.support.executor import TwoLaneExecutor
from fmrl_ros.robot.latest import Latest


@pytest.fixture
def node(monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", "101")
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node("lanes")
    yield node
    node.destroy_node()
    rclpy.shutdown()


@pytest.fixture
def executor(node):
    executor = TwoLaneExecutor(threads=4)
    executor.add_node(node)
    yield executor
    executor.shutdown(timeout_sec=2.0)


def spin(executor, condition, timeout=10.0):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        executor.spin_once(timeout_sec=0.05)


def test_a_service_that_waits_for_a_message_gets_it(node, executor):
    arrived = threading.Event()
    node.create_subscription(Empty, "news", lambda _: arrived.set(), 1)

    def wait(_, response):
        response.success = arrived.wait(5)
        return response

    node.create_service(Trigger, "wait", wait, callback_group=ReentrantCallbackGroup())
    client = node.create_client(Trigger, "wait", callback_group=ReentrantCallbackGroup())
    spin(executor, client.service_is_ready)
    publisher = node.create_publisher(Empty, "news", 1)
    spin(executor, lambda: publisher.get_subscription_count() > 0)
    answer = client.call_async(Trigger.Request())
    for _ in range(10):
        executor.spin_once(timeout_sec=0.05)
    assert not answer.done()
    publisher.publish(Empty())
    spin(executor, answer.done)
    assert answer.result().success


@pytest.mark.parametrize("group", [None, ReentrantCallbackGroup()], ids=["quick", "patient"])
def test_what_a_callback_raises_ends_the_spinning(node, executor, group):
    def fail():
        raise RuntimeError("the callback broke")

    node.create_timer(0.01, fail, callback_group=group)
    with pytest.raises(RuntimeError, match="the callback broke"):
        spin(executor, lambda: False, timeout=5)


def test_waiting_for_the_latest_value_is_bounded():
    latest = Latest()
    assert latest.value is None and latest.silence == float("inf")
    assert latest.wait(lambda _: True, 0.05) is None
    threading.Timer(0.1, latest.set, [3]).start()
    assert latest.wait(lambda value: value > 2, 5.0) == 3
    assert latest.next(latest.value, 0.05) is None
    assert latest.silence < 5


def test_the_end_waits_boundedly_for_what_runs(node):
    executor, over, running = TwoLaneExecutor(threads=2), threading.Event(), threading.Event()
    executor.add_node(node)

    def hang(_, response):
        running.set()
        over.wait(20)
        return response

    node.create_service(Trigger, "hang", hang, callback_group=ReentrantCallbackGroup())
    client = node.create_client(Trigger, "hang", callback_group=ReentrantCallbackGroup())
    spin(executor, client.service_is_ready)
    client.call_async(Trigger.Request())
    spin(executor, running.is_set)
    assert not executor.shutdown(timeout_sec=0.5), "it would wait for ever"
    over.set()


def test_a_service_that_is_withdrawn_while_it_works_breaks_nothing(node, executor):
    begun, withdrawn, done = threading.Event(), threading.Event(), threading.Event()

    def work(_, response):
        begun.set()
        withdrawn.wait(5)
        done.set()
        return response

    service = node.create_service(Trigger, "work", work, callback_group=ReentrantCallbackGroup())
    client = node.create_client(Trigger, "work", callback_group=ReentrantCallbackGroup())
    spin(executor, client.service_is_ready)
    client.call_async(Trigger.Request())
    spin(executor, begun.is_set)
    node.destroy_service(service)
    withdrawn.set()
    spin(executor, done.is_set)
    for _ in range(5):
        executor.spin_once(timeout_sec=0.05)
