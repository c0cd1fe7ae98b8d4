"""What joint states that cannot be right do to a skill: it ends with the publisher's name, and the arm holds."""

import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from fmrl_interfaces.action import ExecuteSkill
from fmrl_interfaces.msg import Scene as SceneMessage
from fmrl_interfaces.srv import ScoreAffordances
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from fmrl_ros.bringup.graph import GraphOptions, nodes
from fmrl_ros.bringup.supervisor import Supervisor
from fmrl_ros.nodes.support import conversions
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.worlds.scene import Scene, SceneObject
from fmrl_ros.worlds.world import load_world

pytestmark = [pytest.mark.graph, pytest.mark.slow]
PROFILE = load_profile("franka_sim")
NAMES = (*PROFILE.joints, *PROFILE.gripper_joints)
PICK = load_world("tabletop").skill("pick up the red block")
BLOCK = SceneObject("red block", "block", (0.5, 0.0, 0.02), 0.0, (0.04, 0.04, 0.04), 0.9)


class Driver:
    """An arm that stands still, and a camera that sees one block; `fault` changes what is published of the joints."""

    def __init__(self, node, quality):
        self._joints = node.create_publisher(JointState, f"/{PROFILE.topics.joint_states}", quality)
        self._scenes = node.create_publisher(SceneMessage, "/scene", 1)
        self.fault = lambda stamp, positions: [(stamp, positions)]
        self._over = threading.Event()
        self._node = node
        self._thread = threading.Thread(target=self._publish)
        self._thread.start()

    def close(self):
        self._over.set()
        self._thread.join()
        self._node.destroy_publisher(self._joints)
        self._node.destroy_publisher(self._scenes)

    def _publish(self):
        while not self._over.wait(0.02):
            now, positions = time.time(), np.array([*PROFILE.home, 0.04, 0.04])
            self._scenes.publish(conversions.scene_message(Scene(now, (BLOCK,))))
            for stamp, joints in self.fault(now, positions):
                self._joints.publish(conversions.joint_state_message(NAMES, stamp, joints, np.zeros(len(joints))))


def not_a_number(stamp, positions):
    return [(stamp, np.where(np.arange(len(positions)) == 1, np.nan, positions))]


def a_second_publisher(stamp, positions):
    return [(stamp, positions), (stamp, np.zeros(len(positions)))]


def another_clock(stamp, positions):
    return [(12.5, positions)]


def no_stamp(stamp, positions):
    return [(0.0, positions)]


def silence(stamp, positions):
    return []


@pytest.fixture(scope="module")
def graph(domain):
    specs = [spec for spec in nodes("robot", GraphOptions()) if spec.name == "skill_server"]
    alone = [replace(spec, parameters={**spec.parameters, "needs": [""]}) for spec in specs]
    with Supervisor(alone, environment={"ROS_DOMAIN_ID": str(domain)}) as graph:
        graph.wait_ready(60)
        yield graph
        graph.stop()


@pytest.fixture
def start(graph, probe):
    drivers = []

    def begin(quality=1):
        drivers.append(Driver(probe.node, quality))
        return drivers[-1]

    yield begin
    for driver in drivers:
        driver.close()


def score(probe):
    return probe.call(ScoreAffordances, "/score_affordances", skills=[conversions.skill_message(PICK)])


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (not_a_number, "joint_states of /probe: fr3_joint2 is nan, not a finite number"),
        (a_second_publisher, "joint_states of /probe: fr3_joint6 at 0.00 rad is outside its limits"),
    ],
)
def test_a_running_skill_ends_by_joint_and_publisher_and_sends_nothing_that_is_no_number(probe, start, fault, words):
    driver = start()
    probe.wait(lambda: score(probe).success, 20, "fresh joint states and scenes")
    commands = probe.listen(Float64MultiArray, f"/{PROFILE.topics.arm_commands}", 10)
    handle = probe.goal(ExecuteSkill, "/execute_skill", skill=conversions.skill_message(PICK))
    sent = len(commands)
    probe.wait(lambda: len(commands) > sent + 3, 10, "commands")
    driver.fault = fault
    assert words in probe.result(handle.get_result_async(), 10, "the skill").result.reason
    sent = len(commands)
    answer = score(probe)
    assert not answer.success and words in answer.message
    assert len(commands) == sent
    assert all(np.isfinite(command.data).all() for command in commands)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (no_stamp, "joint_states are stamped 0; the driver must fill in header.stamp"),
        (another_clock, "joint_states are stamped with a simulation's time, but this node goes by wall time"),
        (silence, "publishes /joint_states, but nothing of arm and hand comes"),
    ],
)
def test_joint_states_that_are_no_good_from_the_start_are_named(probe, start, fault, words):
    start().fault = fault
    probe.wait(lambda: words in score(probe).message, 20, words)


def test_a_publisher_that_cannot_be_heard_is_named_with_its_quality_of_service(probe, start):
    start(QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT))
    words = "/probe publishes /joint_states with best effort, reliable is needed"
    probe.wait(lambda: words in score(probe).message, 20, words)
