"""What the scene describer says and does where something is missing; with cameras and backends that tests make up."""

import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from fmrl_interfaces.srv import AskScene, DescribeScene

from fmrl_ros.nodes import scene_describer
from fmrl_ros.nodes.scene_describer import SceneDescriberNode
from fmrl_ros.nodes.support import conversions
from fmrl_ros.nodes.support.managed import ManagedNode
from fmrl_ros.perception.backends.backend import Observation
from fmrl_ros.perception.view import View
from fmrl_ros.robot.state import RobotState
from fmrl_ros.worlds.scene import Scene, SceneObject

SCENE = Scene(1.0, (SceneObject("red block", "block", (0.5, 0.0, 0.02), 0.0, (0.04, 0.04, 0.04), 1.0),))


class Feed:
    """Has a picture of time `stamp`; `defect` is what is wrong with it."""

    dropped, fresh, unpaired = 0, True, ""

    def __init__(self, name, defect=None):
        self.camera, self.stamp, self.defect = SimpleNamespace(name=name), 1.0, defect

    def forget(self):
        self.stamp = None

    def view(self, state_at):
        if self.defect:
            raise ValueError(self.defect)
        return View(np.zeros((2, 2, 3), np.uint8), name=self.camera.name, stamp=self.stamp)


class Node(SceneDescriberNode):
    """As it is once it is active, without ROS."""

    now, active = 1.0, True

    def __init__(self, *feeds):
        super().__init__()
        self.described, self.errors = [], []
        self._feeds, self._world = feeds, None
        self._joints = SimpleNamespace(absence=lambda: "nobody publishes /lab/joint_states")
        self.resets = 0
        self._describer = SimpleNamespace(describe=self._look, defects=[], reset=self._reset)
        self._topic = SimpleNamespace(publish=lambda message: None)

    def _reset(self):
        self.resets += 1

    def _look(self, views, robot):
        self.described.append([view.name for view in views])
        return SCENE

    def get_logger(self):
        return SimpleNamespace(warning=lambda text, **_: None, error=lambda text, **_: self.errors.append(text))

    def until(self, condition):
        """Let pictures come until a condition holds."""
        deadline = time.monotonic() + 10
        while not condition():
            assert time.monotonic() < deadline, "waited too long"
            self._arrived.set(object())
            time.sleep(0.02)

    def ask(self):
        return self._ask(AskScene.Request(question="what?"), AskScene.Response())

    def describe(self):
        return self._describe(DescribeScene.Request(), DescribeScene.Response()).scene


def state(stamp):
    return RobotState(stamp, np.zeros(7), np.zeros(7), 0.08)


@pytest.fixture
def looking(monkeypatch):
    """Return a function that gives a node with some cameras, at work."""
    monkeypatch.setattr(ManagedNode, "__init__", lambda *_: None)
    monkeypatch.setattr(scene_describer, "JOINTS_TIMEOUT", 60.0)  # one joint state is enough for a test
    nodes = []

    def start(*feeds, joints=True):
        nodes.append(Node(*feeds))
        if joints:
            nodes[-1]._take_state(state(1.0))
        nodes[-1].serve()
        return nodes[-1]

    yield start
    for node in nodes:
        node.halt()


def test_where_no_joint_states_come_the_cameras_are_not_blamed_and_the_processor_rests(looking, monkeypatch):
    monkeypatch.setattr(scene_describer, "_OLD", 60.0)  # the last picture is still a new one below
    node = looking(Feed("front"), joints=False)
    said = "no joint_states for 1.0 s; nobody publishes /lab/joint_states"
    node.until(lambda: node.status()[:2] == (DiagnosticStatus.WARN, said))
    assert said in node.ask().answer
    time.sleep(0.1)
    busy = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - busy < 0.25


@pytest.fixture
def at_once(monkeypatch):
    """Nobody waits for a picture that does not come."""
    for patience in ("_FIRST_PATIENCE", "_FRESH_PATIENCE"):
        monkeypatch.setattr(scene_describer, patience, 0.01)


def test_joint_states_that_cease_or_cannot_be_the_arms_are_named_and_nothing_is_described(
    looking, at_once, monkeypatch
):
    monkeypatch.setattr(scene_describer, "_OLD", 0.3)
    node = looking(Feed("front"))
    node.until(lambda: node.described)
    said = "joint_states of /lab/driver: fr3_joint2 is nan, not a finite number"
    node._refuse_state(said)
    node.until(lambda: node.status()[1] == said)
    described = len(node.described)
    node.until(lambda: node.ask().answer == f"I see nothing: {said}")
    assert len(node.described) == described
    node._take_state(state(1.1))
    node.until(lambda: node.status()[1] == "looking" and len(node.described) > described)
    monkeypatch.setattr(scene_describer, "JOINTS_TIMEOUT", 0.0)
    node.until(lambda: "nobody publishes /lab/joint_states" in node.status()[1])


