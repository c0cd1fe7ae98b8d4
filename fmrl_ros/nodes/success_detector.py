"""Node ``success_detector``: did a skill succeed, as far as the cameras can tell?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from fmrl_interfaces.msg import Scene as SceneMessage
from fmrl_interfaces.srv import DetectSuccess
from rclpy.callback_groups import ReentrantCallbackGroup

from fmrl_ros.nodes import conversions
from fmrl_ros.nodes.latest import Latest
from fmrl_ros.nodes.managed import ManagedNode, run
from fmrl_ros.perception.scene import Scene, Verdict
from fmrl_ros.perception.success import SuccessDetector
from fmrl_ros.worlds.world import load_world


class SuccessDetectorNode(ManagedNode):
    """Compares the scene before a skill with one seen after the question was asked.

    Parameters: ``world``, ``settle`` (seconds from the newest picture at the question to the one that answers it),
    ``patience`` (wall seconds to wait for such a picture).
    """

    NICENESS = 5

    def __init__(self) -> None:
        super().__init__("success_detector")
        self._scene: Latest[Scene] = Latest()
        self._asked = 0

    def load(self) -> None:
        """Offer the service."""
        self._settle = float(self.parameter("settle", 0.4))
        self._patience = float(self.parameter("patience", 3.0))
        self._detector = SuccessDetector(load_world(self.parameter("world", "tabletop")))
        self.create_subscription(
            SceneMessage,
            "scene",
            lambda message: self._scene.set(conversions.scene_from(message)),
            1,
        )
        self.create_service(DetectSuccess, "detect_success", self._detect, callback_group=ReentrantCallbackGroup())

    def status(self) -> tuple[int, str, Mapping[str, Any]]:
        """Report how many verdicts were given and how fresh the scene is."""
        if not self.active:
            return DiagnosticStatus.OK, "inactive", {}
        values = {"verdicts": self._asked, "scene_silence_s": f"{self._scene.silence:.2f}"}
        if self._scene.silence > 2.0:
            return DiagnosticStatus.WARN, "no scene; is scene_describer running?", values
        return DiagnosticStatus.OK, "watching", values

    def _detect(self, request: DetectSuccess.Request, response: DetectSuccess.Response) -> DetectSuccess.Response:
        self._asked += 1
        newest = self._scene.value
        wanted = newest.stamp + self._settle if newest else 0.0
        after = self._scene.wait(lambda scene: scene.stamp >= wanted, self._patience)
        if not self.active or after is None:
            why = "no camera picture has arrived since; is scene_describer running?"
            verdict = Verdict(None, 0.0, why if self.active else "success_detector is not active")
        else:
            before = conversions.scene_from(request.before)
            verdict = self._detector.judge(conversions.skill_from(request.skill), before, after)
        response.verdict = conversions.verdict_message(verdict)
        return response


def main(args: list[str] | None = None) -> None:
    """Run the node."""
    run(SuccessDetectorNode, args)


if __name__ == "__main__":
    main()
