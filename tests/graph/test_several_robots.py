"""One process looks through the cameras of two robots."""

import pytest
from camera_driver import CameraDriver
from diagnostic_msgs.msg import DiagnosticArray
from fmrl_interfaces.msg import Scene as SceneMessage
from fmrl_interfaces.srv import AskScene, DescribeScene

from fmrl_ros.nodes.support.conversions import scene_from

pytestmark = [pytest.mark.graph, pytest.mark.slow]
ROBOTS = {"left": 77, "right": 78}
OPTIONS = {"namespace": ",".join(ROBOTS)}


@pytest.fixture
def drivers(describer, probe):
    drivers = {robot: CameraDriver(probe.node, robot, seed) for robot, seed in ROBOTS.items()}
    for robot in ROBOTS:
        scenes = probe.listen(SceneMessage, f"/{robot}/scene", 1)
        probe.wait(lambda scenes=scenes: len(scenes) > 3, 20, f"scenes of {robot}")
    yield drivers
    for driver in drivers.values():
        driver.close()


def test_each_robot_has_the_scene_of_its_own_cameras(probe, drivers):
    seen = {robot: scene_from(probe.call(DescribeScene, f"/{robot}/describe_scene").scene) for robot in ROBOTS}
    for robot, driver in drivers.items():
        placed = {o.name: o.position for o in seen[robot].objects if o.kind in ("block", "bowl")}
        assert placed
        for name, position in placed.items():
            assert driver.truth[name].position == pytest.approx(position, abs=0.02)
    assert seen["left"].text != seen["right"].text


def test_one_robots_broken_camera_leaves_the_other_its_eyes(probe, drivers):
    reports = probe.listen(DiagnosticArray, "/left/diagnostics", 10)
    drivers["left"].fault = "black"
    probe.wait(
        lambda: any("black" in status.message for report in reports for status in report.status),
        10,
        "a diagnostic of the left robot's camera",
    )
    assert {status.name for report in reports for status in report.status} == {"/left/scene_describer"}
    before = len(probe.received["/right/scene"])
    probe.wait(lambda: len(probe.received["/right/scene"]) > before + 3, 10, "scenes of the right robot")
    probe.wait(
        lambda: not probe.call(AskScene, "/left/ask_scene", question="what is on the table?").known, 5, "ignorance"
    )
    assert probe.call(AskScene, "/right/ask_scene", question="what is on the table?").known
