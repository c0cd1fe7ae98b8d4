"""The planner's node with a strategy that takes its time."""

import threading
import time
from types import SimpleNamespace

import pytest

pytest.importorskip("rclpy")

import rclpy
from action_msgs.msg import GoalStatus
from fmrl_interfaces.action import ExecuteInstruction
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from fmrl_ros.nodes import planner as planner_node
from fmrl_ros.nodes.support.action_client import LiveActionClient
from fmrl_ros.nodes.support.executor import TwoLaneExecutor
from fmrl_ros.planning.monologue import MonologueLine, PlanResult

pytestmark = pytest.mark.graph


class Slow:
    """Computes, whatever it is told, until the test is over."""

    def __init__(self):
        self.begun, self.over, self.ended = threading.Event(), threading.Event(), threading.Event()

    def run(self, instruction, embodiment, on_step, on_line, should_stop, person):
        self.begun.set()
        self.over.wait(30)
        on_line(MonologueLine("Planner", "at last"))
        self.ended.set()
        return PlanResult(False, "cancelled", (), ())


@pytest.fixture
def slow(monkeypatch):
    slow = Slow()
    model = SimpleNamespace(language_model=SimpleNamespace(name="slow"))
    monkeypatch.setattr(planner_node, "load_planner_model", lambda *_: model)
    monkeypatch.setattr(planner_node, "make_planner", lambda *_: slow)
    return slow


@pytest.fixture
def spinning(monkeypatch):
    """Serve nodes, each with an executor of its own."""
    monkeypatch.setenv("ROS_DOMAIN_ID", "103")
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    over, served = threading.Event(), []

    def serve(node, executor):
        executor.add_node(node)

        def spin():
            while not over.is_set():
                executor.spin_once(timeout_sec=0.1)

        thread = threading.Thread(target=spin)
        thread.start()
        served.append((node, executor, thread))
        return node

    yield serve
    over.set()
    for node, executor, thread in served:
        thread.join()
        executor.shutdown(timeout_sec=2.0)
        node.destroy_node()
    rclpy.shutdown()


def test_an_instruction_ends_by_name_when_the_planner_is_deactivated_and_cleaned_up(spinning, slow):
    planner = spinning(planner_node.PlannerNode(), TwoLaneExecutor(4))
    assert planner.autoconfigure() and planner.autoactivate()
    caller = spinning(rclpy.create_node("caller"), SingleThreadedExecutor())
    client = LiveActionClient(caller, ExecuteInstruction, "execute_instruction")
    assert client.wait_for_server(10.0)
    sent = client.send_goal_async(ExecuteInstruction.Goal(instruction="wave"))
    assert slow.begun.wait(10.0)
    deadline = time.monotonic() + 10.0
    while not sent.done() and time.monotonic() < deadline:
        time.sleep(0.01)
    answered = threading.Event()
    result = sent.result().get_result_async()
    result.add_done_callback(lambda _: answered.set())
    planner.trigger_deactivate()
    planner.trigger_cleanup()
    assert answered.wait(5.0) and result.result().status == GoalStatus.STATUS_ABORTED
    assert result.result().result.reason == "planner was deactivated"
    slow.over.set()
    assert slow.ended.wait(5.0)
