"""Node ``scene_describer``: camera pictures in, scenes and answers about them out."""

from __future__ import annotations

import math
import threading
import time
import traceback
from collections import deque
from collections.abc import Iterable, Mapping
from functools import cache, partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from fmrl_interfaces.msg import Scene as SceneMessage
from fmrl_interfaces.srv import AskScene, DescribeScene
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.utilities import remove_ros_args

from fmrl_ros.meaning.sentence import QUESTION, SentenceError, check_sentence
from fmrl_ros.nodes.support import conversions
from fmrl_ros.nodes.support.camera_feed import CameraFeed
from fmrl_ros.nodes.support.joint_state_feed import JointStateFeed
from fmrl_ros.nodes.support.managed import ManagedNode, run
from fmrl_ros.nodes.support.resets import Resets
from fmrl_ros.perception.backends import EMBEDDED
from fmrl_ros.perception.backends.backend import Backend, BackendError, Observation, load_backend
from fmrl_ros.perception.describer import SceneDescriber
from fmrl_ros.perception.frame import PerceptionError
from fmrl_ros.perception.view import View
from fmrl_ros.robot.epoch import Epoch
from fmrl_ros.robot.kinematics import ForwardKinematics
from fmrl_ros.robot.latest import Latest
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.state import RobotState
from fmrl_ros.skills.freshness import JOINTS_TIMEOUT, no_joint_states
from fmrl_ros.worlds.description import describe_changes
from fmrl_ros.worlds.world import load_world

_HISTORY = 200
"""Robot states remembered, to find the one at a picture's time."""

_TOGETHER = 0.15
"""Pictures whose stamps differ by less show the same scene, s."""

_PATIENCE = 0.06
"""How long the picture of one camera waits for that of another, s of wall time."""

_FIRST_PATIENCE, _FRESH_PATIENCE = 8.0, 1.5
"""A question waits so long for the first picture after the start, and later for a fresh one, s of wall time."""

AHEAD = "the pictures are stamped ahead of the time here: does /clock stand still?"
_OLD = 1.0
"""A scene whose picture came longer ago than this is not what the cameras see now, s of wall time."""


