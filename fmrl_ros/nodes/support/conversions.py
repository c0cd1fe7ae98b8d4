"""Messages to the brain's plain values and back, without judgement. Times are ROS times in seconds."""

from __future__ import annotations

import array
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from fmrl_interfaces import msg as fmrl
from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo, Image, JointState
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from fmrl_ros.planning.monologue import MonologueLine, PlannerStep, ScoredSkill
from fmrl_ros.robot.joint_states import JointReading
from fmrl_ros.robot.profile import CameraProfile, RobotProfile
from fmrl_ros.robot.trajectory import JointTrajectory, ordered
from fmrl_ros.worlds.scene import Relation, Scene, SceneObject, Verdict
from fmrl_ros.worlds.world import Skill


def seconds(stamp: Time) -> float:
    """Return a time message in seconds."""
    return float(stamp.sec) + stamp.nanosec * 1e-9


def time_message(stamp: float) -> Time:
    """Return the message of a time in seconds."""
    nanoseconds = round(stamp * 1e9)
    return Time(sec=nanoseconds // 1_000_000_000, nanosec=nanoseconds % 1_000_000_000)


# Skills.


def skill_message(skill: Skill) -> fmrl.Skill:
    """Return the message of a skill."""
    return fmrl.Skill(name=skill.name, arguments=list(skill.arguments), phrase=skill.phrase)


def skill_from(message: fmrl.Skill) -> Skill:
    """Return the skill of a message."""
    return Skill(message.name, tuple(message.arguments), message.phrase)


# Scenes.


def scene_message(scene: Scene) -> fmrl.Scene:
    """Return the message of a scene."""
    message = fmrl.Scene(text=scene.text)
    message.header.stamp = time_message(scene.stamp)
    message.header.frame_id = scene.frame_id
    message.objects = [_object_message(entry) for entry in scene.objects]
    message.relations = [
        fmrl.Relation(subject=r.subject, predicate=r.predicate, object=r.object, confidence=float(r.confidence))
        for r in scene.relations
    ]
    return message


def scene_from(message: fmrl.Scene) -> Scene:
    """Return the scene of a message."""
    return Scene(
        stamp=seconds(message.header.stamp),
        objects=tuple(_object_from(entry) for entry in message.objects),
        relations=tuple(Relation(r.subject, r.predicate, r.object, r.confidence) for r in message.relations),
        text=message.text,
        frame_id=message.header.frame_id,
    )


def _object_message(entry: SceneObject) -> fmrl.SceneObject:
    x, y, z = map(float, entry.position)
    orientation = Quaternion(z=math.sin(entry.yaw / 2), w=math.cos(entry.yaw / 2))
    width, depth, height = map(float, entry.size)
    return fmrl.SceneObject(
        name=entry.name,
        kind=entry.kind,
        pose=Pose(position=Point(x=x, y=y, z=z), orientation=orientation),
        size=Vector3(x=width, y=depth, z=height),
        confidence=float(entry.confidence),
        visible=bool(entry.visible),
    )


def _object_from(entry: fmrl.SceneObject) -> SceneObject:
    position, size = entry.pose.position, entry.size
    return SceneObject(
        name=entry.name,
        kind=entry.kind,
        position=(position.x, position.y, position.z),
        yaw=2 * math.atan2(entry.pose.orientation.z, entry.pose.orientation.w),
        size=(size.x, size.y, size.z),
        confidence=entry.confidence,
        visible=entry.visible,
    )


def verdict_message(verdict: Verdict) -> fmrl.Verdict:
    """Return the message of a verdict."""
    value = fmrl.Verdict.UNKNOWN if verdict.value is None else int(verdict.value)
    return fmrl.Verdict(value=value, confidence=float(verdict.confidence), reason=verdict.reason)


def verdict_from(message: fmrl.Verdict) -> Verdict:
    """Return the verdict of a message."""
    value = None if message.value == fmrl.Verdict.UNKNOWN else message.value == fmrl.Verdict.TRUE
    return Verdict(value, message.confidence, message.reason)


# Planning.


def step_message(step: PlannerStep, instruction: str, stamp: float) -> fmrl.PlannerStep:
    """Return the message of a planner's step."""
    return fmrl.PlannerStep(
        stamp=time_message(stamp),
        index=step.index,
        candidates=[
            fmrl.ScoredSkill(
                skill=skill_message(c.skill),
                llm=float(c.llm),
                affordance=float(c.affordance),
                product=float(c.product),
            )
            for c in step.candidates
        ],
        has_choice=step.chosen is not None,
        chosen=skill_message(step.chosen) if step.chosen else fmrl.Skill(),
        instruction=instruction,
    )


def step_from(message: fmrl.PlannerStep) -> PlannerStep:
    """Return the planner's step of a message."""
    candidates = tuple(ScoredSkill(skill_from(c.skill), c.llm, c.affordance, c.product) for c in message.candidates)
    return PlannerStep(message.index, candidates, skill_from(message.chosen) if message.has_choice else None)


def line_message(line: MonologueLine, stamp: float) -> fmrl.MonologueLine:
    """Return the message of a monologue line."""
    return fmrl.MonologueLine(stamp=time_message(stamp), speaker=line.speaker, text=line.text)


def line_from(message: fmrl.MonologueLine) -> MonologueLine:
    """Return the monologue line of a message."""
    return MonologueLine(message.speaker, message.text)


# The robot.


def joint_state_message(
    names: Sequence[str], stamp: float, positions: NDArray[np.float64], velocities: NDArray[np.float64]
) -> JointState:
    """Return the message of measured joints."""
    message = JointState(name=list(names), position=positions.tolist(), velocity=velocities.tolist())
    message.header.stamp = time_message(stamp)
    return message


def joint_reading_from(message: JointState) -> JointReading:
    """Return the measured joints of a message as they came, unchecked."""
    positions, velocities = np.asarray(message.position, np.float64), np.asarray(message.velocity, np.float64)
    return JointReading(seconds(message.header.stamp), message.name, positions, velocities)


def trajectory_from(message: JointTrajectoryMessage, profile: RobotProfile) -> JointTrajectory:
    """Return the trajectory of a message in the profile's joint order.

    Raises:
      ValueError: If its joints are not the arm's, or a point lacks a position.
    """
    if any(len(point.positions) != len(message.joint_names) for point in message.points):
        raise ValueError(f"every trajectory point needs {len(message.joint_names)} positions")
    times = [point.time_from_start.sec + point.time_from_start.nanosec * 1e-9 for point in message.points]
    points = np.array([point.positions for point in message.points], np.float64)
    points = points.reshape(len(times), len(message.joint_names))
    return JointTrajectory(np.array(times, np.float64), ordered(message.joint_names, profile.joints, points))


# Cameras.


def color_message(color: NDArray[np.uint8], stamp: float, frame_id: str) -> Image:
    """Return an ``rgb8`` image of `color`, shape [height, width, 3]."""
    return _image(color, "rgb8", 3, stamp, frame_id)


def depth_message(depth: NDArray[np.float32], stamp: float, frame_id: str) -> Image:
    """Return a ``32FC1`` image of `depth`, shape [height, width], metres."""
    return _image(depth, "32FC1", 4, stamp, frame_id)


def _image(
    pixels: NDArray[np.uint8] | NDArray[np.float32], encoding: str, size: int, stamp: float, frame: str
) -> Image:
    height, width = pixels.shape[:2]
    message = Image(height=height, width=width, encoding=encoding, step=width * size)
    message.header.stamp = time_message(stamp)
    message.header.frame_id = frame
    data = array.array("B")
    data.frombytes(np.ascontiguousarray(pixels).data.cast("B"))
    message.data = data
    return message


def color_from(message: Image) -> NDArray[np.uint8]:
    """Return an image as RGB, shape [height, width, 3].

    Raises:
      ValueError: If its encoding is neither ``rgb8`` nor ``bgr8``, or it is not whole.
    """
    if message.encoding not in ("rgb8", "bgr8"):
        raise ValueError(f"colour image has encoding '{message.encoding}'; valid: rgb8, bgr8")
    _check_whole(message, "colour", 3)
    rows = np.frombuffer(message.data, np.uint8).reshape(message.height, message.step)
    pixels = rows[:, : message.width * 3].reshape(message.height, message.width, 3)
    return pixels if message.encoding == "rgb8" else pixels[..., ::-1]


def depth_from(message: Image) -> NDArray[np.float32]:
    """Return a depth image in metres, shape [height, width]; what was not measured is NaN.

    Raises:
      ValueError: If its encoding is neither ``32FC1`` (metres) nor ``16UC1`` (millimetres), or it is not whole.
    """
    if message.encoding not in ("32FC1", "16UC1"):
        raise ValueError(f"depth image has encoding '{message.encoding}'; valid: 32FC1, 16UC1")
    kind = np.dtype(np.float32 if message.encoding == "32FC1" else np.uint16)
    kind = kind.newbyteorder(">" if message.is_bigendian else "<")
    _check_whole(message, "depth", kind.itemsize)
    pixels: NDArray[Any] = np.frombuffer(message.data, kind).reshape(message.height, -1)[:, : message.width]
    if message.encoding == "32FC1":
        return np.asarray(pixels, np.float32)
    return np.where(pixels == 0, np.nan, pixels * 1e-3).astype(np.float32)


def _check_whole(message: Image, what: str, size: int) -> None:
    """Raise ValueError unless an image has all its bytes, `size` a pixel."""
    announced, came = message.height * message.step, len(message.data)
    if came != announced:
        raise ValueError(f"{what} image has {came} bytes, {announced} are announced: height {message.height} x step")
    if message.step < message.width * size:
        raise ValueError(f"{what} image has step {message.step}, {message.width} pixels need {message.width * size}")


def camera_info_message(camera: CameraProfile, stamp: float) -> CameraInfo:
    """Return the calibration of a camera without distortion."""
    message = CameraInfo(height=camera.height, width=camera.width, distortion_model="plumb_bob", d=[0.0] * 5)
    message.header.stamp = time_message(stamp)
    message.header.frame_id = camera.frame_id
    message.k = camera.K.flatten().tolist()
    message.r = np.eye(3).flatten().tolist()
    message.p = np.hstack([camera.K, np.zeros((3, 1))]).flatten().tolist()
    return message
