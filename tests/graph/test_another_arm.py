"""The nodes move an arm of six joints as they move the one that the skills were trained with."""

import json
from dataclasses import replace

import pytest
from fmrl_interfaces.action import ExecuteSkill
from fmrl_interfaces.msg import Scene as SceneMessage
from sensor_msgs.msg import JointState

from fmrl_ros.bringup.graph import GraphOptions, nodes
from fmrl_ros.bringup.supervisor import Supervisor
from fmrl_ros.nodes.support import conversions
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.worlds.world import load_world

pytestmark = [pytest.mark.graph, pytest.mark.slow]
PROFILE = load_profile("six_joint_sim")
WORLD = load_world("tabletop")
WITHOUT_A_PLANNER = ("mujoco_bridge", "scene_describer", "skill_server")


@pytest.fixture
def truth(domain, tmp_path):
    """A running graph; what it returns ends it and says what was true then."""
    truth_path = str(tmp_path / "truth.json")
    options = GraphOptions(robot="six_joint_sim", seed=4, real_time_factor=0.5, truth_path=truth_path)
    specs = [spec for spec in nodes("sim", options) if spec.name in WITHOUT_A_PLANNER]
    alone = [
        replace(spec, parameters={**spec.parameters, "needs": [""]}) if spec.name == "skill_server" else spec
        for spec in specs
    ]
    with Supervisor(alone, environment={"ROS_DOMAIN_ID": str(domain)}) as graph:
        graph.wait_ready(120)

        def at_the_end():
            graph.stop()
            return json.loads((tmp_path / "truth.json").read_text())

        yield at_the_end


def test_a_block_is_picked_up_and_put_into_a_bowl(truth, probe):
    scenes = probe.listen(SceneMessage, "/scene")
    joints = probe.listen(JointState, f"/{PROFILE.topics.joint_states}")
    probe.wait(lambda: scenes and joints, 30, "a scene and joint states")
    assert list(joints[-1].name) == [*PROFILE.joints, *PROFILE.gripper_joints]
    for phrase in ("pick up the red block", "place it in the blue bowl"):
        skill = conversions.skill_message(WORLD.skill(phrase))
        goal = probe.goal(ExecuteSkill, "/execute_skill", skill=skill)
        result = probe.result(goal.get_result_async(), 60, phrase).result
        assert result.finished, result.reason
    assert truth()["objects"]["red block"]["in"] == "blue bowl"
