"""With a real action server in the same process, served by threads of its own."""

import threading
import time

import pytest

pytest.importorskip("rclpy")

from fmrl_interfaces.action import ExecuteSkill
from rclpy.action import ActionServer
from rclpy.callback_groups import ReentrantCallbackGroup

from fmrl_ros.nodes.support.action_client import LiveActionClient

pytestmark = pytest.mark.graph


class Slow(dict):
    """Takes its time to note whom to tell of a goal's progress."""

    def __setitem__(self, key, value):
        time.sleep(1.0)
        super().__setitem__(key, value)


@pytest.mark.parametrize("early", [False, True])
def test_an_answer_is_heard_however_soon_it_comes(node, early):
    group = ReentrantCallbackGroup()

    def execute(handle):
        handle.succeed()
        return ExecuteSkill.Result(finished=True)

    server = ActionServer(node, ExecuteSkill, "execute_skill", execute, callback_group=group)
    client = LiveActionClient(node, ExecuteSkill, "execute_skill", callback_group=group)
    assert client.wait_for_server(10.0)
    if early:
        client._feedback_callbacks = Slow()
    answered = threading.Event()
    sent = client.send_goal_async(ExecuteSkill.Goal(), lambda feedback: None)
    sent.add_done_callback(lambda future: answered.set())
    assert answered.wait(10.0) and sent.result().accepted
    ended = threading.Event()
    result = sent.result().get_result_async()
    result.add_done_callback(lambda future: ended.set())
    assert ended.wait(10.0) and result.result().result.finished
    client.destroy()
    server.destroy()
