"""Node ``mujoco_bridge``: a simulated robot behind the topics and services of a real robot's drivers."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from fmrl_interfaces.srv import ResetWorld, SetFreeJointState, SetPause, StepSimulation
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image, JointState
from std_msgs.msg import Bool, Float64MultiArray
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from fmrl_ros.home import user_path
from fmrl_ros.nodes.support import conversions, resets
from fmrl_ros.nodes.support.managed import ManagedNode, run
from fmrl_ros.recording.disk import write_error
from fmrl_ros.recording.whole_file import whole_file
from fmrl_ros.robot.profile import CameraProfile, load_profile
from fmrl_ros.robot.safety import CommandRejectedError
from fmrl_ros.robot.stop_switch import StopSwitch, switch_path
from fmrl_ros.simulation.bridge import JointReadings, SimulationBridge
from fmrl_ros.simulation.rendering import Frame, check_rendering
from fmrl_ros.worlds.world import load_world

_STREAM = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
"""For commands: only the newest counts."""


class MujocoBridgeNode(ManagedNode):
    """Parameters: ``world``, ``seed``, ``real_time_factor``, ``robot`` (profile name or file), ``truth_path``."""

    def __init__(self) -> None:
        super().__init__("mujoco_bridge")
        self._bridge: SimulationBridge | None = None
        self._latched = False
        self._switch: StopSwitch | None = None

    def load(self) -> None:
        """Make sure that the cameras can render, compile the world, and offer topics and services."""
        self._profile = profile = load_profile(self.parameter("robot", "franka_sim"))
        for width, height in {(camera.width, camera.height) for camera in profile.cameras}:
            check_rendering(width, height)
        world = load_world(self.parameter("world", "tabletop"))
        self._truth_path = self.parameter("truth_path", "")
        self._names = (*profile.joints, *profile.gripper_joints)
        self._joint_states = self.create_publisher(JointState, profile.topics.joint_states, 10)
        self._clock_topic = self.create_publisher(
            Clock, "/clock", QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        )
        self._stopped = self.create_publisher(
            Bool, "stopped", QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        )
        self._stopped.publish(Bool(data=self._latched))
        put_back = self.create_publisher(Time, resets.TOPIC, resets.QOS)
        self._cameras = {camera.name: _CameraTopics(self, camera) for camera in profile.cameras}
        self._bridge = SimulationBridge(
            world,
            profile,
            seed=self.parameter("seed", 0),
            real_time_factor=self.parameter("real_time_factor", 1.0),
            on_joints=self._publish_joints,
            on_time=lambda stamp: self._clock_topic.publish(Clock(clock=conversions.time_message(stamp))),
            on_frame=lambda camera, frame, stamp: self._cameras[camera].publish(frame, stamp),
            wanted=lambda camera: self._cameras[camera].wanted,
            on_reset=lambda since: put_back.publish(conversions.time_message(since)),
        )
        if self._latched:  # before it was configured anew
            self._bridge.stop()
        self._listen(self._bridge)
        self._open_stop_switch(self._bridge)

    def serve(self) -> None:
        """Start physics; commands are taken from now on."""
        bridge = self._require()
        if not bridge.running:
            bridge.start()
            self.create_timer(0.2, self._watch)

    def halt(self) -> None:
        """Hold the arm still; no command is taken until the node is active again."""
        if self._bridge is not None:
            self._bridge.hold()

    def unload(self) -> None:
        """Stop physics and, if a truth path is set, write down what was true at the end.

        Raises OSError, which names the file, and the disk where that is full.
        """
        if self._switch is not None:
            self._switch.close()
            self._switch = None
        bridge, self._bridge = self._bridge, None
        if bridge is None:
            return
        bridge.close()
        if self._truth_path:
            _write_truth(bridge.truth(), user_path(self._truth_path))

    def status(self) -> tuple[int, str, Mapping[str, Any]]:
        """Report pace, frames, and what the command gate has done."""
        if self._bridge is None or not self.active:
            return DiagnosticStatus.OK, "inactive", {}
        report = self._bridge.report()
        pace, counts = report.pace, report.counts
        wanted = self.parameter("real_time_factor", 1.0)
        slow = wanted > 0 and not report.paused and 0 < pace.real_time_factor < 0.9 * wanted
        level = DiagnosticStatus.WARN if slow else DiagnosticStatus.OK
        message = "paused" if report.paused else report.mode.value
        return (
            level,
            f"{message}; slower than asked" if slow else message,
            {
                "real_time_factor": f"{pace.real_time_factor:.3f}",
                "jitter_mean_ms": f"{1e3 * pace.jitter_mean:.3f}",
                "jitter_p99_ms": f"{1e3 * pace.jitter_p99:.3f}",
                "jitter_max_ms": f"{1e3 * pace.jitter_max:.3f}",
                "frames": report.frames,
                "dropped_frames": report.dropped_frames,
                "mode": report.mode.value,
                "paused": report.paused,
                "commands_taken": counts.taken,
                "commands_rejected": counts.rejected,
                "clamped_position": counts.position,
                "clamped_velocity": counts.velocity,
                "clamped_workspace": counts.workspace,
                "watchdog_holds": counts.held,
            },
        )

    def _listen(self, bridge: SimulationBridge) -> None:
        topics, profile = self._profile.topics, self._profile
        patient = ReentrantCallbackGroup()
        takers: tuple[tuple[Any, str, Callable[[Any], None]], ...] = (
            (Float64MultiArray, topics.arm_commands, lambda m: bridge.command_arm(np.array(m.data))),
            (Float64MultiArray, topics.gripper_commands, lambda m: bridge.command_gripper(np.array(m.data))),
            (
                JointTrajectory,
                topics.arm_trajectory,
                lambda m: bridge.command_trajectory(conversions.trajectory_from(m, profile)),
            ),
        )
        for kind, topic, act in takers:
            self.create_subscription(kind, topic, self._taking(topic, act), _STREAM)
        for name, action, stopped in (("stop", bridge.stop, True), ("resume", bridge.resume, False)):
            self.create_service(Trigger, name, _answering(self._latching(action, stopped)))
        if self._truth_path:
            path = user_path(self._truth_path)
            self.create_service(Trigger, "write_truth", _answering(lambda _: _write_truth(bridge.truth(), path)))
        answers: tuple[tuple[Any, str, Callable[[Any], None]], ...] = (
            (SetPause, "set_pause", lambda request: bridge.pause(request.paused)),
            (StepSimulation, "step_simulation", lambda request: bridge.step(request.steps)),
            (ResetWorld, "reset_world", self._reset),
            (SetFreeJointState, "set_free_joint_state", self._set_free_joint),
        )
        for kind, name, answer in answers:
            self.create_service(kind, name, _answering(answer), callback_group=patient)

    def _open_stop_switch(self, bridge: SimulationBridge) -> None:
        """Let a command on this machine stop the robot without DDS; without a socket the service remains."""
        stop, resume = self._latching(bridge.stop, True), self._latching(bridge.resume, False)
        path = switch_path(os.environ.get("ROS_DOMAIN_ID", ""), self.get_namespace())
        switch = StopSwitch(path, lambda: stop(None), lambda: resume(None), lambda: bridge.stands)
        try:
            switch.open()
        except OSError as error:
            self.get_logger().warning(f"no stop switch at {path}: {error}; the service stop works all the same")
        else:
            self._switch = switch

    def _latching(self, action: Callable[[], None], stopped: bool) -> Callable[[Any], None]:
        def act(_: Any) -> None:
            action()
            self._latched = stopped
            self._stopped.publish(Bool(data=stopped))

        return act

    def _taking(self, topic: str, act: Callable[[Any], None]) -> Callable[[Any], None]:
        def take(message: Any) -> None:
            if not self.active:
                return
            try:
                act(message)
            except (CommandRejectedError, ValueError) as error:
                self.get_logger().warning(f"{topic}: {error}", throttle_duration_sec=1.0)

        return take

    def _reset(self, request: ResetWorld.Request) -> None:
        if request.keyframe:
            raise ValueError(f"unknown keyframe '{request.keyframe}'; valid: none, leave it empty")
        self._require().reset(int(request.seed) if request.randomize else None)

    def _set_free_joint(self, request: SetFreeJointState.Request) -> None:
        p, o = request.pose.position, request.pose.orientation
        linear, angular = request.twist.linear, request.twist.angular
        self._require().set_free_joint(
            request.name,
            np.array([p.x, p.y, p.z]),
            np.array([o.x, o.y, o.z, o.w]),
            np.array([linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]),
        )

    def _publish_joints(self, readings: JointReadings) -> None:
        self._joint_states.publish(
            conversions.joint_state_message(self._names, readings.stamp, readings.positions, readings.velocities)
        )

    def _watch(self) -> None:
        if self._bridge is not None and self._bridge.failure is not None:
            self.broke(f"the simulation broke: {self._bridge.failure!r}")

    def _require(self) -> SimulationBridge:
        if self._bridge is None:
            raise ValueError("mujoco_bridge is not configured")
        return self._bridge


class _CameraTopics:
    """Publishers of one camera: ``<name>/color``, ``<name>/depth``, ``<name>/camera_info``."""

    def __init__(self, node: ManagedNode, camera: CameraProfile) -> None:
        self._camera = camera
        name, qos = camera.name, qos_profile_sensor_data
        self._color = node.create_publisher(Image, f"{name}/color", qos)
        self._depth = node.create_publisher(Image, f"{name}/depth", qos)
        self._calibration = node.create_publisher(CameraInfo, f"{name}/camera_info", qos)

    @property
    def wanted(self) -> bool:
        """True if anybody listens."""
        return self._color.get_subscription_count() > 0 or self._depth.get_subscription_count() > 0

    def publish(self, frame: Frame, stamp: float) -> None:
        """Publish one picture."""
        self._color.publish(conversions.color_message(frame.color, stamp, self._camera.frame_id))
        self._depth.publish(conversions.depth_message(frame.depth, stamp, self._camera.frame_id))
        self._calibration.publish(conversions.camera_info_message(self._camera, stamp))


def _write_truth(truth: Mapping[str, Any], path: Path) -> None:
    """Write a file that is whole or not there. Raises OSError with the cause in one line."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as part:
            part.write_text(json.dumps(truth, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise OSError(f"{path} cannot be written: {write_error(error, path)}") from error


def _answering(act: Callable[[Any], None]) -> Callable[[Any, Any], Any]:
    """Return a service callback: success, or the reason why not."""

    def answer(request: Any, response: Any) -> Any:
        try:
            act(request)
            response.success = True
        except (ValueError, OSError) as error:
            response.success, response.message = False, str(error)
        return response

    return answer


def main(args: list[str] | None = None) -> None:
    """Run the node."""
    run(MujocoBridgeNode, args=args)


if __name__ == "__main__":
    main()
