"""One robot with two cameras, whose pictures are taken together."""

import pytest
from camera_driver import CameraDriver
from diagnostic_msgs.msg import DiagnosticArray
from fmrl_interfaces.msg import Scene as SceneMessage

pytestmark = [pytest.mark.graph, pytest.mark.slow]
CAMERAS = ("front", "side")
OPTIONS = {"cameras": ",".join(CAMERAS)}


@pytest.fixture
def driver(describer, probe):
    driver = CameraDriver(probe.node, cameras=CAMERAS)
    yield driver
    driver.close()


def test_pictures_taken_together_make_one_scene(probe, driver):
    scenes = probe.listen(SceneMessage, "/scene", 10)
    probe.wait(lambda: len(scenes) > 5, 20, "scenes")
    before = len(scenes)
    probe.wait(lambda: len(scenes) >= before + 20, 20, "twenty more scenes")
    stamps = [(scene.header.stamp.sec, scene.header.stamp.nanosec) for scene in scenes[before : before + 20]]
    assert len(set(stamps)) >= 18


def test_a_silent_camera_is_named_and_not_waited_for(probe, driver):
    scenes = probe.listen(SceneMessage, "/scene", 10)
    reports = probe.listen(DiagnosticArray, "/diagnostics", 10)
    probe.wait(lambda: len(scenes) > 5, 20, "scenes")
    driver.fault = "silent"
    probe.wait(
        lambda: any(
            "no picture from camera 'side'" in status.message for report in reports for status in report.status
        ),
        10,
        "a diagnostic of the side camera",
    )
    before = len(scenes)
    probe.wait(lambda: len(scenes) >= before + 10, 10, "scenes of the front camera alone")
