"""The relay between a robot's driver and the rest, over real DDS."""

import numpy as np
import pytest

pytest.importorskip("rclpy")

from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from fmrl_ros.bringup.graph import NodeSpec
from fmrl_ros.bringup.supervisor import Supervisor
from fmrl_ros.nodes.fault_relay import NONE, relayed_topics, remaps
from fmrl_ros.nodes.support import conversions
from fmrl_ros.robot.profile import load_profile

PROFILE = load_profile("franka_sim")
NAMES = (*PROFILE.joints, *PROFILE.gripper_joints)
TOPICS = relayed_topics(PROFILE, ("front",))


def test_a_driver_and_a_describer_are_renamed_and_everything_passes_the_relay():
    of_driver, of_describer = remaps(TOPICS, "mujoco_bridge"), remaps(TOPICS, "scene_describer")
    assert of_describer == {"scene": "raw/scene"}
    assert of_driver["/clock"] == "/raw/clock" and of_driver["front/depth"] == "raw/front/depth"
    assert {*of_driver, *of_describer} == {topic.name for topic in TOPICS}


@pytest.fixture(scope="module")
def relay(domain):
    spec = NodeSpec("fault_relay", "fault_relay", "", {"robot": "franka_sim", "cameras": "front"})
    with Supervisor([spec], environment={"ROS_DOMAIN_ID": str(domain)}) as graph:
        graph.wait_ready(60)
        yield graph
        assert graph.stop() == {"fault_relay": 0}


def set_fault(probe, name):
    value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=name)
    parameters = [Parameter(name="fault", value=value)]
    return probe.call(SetParameters, "/fault_relay/set_parameters", parameters=parameters).results[0]


@pytest.mark.graph
def test_messages_pass_unchanged_until_a_fault_is_set_and_after_it(relay, probe):
    came = probe.listen(JointState, "/joint_states", 10)
    q = np.array([*PROFILE.home, 0.04, 0.04])
    message = conversions.joint_state_message(NAMES, 3.0, q, np.zeros(len(q)))

    def published(wanted):
        def again():
            came.clear()
            probe.publish(message, "/raw/joint_states", 10)
            probe.wait(lambda: came, 5, "a joint state")
            return wanted(came[-1])

        probe.wait(again, 10, "such a joint state")

    published(lambda state: state == message)
    assert set_fault(probe, "joint 2 is NaN").successful
    published(lambda state: np.isnan(state.position[1]))
    assert set_fault(probe, NONE).successful
    published(lambda state: state == message)


@pytest.mark.graph
def test_commands_pass_towards_the_driver(relay, probe):
    came = probe.listen(Float64MultiArray, f"/raw/{PROFILE.topics.arm_commands}", 1)
    message = Float64MultiArray(data=PROFILE.home.tolist())
    probe.publish(message, f"/{PROFILE.topics.arm_commands}")
    probe.wait(lambda: came, 5, "a command")
    assert came[-1] == message


@pytest.mark.graph
def test_an_unknown_fault_is_refused_with_the_known_ones(relay, probe):
    answer = set_fault(probe, "bad weather")
    assert not answer.successful and "black pictures" in answer.reason
