"""When the success detector answers: with the first scene that is late enough, or that none comes."""

import time

import pytest
from fmrl_interfaces.msg import Scene as SceneMessage
from fmrl_interfaces.srv import DetectSuccess

from fmrl_ros.bringup.graph import GraphOptions, nodes
from fmrl_ros.bringup.supervisor import Supervisor
from fmrl_ros.nodes.support.conversions import scene_message, skill_message
from fmrl_ros.planning.symbolic_embodiment import SymbolicEmbodiment
from fmrl_ros.worlds.symbolic import TABLE, SymbolicState
from fmrl_ros.worlds.world import load_world

pytestmark = [pytest.mark.graph, pytest.mark.slow]
WORLD = load_world("tabletop")
PICK = WORLD.skill("pick up the red block")


@pytest.fixture
def detector(domain):
    (spec,) = (spec for spec in nodes("robot", GraphOptions()) if spec.name == "success_detector")
    with Supervisor([spec], environment={"ROS_DOMAIN_ID": str(domain)}) as graph:
        graph.wait_ready(60)
        yield graph
        graph.stop()


def scenes():
    """Return a scene before the red block is picked up, and one after."""
    robot = SymbolicEmbodiment(SymbolicState.of(WORLD, dict.fromkeys(WORLD.names_of_kind("block"), TABLE)))
    before = robot.describe_scene()
    robot.execute_skill(PICK)
    return before, robot.describe_scene()


def test_a_question_before_the_first_scene_of_all_waits_for_it(detector, probe):
    before, after = map(scene_message, scenes())
    publisher = probe.publisher(SceneMessage, "/scene")
    client = probe.client(DetectSuccess, "/detect_success")
    answer = client.call_async(DetectSuccess.Request(skill=skill_message(PICK), before=before))
    time.sleep(1.5)
    assert not answer.done()
    publisher.publish(after)
    probe.wait(answer.done, 10, "an answer")
    verdict = answer.result().verdict
    assert verdict.value == verdict.FALSE and "has not lifted it" in verdict.reason  # symbolic hands do not lift


def test_where_no_scene_comes_at_all_nothing_is_known(detector, probe):
    client = probe.client(DetectSuccess, "/detect_success")
    answer = client.call_async(DetectSuccess.Request(skill=skill_message(PICK)))
    probe.wait(answer.done, 10, "an answer")
    assert "no camera picture has arrived since" in answer.result().verdict.reason