def test_a_scene_that_there_is_not_says_why_as_an_answer_and_the_diagnostics_do(looking, at_once):
    node = looking(Feed("front", "the encoding is odd"))
    node.until(lambda: node.status()[1] == "camera 'front': the encoding is odd")
    scene = node.describe()
    assert scene.text == node.ask().answer == "I see nothing: camera 'front': the encoding is odd"
    assert not scene.objects and conversions.seconds(scene.header.stamp) == 0.0
    node.active = False
    assert node.describe().text == node.ask().answer == "I see nothing: scene_describer is not active"


def test_a_camera_that_falls_silent_is_named_whatever_was_wrong_before(looking, monkeypatch):
    monkeypatch.setattr(scene_describer, "_OLD", 0.3)
    node = looking(Feed("front", "the encoding is odd"))
    node.until(lambda: node.status()[1] == "camera 'front': the encoding is odd")
    time.sleep(1.0)
    assert node.status()[1] == "no picture from camera 'front'"
    assert node.ask().answer == "I see nothing: no picture from camera 'front'"


def test_a_camera_whose_colour_and_depth_do_not_fit_together_is_not_just_silent(looking, monkeypatch):
    monkeypatch.setattr(scene_describer, "_OLD", 0.3)
    feed = Feed("front")
    feed.stamp, feed.unpaired = None, "its colour and depth are 0.040 s apart"
    node = looking(feed)
    time.sleep(1.0)
    said = "camera 'front': its colour and depth are 0.040 s apart"
    assert node.status()[1] == said
    assert node.ask().answer == f"I see nothing: {said}"


def test_one_camera_of_no_use_does_not_blind_the_other(looking):
    side = Feed("side", "the encoding is odd")
    node = looking(Feed("front"), side)
    node.until(lambda: len(node.described) > 2)
    assert node.described[-1] == ["front"]
    assert node.status()[1] == "camera 'side': the encoding is odd"
    assert {feed.camera.name for feed in node._awaited} == {"front"}
    side.defect = None
    node.until(lambda: node.described[-1] == ["front", "side"] and node.status()[1] == "looking")


def test_a_camera_that_lags_behind_is_silent(looking):
    side = Feed("side")
    node = looking(Feed("front"), side)
    side.stamp = 0.5
    node.until(lambda: node.status()[1] == "no picture from camera 'side'")


def test_a_camera_that_lags_behind_for_want_of_depth_is_named_with_that(looking):
    side = Feed("side")
    node = looking(Feed("front"), side)
    side.stamp, side.unpaired = 0.5, "only colour comes, no depth"
    node.until(lambda: node.status()[1] == "camera 'side': only colour comes, no depth")


def test_a_backend_that_breaks_is_an_answer(looking, monkeypatch):
    def break_down(*_):
        raise IndexError("no such word")

    node = looking()
    node._seen.set(Observation(SCENE, ()))
    node._answerer = SimpleNamespace(answer=break_down)
    answer = node.ask()
    assert not answer.known and "I don't know: " in answer.answer and "no such word" in answer.answer
    monkeypatch.setattr(scene_describer, "describe_changes", break_down)
    request = DescribeScene.Request(since=conversions.scene_message(SCENE))
    scene = node._describe(request, DescribeScene.Response()).scene
    assert [entry.name for entry in scene.objects] == ["red block"] and "no such word" in scene.text
    assert all("Traceback" in error for error in node.errors) and len(node.errors) == 2


def test_after_a_restart_of_the_driver_nothing_seen_before_counts(looking):
    front, side = Feed("front"), Feed("side")
    node = looking(front, side)
    node.until(lambda: ["front", "side"] in node.described)
    before = node.resets
    node._take_state(state(0.0))
    front.stamp = 0.05
    node.described.clear()
    node.until(lambda: node.described)
    assert set(map(tuple, node.described)) == {("front",)} and node.resets == before + 1


def test_after_a_reset_no_picture_and_no_scene_of_before_counts(looking, monkeypatch):
    feed = Feed("front")
    node = looking(feed)
    node.until(lambda: node.describe().objects)
    before = node.resets
    monkeypatch.setattr(Node, "now", 5.0)
    monkeypatch.setattr(scene_describer, "_FIRST_PATIENCE", 0.0)
    monkeypatch.setattr(scene_describer, "_FRESH_PATIENCE", 0.1)
    node._begin_epoch(3.0)
    feed.stamp = 2.5  # was on its way
    described = len(node.described)
    node.until(lambda: node.resets == before + 1)
    node.until(lambda: "no picture from camera 'front'" in node.status()[1])
    assert not node.describe().objects and len(node.described) <= described + 1
    feed.stamp = 3.5
    node._describer.describe = lambda views, robot: replace(SCENE, stamp=views[0].stamp)
    node.until(lambda: node.describe().objects)
