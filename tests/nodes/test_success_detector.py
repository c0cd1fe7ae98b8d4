"""What the success detector keeps, and what it says when a judge breaks; without ROS."""

from types import SimpleNamespace

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from fmrl_interfaces.msg import Verdict
from fmrl_interfaces.srv import DetectSuccess

from fmrl_ros.nodes.success_detector import SuccessDetectorNode
from fmrl_ros.nodes.support import conversions
from fmrl_ros.nodes.support.managed import ManagedNode
from fmrl_ros.perception.view import View
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.scene import Verdict as Judged


class Feed:
    """Shows which run of the driver a picture is of."""

    camera = SimpleNamespace(name="front")
    stamp, run = None, 0

    def picture(self):
        return View(np.full((2, 2, 3), self.run, np.uint8), name="front", stamp=self.stamp)


@pytest.fixture
def detector(monkeypatch):
    monkeypatch.setattr(ManagedNode, "__init__", lambda *_: None)
    monkeypatch.setattr(ManagedNode, "now", 12.0)
    return SuccessDetectorNode()


def test_pictures_of_before_a_restart_of_the_driver_are_forgotten(detector):
    detector._feeds = [Feed()]
    (feed,) = detector._feeds
    for feed.run, length in ((1, 100), (2, 40)):
        for step in range(length):
            feed.stamp = 0.1 * step + 0.05 * feed.run
            detector._collect()
    assert len(detector._album) > 10
    for stamp in (1.0, 2.0, 3.0, 3.9):
        (view,) = detector._observation(Scene(stamp, ())).views
        assert view.color[0, 0, 0] == 2 and abs(view.stamp - stamp) < 0.3
    assert not detector._observation(Scene(8.0, ())).views


def test_a_judge_that_breaks_knows_nothing(detector, monkeypatch):
    def judge(skill, before, after):
        return skill.arguments[0]

    errors = []
    detector.active, detector._settle, detector._patience = True, 0.0, 1.0
    detector._judge = SimpleNamespace(judge=judge)
    detector._scene.set(Scene(1.0, ()))
    monkeypatch.setattr(detector, "get_logger", lambda: SimpleNamespace(error=errors.append))
    verdict = detector._detect(DetectSuccess.Request(), DetectSuccess.Response()).verdict
    assert verdict.value == Verdict.UNKNOWN and verdict.confidence == 0.0
    assert "judging broke: IndexError" in verdict.reason
    assert "Traceback" in errors[0]


def test_a_judge_that_fails_is_named_in_the_diagnostics(detector):
    detector.active = True
    detector._scene.set(Scene(1.0, ()))
    detector._judge = SimpleNamespace(failing={"vlm": "the server does not answer"})
    assert detector.status()[:2] == (DiagnosticStatus.WARN, "vlm does not judge: the server does not answer")
    detector._judge.failing = {}
    assert detector.status()[:2] == (DiagnosticStatus.OK, "watching")


def test_what_was_seen_before_a_reset_does_not_count(detector):
    detector.active, detector._settle, detector._patience = True, 0.0, 0.1
    detector._judge = SimpleNamespace(
        judge=lambda skill, before, after: Judged(True, 1.0, f"from {before.scene.stamp}")
    )
    detector._take_scene(conversions.scene_message(Scene(9.0, ())))
    detector._album.append(View(np.zeros((2, 2, 3), np.uint8), name="front", stamp=9.0))

    def ask(stamp):
        request = DetectSuccess.Request(before=conversions.scene_message(Scene(stamp, ())))
        return detector._detect(request, DetectSuccess.Response()).verdict

    assert ask(9.0).reason == "from 9.0"
    detector._begin_epoch(10.0)
    assert not detector._album
    detector._take_scene(conversions.scene_message(Scene(9.5, ())))
    assert "no camera picture has arrived since" in ask(11.0).reason
    detector._take_scene(conversions.scene_message(Scene(11.0, ())))
    verdict = ask(9.0)
    assert verdict.value == Verdict.UNKNOWN and verdict.reason == "the world was reset since the skill began"
    assert ask(11.0).reason == "from 11.0"
