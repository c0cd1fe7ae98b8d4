"""With a real service in another process."""

import os
import subprocess
import sys
import time

import pytest

pytest.importorskip("rclpy")

from fmrl_interfaces.msg import Skill, SkillLibrary

from fmrl_ros.nodes.support import ros_embodiment
from fmrl_ros.nodes.support.liveness import Watch
from fmrl_ros.nodes.support.ros_embodiment import RosEmbodiment

pytestmark = pytest.mark.graph

DESCRIBER = """
import sys
import time
import fmrl_ros.nodes
import rclpy
from fmrl_interfaces.srv import DescribeScene
from fmrl_ros.nodes.support.liveness import offer_liveness

asked = 0

def describe(request, response):
    global asked
    asked += 1
    response.scene.header.stamp.sec = asked
    time.sleep(float(sys.argv[1]))
    return response

rclpy.init()
node = rclpy.create_node("scene_describer")
offer_liveness(node)
node.create_service(DescribeScene, "describe_scene", describe)
print("up", flush=True)
rclpy.spin(node)
"""


@pytest.fixture
def start_describer(node):
    started = []

    def start(takes=0.0):
        environment = {**os.environ, "ROS_DOMAIN_ID": str(node.context.get_domain_id())}
        command = [sys.executable, "-c", DESCRIBER, str(takes)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment))
        assert started[-1].stdout.readline() == "up\n"
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def until(condition, what):
    deadline = time.monotonic() + 20.0
    while not condition():
        assert time.monotonic() < deadline, f"waited too long for {what}"
        time.sleep(0.05)


def test_a_node_that_was_killed_and_restarted_answers(node, start_describer):
    watch = Watch(node, [])
    robot = RosEmbodiment(node, watch)
    first = start_describer()
    assert robot.describe_scene().stamp >= 1.0
    until(lambda: watch.age("scene_describer") > 0.0, "it to be seen")
    first.kill()
    first.wait()
    until(lambda: watch.gone("scene_describer"), "its end to be noticed")
    start_describer()
    until(lambda: not watch.gone("scene_describer"), "the new one")
    assert robot.describe_scene().stamp >= 1.0


def test_a_node_that_takes_its_time_is_asked_once(node, start_describer, monkeypatch):
    monkeypatch.setattr(ros_embodiment, "_RETRY_DELAY", 0.2)
    watch = Watch(node, [])
    robot = RosEmbodiment(node, watch)
    start_describer(takes=0.5)
    robot.describe_scene()
    until(lambda: watch.age("scene_describer") > 0.0, "it to be seen")
    monkeypatch.setattr(ros_embodiment, "_NEW_NODE_AGE", 0.0)
    asked = robot.describe_scene().stamp
    assert robot.describe_scene().stamp == asked + 1


def test_a_skill_server_that_announces_itself_again_is_reached_as_before(node):
    robot = RosEmbodiment(node, Watch(node, []))
    pick = Skill(name="pick", arguments=["red block"], phrase="pick up the red block")
    offer = SkillLibrary(
        server_name="/skill_server", skills=[pick], execute_action="/execute", score_service="/score", list_service="/l"
    )
    robot._take_skill_library(offer)
    clients, waitables = len(list(node.clients)), len(list(node.waitables))
    assert [skill.name for skill in robot.list_skills()] == ["pick"]
    robot._take_skill_library(SkillLibrary(server_name="/skill_server"))
    robot._take_skill_library(offer)
    assert (len(list(node.clients)), len(list(node.waitables))) == (clients, waitables)
    assert [skill.name for skill in robot.list_skills()] == ["pick"]
    robot.close()
