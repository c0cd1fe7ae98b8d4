"""With a real service in another process."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("rclpy")

from fmrl_ros.nodes.liveness import Watch
from fmrl_ros.nodes.ros_embodiment import RosEmbodiment

pytestmark = pytest.mark.graph

DESCRIBER = """
import fmrl_ros.nodes
import rclpy
from fmrl_interfaces.srv import DescribeScene

def describe(request, response):
    response.scene.header.stamp.sec = 1
    return response

rclpy.init()
node = rclpy.create_node("scene_describer")
node.create_service(DescribeScene, "describe_scene", describe)
print("up", flush=True)
rclpy.spin(node)
"""


@pytest.fixture
def start_describer(node):
    started = []

    def start():
        environment = {**os.environ, "ROS_DOMAIN_ID": str(node.context.get_domain_id())}
        command = [sys.executable, "-c", DESCRIBER]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment))
        assert started[-1].stdout.readline() == "up\n"
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_node_that_was_killed_and_restarted_answers(node, start_describer):
    robot = RosEmbodiment(node, Watch(node, []))
    first = start_describer()
    assert robot.describe_scene().stamp == 1.0
    first.kill()
    first.wait()
    start_describer()
    assert robot.describe_scene().stamp == 1.0
