"""Listens to a graph while an instruction is carried out: messages into a recording, pictures into a film."""

from __future__ import annotations

from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from fmrl_interfaces.msg import MonologueLine, PlannerStep, Scene
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import serialize_message
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from fmrl_ros.nodes.support.conversions import color_from, seconds
from fmrl_ros.recording.film import Film
from fmrl_ros.recording.message_recording import MessageRecording
from fmrl_ros.robot.profile import RobotProfile

PICTURES_A_SECOND = 5.0
"""Of the recording; the film keeps them all."""

SOME = QoSProfile(depth=20, reliability=ReliabilityPolicy.BEST_EFFORT)
ALL = QoSProfile(depth=100)


class GraphRecorder:
    """Records from `start` on. Messages are stored as they came, without being read."""

    def __init__(self, node: Node, profile: RobotProfile, recording: MessageRecording, film: Film) -> None:
        self._recording, self._film = recording, film
        self._running = False
        self._last_picture = float("-inf")
        camera = profile.cameras[0].name if profile.cameras else ""
        topics = profile.topics
        for topic, kind, quality in (
            ("planner_step", PlannerStep, ALL),
            ("monologue", MonologueLine, ALL),
            ("scene", Scene, SOME),
            ("diagnostics", DiagnosticArray, SOME),
            (topics.joint_states, JointState, SOME),
            (topics.arm_commands, Float64MultiArray, SOME),
            (topics.gripper_commands, Float64MultiArray, SOME),
            (topics.arm_trajectory, JointTrajectory, SOME),
        ):
            self._record(node, topic, kind, quality)
        if camera:
            self._record(node, f"{camera}/camera_info", CameraInfo, SOME)
            self._pictures = node.resolve_topic_name(f"{camera}/color") + "/compressed"
            node.create_subscription(Image, f"{camera}/color", self._on_picture, SOME)

    def start(self) -> None:
        """Begin to record."""
        self._running = True

    def stop(self) -> None:
        """Cease to record."""
        self._running = False

    def _record(self, node: Node, topic: str, kind: Any, quality: QoSProfile) -> None:
        name, type_name = node.resolve_topic_name(topic), _type_name(kind)

        def on_message(message: bytes) -> None:
            if self._running:
                self._recording.write(name, type_name, message)

        node.create_subscription(kind, topic, on_message, quality, raw=True)

    def _on_picture(self, message: Image) -> None:
        if not self._running:
            return
        stamp = seconds(message.header.stamp)
        jpeg = self._film.add(color_from(message), stamp)
        if stamp - self._last_picture < 1 / PICTURES_A_SECOND - 0.01:
            return
        self._last_picture = stamp
        compressed = CompressedImage(header=message.header, format="rgb8; jpeg compressed bgr8", data=jpeg)
        self._recording.write(self._pictures, _type_name(CompressedImage), serialize_message(compressed))


def _type_name(kind: Any) -> str:
    return f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"
