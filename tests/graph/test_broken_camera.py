"""What a camera that fails does to a robot: a diagnostic, no scene, no answer, and a skill that stops.

What a driver may do with its pictures, and a machine that stalls, do to it: nothing.
"""

import os
import signal
import time
from dataclasses import replace

import numpy as np
import pytest
from camera_driver import FAULTS, HABITS, CameraDriver
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from fmrl_interfaces.action import ExecuteSkill
from fmrl_interfaces.msg import Scene as SceneMessage
from fmrl_interfaces.srv import AskScene, DescribeScene
from probe import Probe

from fmrl_ros.bringup.graph import GraphOptions, nodes
from fmrl_ros.bringup.supervisor import Supervisor
from fmrl_ros.nodes.support.conversions import skill_message
from fmrl_ros.worlds.world import load_world

pytestmark = [pytest.mark.graph, pytest.mark.slow]
WORLD = load_world("tabletop")


@pytest.fixture(scope="module")
def graph(domain):
    specs = [spec for spec in nodes("robot", GraphOptions()) if spec.name in ("scene_describer", "skill_server")]
    slow = {"needs": [""], "scene_age": 1.0, "patience": 2.0}  # this process renders the pictures, beside the graph
    alone = [replace(spec, parameters={**spec.parameters, **slow}) for spec in specs]
    with Supervisor(alone, environment={"ROS_DOMAIN_ID": str(domain)}) as graph:
        graph.wait_ready(60)
        yield graph
        graph.stop()


@pytest.fixture(scope="module")
def probe(domain):
    """One node for all tests: its clients are known to the servers, so that no answer to them is lost."""
    probe = Probe(domain)
    probe.listen(SceneMessage, "/scene", 1)
    probe.listen(DiagnosticArray, "/diagnostics", 10)
    yield probe
    probe.close()


@pytest.fixture(scope="module")
def one_driver(graph, probe):
    """One arm for all tests: a new one would begin at home, which the skill server refuses as a jump."""
    driver = CameraDriver(probe.node)
    yield driver
    driver.close()


@pytest.fixture
def driver(probe, one_driver):
    """The driver without a fault, once its scenes come again."""
    one_driver.fault = None
    scenes = probe.received["/scene"]
    seen = len(scenes)
    probe.wait(lambda: len(scenes) > seen + 5, 20, "scenes")
    return one_driver


def newest(reports, node):
    statuses = [status for report in reports for status in report.status if status.name.endswith(node)]
    return statuses[-1] if statuses else None


@pytest.mark.parametrize("fault", FAULTS)
def test_what_a_broken_camera_shows_is_never_passed_on(probe, driver, fault):
    reports, scenes = probe.received["/diagnostics"], probe.received["/scene"]
    driver.fault = fault
    said = FAULTS[fault][1]
    probe.wait(
        lambda: (
            (status := newest(reports, "scene_describer")) is not None
            and status.level == DiagnosticStatus.WARN
            and said in status.message
        ),
        10,
        f"a diagnostic with '{said}'",
    )
    passed_on = len(scenes)
    probe.wait(lambda: probe.call(DescribeScene, "/describe_scene").scene.objects == [], 5, "the old scene to be gone")
    answer = probe.call(AskScene, "/ask_scene", question="what is on the table?")
    assert not answer.known
    for text in (answer.answer, probe.call(DescribeScene, "/describe_scene").scene.text):
        assert "camera 'front'" in text and said in text
    assert len(scenes) == passed_on
    driver.fault = None
    probe.wait(lambda: len(scenes) > passed_on + 3, 10, "scenes of the mended camera")
    assert probe.call(DescribeScene, "/describe_scene").scene.objects


@pytest.mark.parametrize("habit", HABITS)
def test_pictures_that_a_driver_may_send_show_things_where_they_are(probe, driver, habit):
    reports, scenes = probe.received["/diagnostics"], probe.received["/scene"]
    driver.fault = habit
    time.sleep(1.5)  # so that older pictures are out of the way
    reports.clear()
    seen = len(scenes)
    probe.wait(lambda: len(scenes) > seen + 10, 10, "scenes")
    off = {
        thing.name: np.linalg.norm(np.array(position(thing)) - driver.truth[thing.name].position)
        for thing in scenes[-1].objects
        if thing.visible and thing.name in driver.truth
    }
    assert len(off) > 2 and max(off.values()) < 0.02, off
    probe.wait(lambda: newest(reports, "scene_describer") is not None, 5, "a diagnostic")
    assert newest(reports, "scene_describer").message == "looking"


def position(thing):
    return thing.pose.position.x, thing.pose.position.y, thing.pose.position.z


@pytest.fixture
def running(probe, driver):
    skill = next(s for s in WORLD.options if s.name == "pick" and s.arguments[0] in driver.truth)
    handle = probe.goal(ExecuteSkill, "/execute_skill", skill=skill_message(skill))
    assert handle.accepted
    ended = handle.get_result_async()
    time.sleep(0.5)
    assert not ended.done(), ended.result().result.reason
    return ended


def test_a_skill_that_can_no_longer_see_ends_by_itself(probe, driver, running):
    driver.fault = "black"
    result = probe.result(running, 10, "the skill").result
    assert not result.finished
    assert "scene older than" in result.reason


def test_a_skill_server_that_was_held_up_does_not_take_that_for_a_silent_robot(graph, probe, driver, running):
    for _ in range(2):
        os.kill(graph.pids["skill_server"], signal.SIGSTOP)
        time.sleep(2.5)  # longer than its patience
        os.kill(graph.pids["skill_server"], signal.SIGCONT)
        time.sleep(0.5)
    assert not running.done(), running.result().result.reason
    driver.fault = "black"
    assert "scene older than" in probe.result(running, 10, "the skill").result.reason
