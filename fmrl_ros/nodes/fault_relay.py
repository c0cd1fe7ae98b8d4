"""Node ``fault_relay``: hands on what a driver and the scene describer publish, spoilt in the way that it is told to.

For tests of a robot's graph: the publishers are remapped to ``raw/...``, and nothing else notices.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from fmrl_interfaces.msg import Scene
from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock, ClockType
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import CameraInfo, Image, JointState
from std_msgs.msg import Float64MultiArray

from fmrl_ros.nodes.support.managed import ManagedNode, run
from fmrl_ros.nodes.support.message_faults import MessageFault, message_faults
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.robot.profile import RobotProfile, load_profile

RAW = "raw"
"""Namespace, below the robot's, in which the topics are as they were published."""
NONE = "none"
_RELEASE_PERIOD = 0.005
"""So often is looked whether a message that is held back is due, s."""


@dataclass(frozen=True)
class RelayedTopic:
    """One topic that is handed on.

    Attributes:
      carries: What it is about; faults name it so.
      name: Relative to the robot's namespace, or absolute.
      kind: Message type.
      quality: Of both sides.
      commands: True if it goes down to the driver: then the driver's side is the raw one.
    """

    carries: str
    name: str
    kind: Any
    quality: QoSProfile
    commands: bool = False

    @property
    def raw(self) -> str:
        """Name of the raw topic."""
        return f"/{RAW}{self.name}" if self.name.startswith("/") else f"{RAW}/{self.name}"


def relayed_topics(profile: RobotProfile, cameras: tuple[str, ...]) -> tuple[RelayedTopic, ...]:
    """Return the topics that lie between a robot's driver, its describer and the rest."""
    newest, topics = QoSProfile(depth=1), profile.topics
    best_effort = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    pictures = (("color", Image), ("depth", Image), ("camera_info", CameraInfo))
    return (
        RelayedTopic("joint_states", topics.joint_states, JointState, QoSProfile(depth=10)),
        RelayedTopic("arm_commands", topics.arm_commands, Float64MultiArray, newest, commands=True),
        RelayedTopic("gripper_commands", topics.gripper_commands, Float64MultiArray, newest, commands=True),
        RelayedTopic("scene", "scene", Scene, newest),
        RelayedTopic("clock", "/clock", ClockMessage, best_effort),
        *(
            RelayedTopic(carries, f"{camera}/{carries}", kind, qos_profile_sensor_data)
            for camera in cameras
            for carries, kind in pictures
        ),
    )


def remaps(topics: tuple[RelayedTopic, ...], node: str) -> Mapping[str, str]:
    """Return how the topics of a node are to be renamed, so that the relay stands between it and the rest."""
    of_describer = {topic.name: topic.raw for topic in topics if topic.carries == "scene"}
    of_driver = {topic.name: topic.raw for topic in topics if topic.carries != "scene"}
    return of_describer if node == "scene_describer" else of_driver


class FaultRelayNode(ManagedNode):
    """Parameters: ``robot`` (profile name or file), ``cameras`` (names, separated by commas).

    The parameter ``fault`` names what is wrong now, one of `message_faults` or `NONE`; it may be set at any time.
    """

    def __init__(self) -> None:
        super().__init__("fault_relay")
        self._held: deque[tuple[float, Callable[[], object]]] = deque()
        self._name, self._fault = NONE, MessageFault((), lambda message: (message,))

    def load(self) -> None:
        """Subscribe to the raw topics and offer the others."""
        profile = load_profile(self.parameter("robot", "franka_sim"))
        cameras = tuple(name.strip() for name in self.parameter("cameras", "front").split(","))
        for topic in relayed_topics(profile, cameras):
            source, target = (topic.name, topic.raw) if topic.commands else (topic.raw, topic.name)
            publisher = self.create_publisher(topic.kind, target, topic.quality)
            take = partial(self._take, topic.carries, publisher)
            self.create_subscription(topic.kind, source, take, topic.quality)
        first = not self.has_parameter("fault")
        self._choose(self.parameter("fault", NONE))
        if first:
            self.add_on_set_parameters_callback(self._set)
        self.create_timer(_RELEASE_PERIOD, self._release, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def status(self) -> tuple[int, str, Mapping[str, Any]]:
        """Report the fault."""
        return DiagnosticStatus.OK, f"fault: {self._name}", {}

    def _set(self, parameters: list[Parameter]) -> SetParametersResult:
        try:
            for parameter in parameters:
                if parameter.name == "fault":
                    self._choose(str(parameter.value))
        except UnknownNameError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _choose(self, name: str) -> None:
        """Bring a fault about from now on. Raises UnknownNameError, which lists them."""
        faults = {NONE: MessageFault((), lambda message: (message,)), **message_faults()}
        if name not in faults:
            raise UnknownNameError("fault", name, faults)
        self._name, self._fault = name, faults[name]
        self._held.clear()

    def _take(self, carries: str, publisher: Any, message: Any) -> None:
        fault = self._fault
        if carries not in fault.topics:
            publisher.publish(message)
            return
        for spoilt in fault.spoil(message):
            if fault.delay:
                self._held.append((time.monotonic() + fault.delay, partial(publisher.publish, spoilt)))
            else:
                publisher.publish(spoilt)

    def _release(self) -> None:
        while self._held and self._held[0][0] <= time.monotonic():
            self._held.popleft()[1]()


def main(args: list[str] | None = None) -> None:
    """Run the node."""
    run(FaultRelayNode, args=args)


if __name__ == "__main__":
    main()
