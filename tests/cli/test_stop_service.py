"""With a stand-in for the node: an answer that DDS has lost, and a robot that never answers."""

import threading

import pytest

pytest.importorskip("rclpy")

from rclpy.task import Future
from std_srvs.srv import Trigger

from fmrl_ros.cli.stop_service import stop_robot
from fmrl_ros.robot.stop_switch import StopSwitch, switch_path


class Node:
    """Loses the first answers; with `there` false there is no service."""

    def __init__(self, lost=0, there=True, success=True):
        self.calls, self.lost, self.there, self.success = 0, lost, there, success
        self.destroyed = False

    def create_client(self, kind, name):
        return self

    def get_namespace(self):
        return "/lab"

    def resolve_service_name(self, name):
        return f"/lab/{name}"

    def wait_for_service(self, timeout_sec):
        return self.there

    def call_async(self, request):
        self.calls += 1
        future = Future()
        if self.calls > self.lost:
            future.set_result(Trigger.Response(success=self.success, message="the brakes are hot"))
        return future

    def destroy_client(self, client):
        self.destroyed = True


def test_a_lost_answer_is_asked_for_again():
    node = Node(lost=2)
    assert stop_robot(node, 3.0) is None
    assert node.calls == 3
    assert node.destroyed


def test_a_robot_that_never_answers_is_reported_in_time():
    assert stop_robot(Node(lost=100), 1.0) == "/lab/stop did not answer within 1 s"
    assert stop_robot(Node(there=False), 1.0) == "no robot answers on /lab/stop"


def test_a_refusal_is_passed_on():
    assert stop_robot(Node(success=False), 1.0) == "/lab/stop refused: the brakes are hot"


def test_a_robot_with_a_switch_is_stopped_by_it(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("ROS_DOMAIN_ID", "7")
    pressed = threading.Event()
    switch = StopSwitch(switch_path("7", "/lab"), pressed.set, lambda: None, lambda: True)
    switch.open()
    try:
        assert stop_robot(Node(there=False), 1.0) is None and pressed.is_set()
    finally:
        switch.close()
