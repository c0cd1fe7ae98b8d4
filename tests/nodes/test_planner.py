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
from std_msgs.msg import String
from std_srvs.srv import Trigger

from fmrl_ros.nodes import planner as planner_node
from fmrl_ros.nodes.support.action_client import LiveActionClient
from fmrl_ros.nodes.support.executor import TwoLaneExecutor
from fmrl_ros.nodes.support.heartbeat import TOPIC, goal_name
from fmrl_ros.planning.by_name import make_planner
from fmrl_ros.planning.monologue import MonologueLine, PlanResult
from fmrl_ros.refusal import MOST_LETTERS

pytestmark = pytest.mark.graph
WAIT_OR_STOP = "wait until it is done, or end it: fmrl stop"


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
    assert result.result().result.reason == "planner was deactivated; activate it, then say it again"
    slow.over.set()
    assert slow.ended.wait(5.0)


class Patient:
    """Works until it is told to end, and ends at once then."""

    def __init__(self):
        self.begun = threading.Event()

    def run(self, instruction, embodiment, on_step, on_line, should_stop, person):
        self.begun.set()
        while not should_stop():
            time.sleep(0.01)
        return PlanResult(False, "cancelled", (), ())


class Caller:
    """Sends instructions, and may give signs of life for one of them."""

    def __init__(self, node):
        self.node = node
        self.client = LiveActionClient(node, ExecuteInstruction, "execute_instruction")
        self.heartbeat = node.create_publisher(String, TOPIC, 10)
        assert self.client.wait_for_server(10.0)

    def send(self, instruction):
        return wait_for(self.client.send_goal_async(ExecuteInstruction.Goal(instruction=instruction)))

    def say(self, instruction):
        return wait_for(self.send(instruction).get_result_async()).result


def wait_for(future):
    answered = threading.Event()
    future.add_done_callback(lambda _: answered.set())
    assert answered.wait(15.0)
    return future.result()


@pytest.fixture
def patient(monkeypatch, slow):
    patient = Patient()
    monkeypatch.setattr(planner_node, "make_planner", lambda *_: patient)
    return patient


@pytest.fixture
def caller(spinning, patient):
    planner = spinning(planner_node.PlannerNode(), TwoLaneExecutor(8))
    assert planner.autoconfigure() and planner.autoactivate()
    return Caller(spinning(rclpy.create_node("caller"), SingleThreadedExecutor()))


@pytest.fixture
def driver(spinning):
    """Counts how often the robot is stopped."""
    node = rclpy.create_node("driver")
    node.stops = 0

    def stop(_, response):
        node.stops += 1
        response.success = True
        return response

    node.create_service(Trigger, "stop", stop)
    return spinning(node, SingleThreadedExecutor())


def test_stop_said_while_the_robot_works_stops_the_driver_and_ends_the_instruction(caller, driver, patient):
    working = caller.send("wave")
    assert patient.begun.wait(10.0)
    said = caller.say("stop it!")
    assert said.success and driver.stops >= 1
    assert said.reason == "the robot has stopped, the instruction has ended; fmrl resume lets it move again"
    ended = wait_for(working.get_result_async())
    assert (
        ended.status == GoalStatus.STATUS_ABORTED
        and ended.result.reason == "stopped by the person; fmrl resume lets it move again"
    )


def test_stop_said_to_an_idle_robot_stops_it_and_says_that_nothing_was_being_done(caller, driver, patient):
    said = caller.say("freeze")
    assert said.success and driver.stops >= 1 and "nothing was being carried out" in said.reason
    assert not patient.begun.is_set()


def test_a_stop_that_no_driver_confirms_is_no_success(caller, patient):
    said = caller.say("halt")
    assert not said.success and "no driver has confirmed the stop" in said.reason


def test_an_instruction_ends_when_the_client_that_gave_signs_of_life_gives_none_any_more(caller, patient):
    working = caller.send("wave")
    assert patient.begun.wait(10.0)
    for _ in range(4):
        caller.heartbeat.publish(String(data=goal_name(working.goal_id)))
        time.sleep(0.2)
    ended = wait_for(working.get_result_async())
    assert ended.result.reason.startswith("nobody listens any more: the command that said it has ended; ")


def test_a_second_instruction_is_refused_by_name_and_has_no_line_of_the_first_one(caller, patient):
    working = caller.send("wave " * 90)
    assert patient.begun.wait(10.0)
    refused = caller.say("pick up the red block")
    assert refused.reason.startswith("busy with 'wave wave") and refused.reason.endswith("\u2026'; " + WAIT_OR_STOP)
    assert len(refused.reason) <= MOST_LETTERS and not refused.success and not refused.monologue
    wait_for(working.cancel_goal_async())


def test_a_planner_that_nobody_knows_is_refused_with_those_that_there_are(caller, monkeypatch):
    monkeypatch.setattr(planner_node, "make_planner", make_planner)
    goal = ExecuteInstruction.Goal(instruction="wave", planner="oracle")
    result = wait_for(wait_for(caller.client.send_goal_async(goal)).get_result_async()).result
    assert result.reason.startswith("unknown planner 'oracle'; valid: ") and "saycan" in result.reason
    (line,) = result.monologue
    assert line.text == f"I stop: {result.reason}" and line.stamp.sec > 0


def test_a_client_that_never_gave_a_sign_of_life_may_go(caller, patient):
    working = caller.send("wave")
    assert patient.begun.wait(10.0)
    time.sleep(2.0)
    result = working.get_result_async()
    assert not result.done()
    wait_for(working.cancel_goal_async())
    assert wait_for(result).status == GoalStatus.STATUS_CANCELED
