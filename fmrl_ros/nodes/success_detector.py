"""Node ``success_detector``: did a skill succeed, as far as the cameras can tell?"""

from __future__ import annotations

import math
import time
import traceback
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from fmrl_interfaces.msg import Scene as SceneMessage
from fmrl_interfaces.srv import DetectSuccess
from rclpy.callback_groups import ReentrantCallbackGroup

from fmrl_ros.assets import share
from fmrl_ros.nodes.support import conversions
from fmrl_ros.nodes.support.camera_feed import CameraFeed
from fmrl_ros.nodes.support.managed import ManagedNode, run
from fmrl_ros.nodes.support.resets import Resets
from fmrl_ros.perception.backends import EMBEDDED
from fmrl_ros.perception.backends.backend import Observation, load_backend
from fmrl_ros.perception.ensemble import CALIBRATIONS, Ensemble, load_calibrations
from fmrl_ros.perception.view import View
from fmrl_ros.robot.epoch import Epoch
from fmrl_ros.robot.latest import Latest
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.worlds.scene import Scene, Verdict
from fmrl_ros.worlds.world import load_world

_PERIOD = 0.3
"""Between two pictures of a camera that are kept, s."""
_PICTURES = 400
"""So many are kept, of all cameras together."""
_LONGEST, _LOOK = 8.0, 0.5
"""Longest wait for a picture, below a planner's for the answer, and how often is looked if any comes, wall s."""


class SuccessDetectorNode(ManagedNode):
    """Compares what was seen before a skill with what is seen after the question was asked.

    Parameters: ``world``, ``robot`` and ``cameras`` (see `SceneDescriberNode`), ``settle`` (seconds from the newest
    picture at the question to the one that answers it), ``patience`` (wall seconds without any picture after which none
    is waited for),
    ``judges`` (backends, separated by commas, whose verdicts are combined) and ``calibrations`` (a JSON file, see
    `load_calibrations`; by default that of ``models/success-detector``).
    """

    NICENESS = 5

    def __init__(self) -> None:
        super().__init__("success_detector")
        self._scene: Latest[Scene] = Latest()
        self._asked = 0
        self._epoch = Epoch()
        self._feeds: list[CameraFeed] = []
        self._album: deque[View] = deque(maxlen=_PICTURES)

    def load(self) -> None:
        """Offer the service."""
        self._settle = self.parameter("settle", 0.4)
        self._patience = self.parameter("patience", 3.0)
        world = load_world(self.parameter("world", "tabletop"))
        names = [name.strip() for name in self.parameter("judges", EMBEDDED).split(",")]
        file = Path(self.parameter("calibrations", "") or share("models") / "success-detector" / CALIBRATIONS)
        self._judge = Ensemble([load_backend(name, world) for name in names], load_calibrations(file))
        if names != [EMBEDDED]:
            profile = load_profile(self.parameter("robot", "franka_sim"))
            cameras = [profile.camera(name.strip()) for name in self.parameter("cameras", "front").split(",")]
            self._feeds = [CameraFeed(self, profile, camera, self._collect) for camera in cameras]
        self._resets = Resets(self, self._begin_epoch)
        self.create_subscription(SceneMessage, "scene", self._take_scene, 1)
        self.create_service(DetectSuccess, "detect_success", self._detect, callback_group=ReentrantCallbackGroup())

    def unload(self) -> None:
        """Watch the clock no longer."""
        if hasattr(self, "_resets"):
            self._resets.close()
            del self._resets

    def status(self) -> tuple[int, str, Mapping[str, Any]]:
        """Report how many verdicts were given and how fresh the scene is."""
        if not self.active:
            return DiagnosticStatus.OK, "inactive", {}
        values = {"verdicts": self._asked, "scene_silence_s": f"{self._scene.silence:.2f}"}
        if self._scene.silence > 2.0:
            return DiagnosticStatus.WARN, "no scene; is scene_describer running?", values
        if self._judge.failing:
            why = "; ".join(f"{name} does not judge: {error}" for name, error in self._judge.failing.items())
            return DiagnosticStatus.WARN, why, values
        return DiagnosticStatus.OK, "watching", values

    def _collect(self) -> None:
        """Keep a picture of each camera now and then: one of them will have been taken before a skill."""
        for feed in self._feeds:
            last = next((view.stamp for view in reversed(self._album) if view.name == feed.camera.name), -math.inf)
            if feed.stamp is None or abs(feed.stamp - last) < _PERIOD:
                continue
            if feed.stamp < last:
                self._album.clear()  # the driver was restarted
            try:
                self._album.append(feed.picture())
            except ValueError as error:
                self.get_logger().warning(str(error), throttle_duration_sec=2.0)

    def _begin_epoch(self, since: float) -> None:
        """Forget what was seen before the world was put back."""
        self._epoch.begin(since)
        self._scene.clear()
        self._album.clear()
        for feed in self._feeds:
            feed.forget()

    def _take_scene(self, message: SceneMessage) -> None:
        scene = conversions.scene_from(message)
        if self._epoch.includes(scene.stamp, self.now):
            self._scene.set(scene)

    def _observation(self, scene: Scene) -> Observation:
        """Return a scene with the pictures that were taken nearest to its time."""
        album = list(self._album)
        views = []
        for feed in self._feeds:
            mine = [view for view in album if view.name == feed.camera.name]
            nearest = min(mine, key=lambda view: abs(view.stamp - scene.stamp), default=None)
            if nearest is not None and abs(nearest.stamp - scene.stamp) <= 2 * _PERIOD:
                views.append(nearest)
        return Observation(scene, tuple(views))

    def _since(self, stamp: float) -> Scene | None:
        """Return the first scene from a time on, however slowly that passes; None if the pictures cease to come."""
        began = time.monotonic()
        while (waited := time.monotonic() - began) < _LONGEST:
            scene = self._scene.wait(lambda scene: scene.stamp >= stamp, _LOOK)
            if scene is not None or min(self._scene.silence, waited) > self._patience:
                return scene
        return None

    def _detect(self, request: DetectSuccess.Request, response: DetectSuccess.Response) -> DetectSuccess.Response:
        self._asked += 1
        try:
            verdict = self._verdict(request)
        except Exception as error:
            self.get_logger().error(traceback.format_exc())
            verdict = Verdict(None, 0.0, f"judging broke: {error!r}")
        response.verdict = conversions.verdict_message(verdict)
        return response

    def _verdict(self, request: DetectSuccess.Request) -> Verdict:
        newest = self._scene.value
        wanted = newest.stamp + self._settle if newest else 0.0
        after = self._since(wanted)
        if not self.active or after is None:
            why = "no camera picture has arrived since; is scene_describer running?"
            return Verdict(None, 0.0, why if self.active else "success_detector is not active")
        earlier = conversions.scene_from(request.before)
        if not self._epoch.includes(earlier.stamp, self.now):
            return Verdict(None, 0.0, "the world was reset since the skill began")
        before, skill = self._observation(earlier), conversions.skill_from(request.skill)
        return self._judge.judge(skill, before, self._observation(after))


def main(args: list[str] | None = None) -> None:
    """Run the node."""
    run(SuccessDetectorNode, args=args)


if __name__ == "__main__":
    main()