class SceneDescriberNode(ManagedNode):
    """Publishes ``scene`` for every picture that it has time for, always the newest of each camera.

    Parameters: ``world``, ``robot`` (profile name or file), ``cameras`` (names in the profile, separated by commas),
    ``detector`` and ``answerer`` (backends: what finds objects, and what answers questions).

    Namespaces as arguments of the process (``scene_describer left right``) give a node to each: several robots, whose
    models are in memory once and look at the newest pictures of all of them in one pass.
    """

    NICENESS = 5

    def __init__(self, namespace: str | None = None) -> None:
        super().__init__("scene_describer", namespace)
        self._states: deque[RobotState] = deque(maxlen=_HISTORY)
        self._arrived: Latest[object] = Latest()
        self._seen: Latest[Observation] = Latest()
        self._epoch = Epoch()
        self._worker: threading.Thread | None = None
        self._over, self._anew = threading.Event(), threading.Event()
        self._awaited: frozenset[CameraFeed] = frozenset()
        self._described = self._skipped = 0
        self._began = 0.0
        self._latency = 0.0
        self._defect = self._refusal = ""
        self._state_came = -math.inf

    def load(self) -> None:
        """Load the models, and offer topic and services."""
        profile = load_profile(self.parameter("robot", "franka_sim"))
        self._profile, world = profile, self.parameter("world", "tabletop")
        self._world = load_world(world)
        names = [name.strip() for name in self.parameter("cameras", "front").split(",")]
        self._feeds = [
            CameraFeed(self, profile, profile.camera(name), lambda: self._arrived.set(object())) for name in names
        ]
        detector = _backend(self.parameter("detector", EMBEDDED), world)
        detector.prepare_detection()
        self._answerer = _backend(self.parameter("answerer", EMBEDDED), world)
        self._describer = SceneDescriber(self._world, detector, ForwardKinematics(profile).pose)
        self._topic = self.create_publisher(SceneMessage, "scene", 1)
        self._joints = JointStateFeed(self, profile, self._take_state, self._refuse_state, depth=5)
        self._resets = Resets(self, self._begin_epoch)
        patient = ReentrantCallbackGroup()
        self.create_service(DescribeScene, "describe_scene", self._describe, callback_group=patient)
        self.create_service(AskScene, "ask_scene", self._ask, callback_group=patient)

    def serve(self) -> None:
        """Begin to look."""
        self._over.clear()
        self._began = time.monotonic()
        self._awaited = frozenset(self._feeds)
        self._describer.reset()
        self._worker = threading.Thread(target=self._work, name="describer")
        self._worker.start()

    def halt(self) -> None:
        """Cease to look."""
        self._over.set()
        if self._worker is not None:
            self._worker.join()
            self._worker = None

    def unload(self) -> None:
        """Watch the clock no longer."""
        if hasattr(self, "_resets"):
            self._resets.close()
            del self._resets

    def status(self) -> tuple[int, str, Mapping[str, Any]]:
        """Report how many pictures were described, how late, and what was wrong with the last one."""
        if not self.active:
            return DiagnosticStatus.OK, "inactive", {}
        values = {
            "described": self._described,
            "skipped": self._skipped,
            "dropped": sum(feed.dropped for feed in self._feeds),
            "latency_ms": f"{1e3 * self._latency:.1f}",
            "silence_s": f"{self._seen.silence:.2f}",
        }
        if self._defect or self._seen.silence > _OLD:
            return DiagnosticStatus.WARN, self._cause, values
        return DiagnosticStatus.OK, "looking", values

    def _take_state(self, state: RobotState) -> None:
        if self._states and state.stamp < self._states[-1].stamp:
            if state.stamp < self._states[-1].stamp - _TOGETHER:  # the driver was restarted
                self._look_anew()
            self._states.clear()
        self._states.append(state)
        self._state_came, self._refusal = time.monotonic(), ""

    def _begin_epoch(self, since: float) -> None:
        """Forget what was seen before the world was put back."""
        self._epoch.begin(since)
        self._look_anew()
        self._seen.clear()

    def _look_anew(self) -> None:
        """Forget pictures and tracks."""
        self._anew.set()
        for feed in self._feeds:
            feed.forget()

    def _refuse_state(self, reason: str) -> None:
        self._refusal = reason

    def _joints_defect(self) -> str:
        """Return why nothing can be said of the arm, without which pictures are of no use; empty if it can."""
        if self._refusal:
            return self._refusal
        silent = time.monotonic() - self._state_came > JOINTS_TIMEOUT
        return no_joint_states(self._joints.absence()) if silent else ""

    @property
    def _cause(self) -> str:
        """Say why nothing is seen now."""
        return (self._defect or self._silent) if self.active else "scene_describer is not active"

    @property
    def _silent(self) -> str:
        """Say that no camera delivers, and why where that is known."""
        return "; ".join(_unpaired(feed) or f"no picture from camera '{feed.camera.name}'" for feed in self._feeds)

    def _work(self) -> None:
        last: object | None = None
        while not self._over.is_set():
            arrived = self._arrived.next(last, 0.2)
            if arrived is None:
                if self._arrived.silence > _OLD:
                    self._defect = self._silent
                continue
            if defect := self._joints_defect():
                last = arrived
                self._defect = defect
                self._skipped += 1
                continue
            self._arrived.wait(lambda _: all(feed.fresh for feed in self._awaited), _PATIENCE)
            last = self._arrived.value
            if self._anew.is_set():
                self._anew.clear()
                self._describer.reset()
            try:
                views, missing = self._views()
                scene = self._describer.describe(views, self._state_at(max(view.stamp for view in views)))
            except (PerceptionError, ValueError) as error:
                self._defect = str(error)
                self._skipped += 1
                self.get_logger().warning(self._defect, throttle_duration_sec=2.0)
                continue
            except Exception as error:
                self._defect = f"describing a picture broke: {error!r}"
                self._skipped += 1
                self.get_logger().error(traceback.format_exc(), throttle_duration_sec=2.0)
                continue
            if not self._epoch.includes(scene.stamp, self.now):
                continue  # it was put back while its picture was described
            self._defect = "; ".join([*map(str, self._describer.defects), *missing])
            self._described += 1
            self._latency = self.now - scene.stamp
            self._seen.set(Observation(scene, tuple(views)))
            self._topic.publish(conversions.scene_message(scene))

    def _views(self) -> tuple[list[View], list[str]]:
        """Return the newest picture of each camera that has one taken at about the same time as the newest of all.

        With them comes why others are missing. The next scene waits for these cameras, so that pictures taken together
        are described once, not one by one; a camera that fell silent or whose pictures are of no use is not waited for.
        Raises ValueError if no camera is left.
        """
        taken = {feed: stamp for feed in self._feeds if (stamp := feed.stamp) is not None}
        stamps = {feed: stamp for feed, stamp in taken.items() if self._epoch.includes(stamp, self.now)}
        if not stamps:
            raise ValueError(self._why_nothing(taken.values()))
        newest = max(stamps.values())
        views, missing = {}, []
        for feed in self._feeds:
            if newest - stamps.get(feed, -math.inf) >= _TOGETHER:
                missing.append(_unpaired(feed) or f"no picture from camera '{feed.camera.name}'")
                continue
            try:
                views[feed] = feed.view(self._state_at)
            except ValueError as error:
                missing.append(str(PerceptionError(feed.camera.name, str(error))))
        self._awaited = frozenset(views)
        if not views:
            raise ValueError("; ".join(missing))
        return list(views.values()), missing

    def _why_nothing(self, stamps: Iterable[float]) -> str:
        """Say why pictures with these stamps, s, are of no use, if any have come."""
        return AHEAD if max(stamps, default=-math.inf) > self.now else self._silent

    def _state_at(self, stamp: float) -> RobotState:
        return min(list(self._states), key=lambda state: abs(state.stamp - stamp))

    def _describe(self, request: DescribeScene.Request, response: DescribeScene.Response) -> DescribeScene.Response:
        seen = self._now()
        if seen is None:
            response.scene.text = f"I see nothing: {self._cause}"
            return response
        before = conversions.scene_from(request.since)
        response.scene = conversions.scene_message(seen.scene)
        try:
            if before.objects:
                response.scene.text = describe_changes(before, seen.scene, self._world)
        except Exception as error:
            self.get_logger().error(traceback.format_exc())
            response.scene.text = f"I don't know what has changed: {error!r}"
        return response

    def _ask(self, request: AskScene.Request, response: AskScene.Response) -> AskScene.Response:
        seen = self._now()
        if seen is None:
            response.answer = f"I see nothing: {self._cause}"
            return response
        try:
            check_sentence(request.question, QUESTION)
            answer = self._answerer.answer(request.question, seen)
        except (BackendError, SentenceError) as error:
            response.answer = f"I don't know: {error}"
            return response
        except Exception as error:
            self.get_logger().error(traceback.format_exc())
            response.answer = f"I don't know: {error!r}"
            return response
        response.answer, response.known, response.confidence = answer.text, answer.known, float(answer.confidence)
        return response

    def _now(self) -> Observation | None:
        """Return what the cameras see now, or None if no usable picture has come lately."""
        if not self.active:
            return None
        patience = max(_FRESH_PATIENCE, self._began + _FIRST_PATIENCE - time.monotonic())
        return self._seen.wait(lambda _: self._seen.silence < _OLD, patience)


def _unpaired(feed: CameraFeed) -> str:
    """Say why a camera's colour and depth make no pictures; empty if that is not known."""
    return str(PerceptionError(feed.camera.name, feed.unpaired)) if feed.unpaired else ""


@cache
def _backend(name: str, world: str) -> Backend:
    """Return the backend that all nodes of this process share."""
    return load_backend(name, load_world(world))


def main(args: list[str] | None = None) -> None:
    """Run a node for each namespace among the arguments, or one in the namespace that ROS's own arguments give."""
    robots = remove_ros_args(args)[1:]
    run(*(partial(SceneDescriberNode, robot) for robot in robots or (None,)), args=args)


if __name__ == "__main__":
    main()
