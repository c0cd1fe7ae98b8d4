"""Node ``scene_describer``: camera pictures in, scenes and answers about them out."""

from __future__ import annotations

import threading
import traceback
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from fmrl_interfaces.msg import Scene as SceneMessage
from fmrl_interfaces.srv import AskScene, DescribeScene
from numpy.typing import NDArray
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import CameraInfo, Image, JointState

from fmrl_ros.nodes import conversions
from fmrl_ros.nodes.latest import Latest
from fmrl_ros.nodes.managed import ManagedNode, run
from fmrl_ros.perception.camera import CameraModel
from fmrl_ros.perception.describer import SceneDescriber
from fmrl_ros.perception.frame import PerceptionError
from fmrl_ros.perception.localiser import Localiser
from fmrl_ros.perception.questions import ask
from fmrl_ros.perception.scene import Scene
from fmrl_ros.robot.cartesian import CartesianController
from fmrl_ros.robot.kinematics import ForwardKinematics
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.state import RobotState
from fmrl_ros.worlds.world import load_world

_HISTORY = 200
"""Robot states remembered, to find the one at a picture's time."""

_OLD = 1.0
"""A scene whose picture came longer ago than this is not what the cameras see now, s of wall time."""


class SceneDescriberNode(ManagedNode):
    """Publishes ``scene`` for every picture of one camera that it has time for, always the newest.

    Parameters: ``world``, ``robot`` (profile name or file), ``camera`` (name in the profile).
    """

    NICENESS = 5

    def __init__(self) -> None:
        super().__init__("scene_describer")
        self._states: deque[RobotState] = deque(maxlen=_HISTORY)
        self._frame: Latest[tuple[Image, Image]] = Latest()
        self._scene: Latest[Scene] = Latest()
        self._calibration: NDArray[np.float64] | None = None
        self._depths: dict[tuple[int, int], Image] = {}
        self._colors: dict[tuple[int, int], Image] = {}
        self._worker: threading.Thread | None = None
        self._over = threading.Event()
        self._described = self._skipped = 0
        self._latency = 0.0
        self._defect = ""

    def load(self) -> None:
        """Read the localiser, and offer topic and services."""
        profile = load_profile(self.parameter("robot", "franka_sim"))
        self._world = load_world(self.parameter("world", "tabletop"))
        self._profile, self._camera = profile, profile.camera(self.parameter("camera", "front"))
        self._describer = SceneDescriber(
            self._world, Localiser.load(self._world), CartesianController(profile.home).forward
        )
        self._kinematics = ForwardKinematics()
        self._topic = self.create_publisher(SceneMessage, "scene", 1)
        name = self._camera.name
        for kind, topic, take in (
            (Image, f"{name}/color", lambda m: self._pair(m, self._colors, self._depths)),
            (Image, f"{name}/depth", lambda m: self._pair(m, self._depths, self._colors)),
            (CameraInfo, f"{name}/camera_info", self._calibrate),
        ):
            self.create_subscription(kind, topic, take, qos_profile_sensor_data)
        self.create_subscription(JointState, profile.topics.joint_states, self._take_joints, 5)
        patient = ReentrantCallbackGroup()
        self.create_service(DescribeScene, "describe_scene", self._describe, callback_group=patient)
        self.create_service(AskScene, "ask_scene", self._ask, callback_group=patient)

    def serve(self) -> None:
        """Begin to look."""
        self._over.clear()
        self._describer.reset()
        self._worker = threading.Thread(target=self._work, name="describer")
        self._worker.start()

    def halt(self) -> None:
        """Cease to look."""
        self._over.set()
        if self._worker is not None:
            self._worker.join()
            self._worker = None

    def status(self) -> tuple[int, str, Mapping[str, Any]]:
        """Report how many pictures were described, how late, and what was wrong with the last one."""
        if not self.active:
            return DiagnosticStatus.OK, "inactive", {}
        values = {
            "described": self._described,
            "skipped": self._skipped,
            "latency_ms": f"{1e3 * self._latency:.1f}",
            "silence_s": f"{self._scene.silence:.2f}",
        }
        if self._defect:
            return DiagnosticStatus.WARN, self._defect, values
        if self._scene.silence > _OLD:
            return DiagnosticStatus.WARN, f"no picture from camera '{self._camera.name}'", values
        return DiagnosticStatus.OK, "looking", values

    def _take_joints(self, message: JointState) -> None:
        state = conversions.robot_state_from(message, self._profile)
        if state is not None:
            if self._states and state.stamp < self._states[-1].stamp:
                self._states.clear()
            self._states.append(state)

    def _calibrate(self, message: CameraInfo) -> None:
        self._calibration = np.array(message.k, np.float64).reshape(3, 3)

    def _pair(self, message: Image, mine: dict[tuple[int, int], Image], others: dict[tuple[int, int], Image]) -> None:
        """Bring colour and depth of the same stamp together."""
        stamp = (message.header.stamp.sec, message.header.stamp.nanosec)
        mine[stamp] = message
        if stamp in others:
            self._frame.set((self._colors.pop(stamp), self._depths.pop(stamp)))
        for waiting in (mine, others):
            while len(waiting) > 4:
                del waiting[next(iter(waiting))]

    def _work(self) -> None:
        last: tuple[Image, Image] | None = None
        while not self._over.is_set():
            frame = self._frame.next(last, 0.2)
            if frame is None or not self._states:
                continue
            last = frame
            stamp = conversions.seconds(frame[0].header.stamp)
            robot = min(list(self._states), key=lambda state: abs(state.stamp - stamp))
            try:
                color, depth = conversions.color_from(frame[0]), conversions.depth_from(frame[1])
                scene = self._describer.describe(
                    color, depth, self._camera_model(robot), stamp, robot, self._camera.name
                )
            except (PerceptionError, ValueError) as error:
                self._defect = str(error)
                self._skipped += 1
                self.get_logger().warning(self._defect, throttle_duration_sec=2.0)
                continue
            except Exception:
                self._defect = f"describing a picture broke: {traceback.format_exc()}"
                self._skipped += 1
                self.get_logger().error(self._defect, throttle_duration_sec=2.0)
                continue
            self._defect = ""
            self._described += 1
            self._latency = self.now - stamp
            self._scene.set(scene)
            self._topic.publish(conversions.scene_message(scene))

    def _camera_model(self, robot: RobotState) -> CameraModel:
        """Return the camera with the driver's calibration, where the profile mounts it."""
        on_base = self._camera.parent == self._profile.base_frame
        model = self._camera.model(None if on_base else self._kinematics.link(robot.q, self._camera.parent))
        intrinsics = model.K if self._calibration is None else self._calibration
        return CameraModel(intrinsics, model.pose, model.width, model.height)

    def _describe(self, _: DescribeScene.Request, response: DescribeScene.Response) -> DescribeScene.Response:
        scene = self._now()
        if scene is not None:
            response.scene = conversions.scene_message(scene)
        return response

    def _ask(self, request: AskScene.Request, response: AskScene.Response) -> AskScene.Response:
        scene = self._now()
        if scene is None:
            response.answer = f"I see nothing: no picture from camera '{self._camera.name}'"
            return response
        answer = ask(request.question, scene, self._world)
        response.answer, response.known, response.confidence = answer.text, answer.known, float(answer.confidence)
        return response

    def _now(self) -> Scene | None:
        """Return what the camera sees now, or None if no usable picture has come lately."""
        return self._scene.wait(lambda _: self._scene.silence < _OLD, 1.5) if self.active else None


def main(args: list[str] | None = None) -> None:
    """Run the node."""
    run(SceneDescriberNode, args)


if __name__ == "__main__":
    main()
