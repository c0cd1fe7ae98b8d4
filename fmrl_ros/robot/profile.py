"""A robot profile: the joints, limits, controllers and cameras of one robot, read from YAML and checked once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from fmrl_ros.assets import share
from fmrl_ros.home import user_path
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.robot.camera import CameraModel, pose_matrix

Array = NDArray[np.float64]


FINGER_COUNT = 2
"""Finger joints of the hand: the sum of their positions is the width between the pads."""


class ProfileError(ValueError):
    """A robot profile is malformed; the message names the field and what it may be."""


TF = "tf"
"""Parent of a camera whose pose comes from TF."""


@dataclass(frozen=True)
class CameraProfile:
    """One RGB-D camera.

    Attributes:
      name: Prefix of its topics: ``<name>/color``, ``<name>/depth``, ``<name>/camera_info``.
      parent: The base frame, the link that carries it, or `TF`: then the pose is looked up for each picture.
      mount: Pose of the optical frame (x right, y down, z forward) in `parent`, shape [4, 4].
      K: Intrinsic matrix, shape [3, 3], pixels.
      width, height: Image size in pixels.
      rate: Images a second.
    """

    name: str
    parent: str
    mount: Array
    K: Array
    width: int
    height: int
    rate: float

    @property
    def frame_id(self) -> str:
        """Name of the optical frame."""
        return f"{self.name}_optical_frame"

    def model(self, parent_pose: Array | None = None) -> CameraModel:
        """Return the calibrated camera in the base frame; `parent_pose` [4, 4] is where its link is now."""
        pose = self.mount if parent_pose is None else parent_pose @ self.mount
        return CameraModel(self.K, pose, self.width, self.height)


@dataclass(frozen=True)
class Topics:
    """Names of the driver contract's topics, relative to the robot's namespace."""

    joint_states: str
    arm_commands: str
    arm_trajectory: str
    gripper_commands: str


@dataclass(frozen=True)
class HandProfile:
    """A hand that the arm's model lacks.

    Attributes:
      file: Its model, as `ModelProfile.file`.
      parent: Body of the arm's model that carries it.
      pose: Pose of the hand's root body in `parent`, shape [4, 4].
    """

    file: str
    parent: str
    pose: Array


@dataclass(frozen=True)
class ModelProfile:
    """The model whose kinematics and geometry a robot has.

    Attributes:
      file: Name of a registered model, ``package:NAME/path``, or the path of an MJCF or URDF.
      base: The base frame's body.
      joints: What the model calls the arm's joints, in the order of `RobotProfile.joints`.
      gripper_joints: What it calls the finger joints.
      tool: Site, or body, of the tool centre point: its z axis points out of the hand, its y axis along the opening.
      tool_pose: Where the tool centre point is in the body `tool`, shape [4, 4]; None if it is `tool` itself.
      hand: Mounted on the model's arm; None if the model has its own.
    """

    file: str
    base: str
    joints: tuple[str, ...]
    gripper_joints: tuple[str, ...]
    tool: str
    tool_pose: Array | None = None
    hand: HandProfile | None = None


@dataclass(frozen=True)
class RobotProfile:
    """What the driver layer knows about a robot. Lengths m, angles rad, times s.

    Attributes:
      model: Whose kinematics it has.
      joints: Names of the arm's joints, from the base to the hand.
      home: Posture after a reset, shape [n].
      position_limits: Lower and upper limits, shape [n, 2].
      velocity_limits: Greatest speed of each joint, shape [n], rad/s.
      gripper_joints: Names of the two finger joints.
      gripper_range: Least and greatest finger joint position.
      workspace: Box for the tool centre point in the base frame, shape [3, 2].
      watchdog: The arm holds when no command came for so long.
      joint_state_rate: Measured states a second.
    """

    name: str
    base_frame: str
    model: ModelProfile
    joints: tuple[str, ...]
    home: Array
    position_limits: Array
    velocity_limits: Array
    gripper_joints: tuple[str, ...]
    gripper_range: tuple[float, float]
    workspace: Array
    watchdog: float
    joint_state_rate: float
    topics: Topics
    cameras: tuple[CameraProfile, ...]

    def camera(self, name: str) -> CameraProfile:
        """Return a camera by name. Raises UnknownNameError, which lists the valid ones."""
        for camera in self.cameras:
            if camera.name == name:
                return camera
        raise UnknownNameError("camera", name, [c.name for c in self.cameras])


def profile_names() -> list[str]:
    """Return the names of the profiles that ship with the package."""
    return sorted(p.stem for p in share("config").glob("*.yaml") if _is_profile(p))


def load_profile(name_or_file: str) -> RobotProfile:
    """Read a profile that ships with the package by name, or any other by the path of its file.

    Raises:
      UnknownNameError: If there is no such profile; lists the valid names.
      ProfileError: If it is malformed; names the file, the field and what it may be.
    """
    own = name_or_file.endswith((".yaml", ".yml"))
    path = user_path(name_or_file) if own else share("config") / f"{name_or_file}.yaml"
    if not path.is_file():
        raise UnknownNameError("robot profile", name_or_file, profile_names())
    try:
        return parse_profile(yaml.safe_load(path.read_text(encoding="utf-8")), path.parent)
    except (ProfileError, yaml.YAMLError) as error:
        raise ProfileError(f"{path.name}: {error}") from error


def parse_profile(tree: Any, folder: Path | None = None) -> RobotProfile:
    """Return the profile that a YAML tree describes; paths in it begin at `folder`. Raises ProfileError."""
    top = _Section("", tree)
    arm, gripper, topics = top.section("arm"), top.section("gripper"), top.section("topics")
    workspace, cameras = top.section("workspace"), top.section("cameras")
    joints, fingers = _joint_names(arm, gripper)
    count = len(joints)
    profile = RobotProfile(
        name=top.text("name"),
        base_frame=top.text("base_frame"),
        model=_model(top, joints, fingers, folder or Path()),
        joints=joints,
        home=arm.array("home", (count,)),
        position_limits=arm.ranges("position_limits", count),
        velocity_limits=arm.array("velocity_limits", (count,)),
        gripper_joints=fingers,
        gripper_range=gripper.interval("range"),
        workspace=np.array([workspace.interval(axis) for axis in "xyz"]),
        watchdog=top.positive("watchdog"),
        joint_state_rate=top.positive("joint_state_rate"),
        topics=Topics(**{field: topics.text(field) for field in Topics.__dataclass_fields__}),
        cameras=tuple(_camera(cameras.section(name)) for name in cameras.names_within),
    )
    low, high = profile.position_limits.T
    outside = [j for j, q, a, b in zip(joints, profile.home, low, high, strict=True) if not a <= q <= b]
    if outside:
        raise ProfileError(f"arm.home: outside arm.position_limits at {', '.join(outside)}")
    if (profile.velocity_limits <= 0).any():
        raise ProfileError("arm.velocity_limits: every limit must be greater than 0 rad/s")
    return profile


def _joint_names(arm: _Section, gripper: _Section) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the arm's and of the finger joints, if they are what the skills need. Raises ProfileError."""
    joints, fingers = arm.names("joints"), gripper.names("joints")
    if len(fingers) != FINGER_COUNT:
        raise ProfileError(
            f"gripper.joints: the skills need a hand of {FINGER_COUNT} finger joints, whose positions add up to the "
            f"width between the pads; here are {len(fingers)}: {', '.join(fingers)}"
        )
    both = [name for name in fingers if name in joints]
    if both:
        raise ProfileError(f"gripper.joints: {', '.join(both)} stands among arm.joints, too")
    return joints, fingers


MODEL_FILES = (".xml", ".mjcf", ".urdf", ".xacro")
"""Endings of a model's file; a word without one of them is the name of a registered model."""


def _model(top: _Section, joints: tuple[str, ...], fingers: tuple[str, ...], folder: Path) -> ModelProfile:
    """Return what the section ``model`` says; without one, the model registered as ``fr3`` is meant."""
    base = top.text("base_frame")
    if "model" not in top.names_within:
        return ModelProfile("fr3", base, joints, fingers, "tcp")
    section = top.section("model")
    within = section.names_within
    tool, tool_pose = _tool(section)
    return ModelProfile(
        file=_model_file(section.text("file"), folder),
        base=section.text("base") if "base" in within else base,
        joints=_model_names(section, "joints", joints),
        gripper_joints=_model_names(section, "gripper_joints", fingers),
        tool=tool,
        tool_pose=tool_pose,
        hand=_hand(section.section("hand"), folder) if "hand" in within else None,
    )


def _model_file(file: str, folder: Path) -> str:
    """Return a model's file as it is loaded: a path as it is from anywhere, a name or a package's file as it stands."""
    if file.startswith("package:") or not file.endswith(MODEL_FILES):
        return file
    return str((folder / user_path(file)).resolve())


def _model_names(section: _Section, field: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return what the model calls the robot's joints: as the robot does unless it says otherwise."""
    if field not in section.names_within:
        return names
    own = section.names(field)
    if len(own) != len(names):
        raise ProfileError(f"{section.path}.{field}: must be {len(names)} names, one for each of {', '.join(names)}")
    return own


def _tool(section: _Section) -> tuple[str, Array | None]:
    """Return the name of the tool's site or body, and where in it the tool centre point is."""
    if not section.is_section("tool"):
        return section.text("tool"), None
    place = section.section("tool")
    return place.text("parent"), _pose(place)


def _hand(section: _Section, folder: Path) -> HandProfile:
    return HandProfile(_model_file(section.text("file"), folder), section.text("parent"), _pose(section))


def _pose(section: _Section) -> Array:
    """Return the pose that ``position`` and ``orientation`` say, shape [4, 4]."""
    quaternion = section.array("orientation", (4,))
    if abs(np.linalg.norm(quaternion) - 1) > 1e-3:
        raise ProfileError(f"{section.path}.orientation: must be a unit quaternion xyzw")
    return pose_matrix(section.array("position", (3,)), quaternion)


def _is_profile(path: Path) -> bool:
    return "position_limits:" in path.read_text(encoding="utf-8")


def _camera(section: _Section) -> CameraProfile:
    lens = section.section("intrinsics")
    fx, fy, cx, cy = (lens.positive(field) for field in ("fx", "fy", "cx", "cy"))
    parent = section.text("parent")
    return CameraProfile(
        name=section.path.rsplit(".", 1)[-1],
        parent=parent,
        mount=np.eye(4) if parent == TF else _pose(section),
        K=np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]]),
        width=int(section.positive("width")),
        height=int(section.positive("height")),
        rate=section.positive("rate"),
    )


class _Section:
    """A mapping of the YAML tree with its path, so that errors can say where they are."""

    def __init__(self, path: str, tree: Any) -> None:
        if not isinstance(tree, dict):
            raise ProfileError(f"{path or 'the file'}: must be a mapping, not {tree!r}")
        self.path, self._tree = path, tree

    @property
    def names_within(self) -> list[str]:
        return [str(key) for key in self._tree]

    def _at(self, field: str) -> str:
        return f"{self.path}.{field}" if self.path else field

    def _get(self, field: str) -> Any:
        if field not in self._tree:
            raise ProfileError(f"{self._at(field)}: missing; present: {', '.join(self.names_within) or 'nothing'}")
        return self._tree[field]

    def is_section(self, field: str) -> bool:
        return isinstance(self._get(field), dict)

    def section(self, field: str) -> _Section:
        return _Section(self._at(field), self._get(field))

    def text(self, field: str) -> str:
        found = self._get(field)
        if not isinstance(found, str) or not found:
            raise ProfileError(f"{self._at(field)}: must be a name, not {found!r}")
        return found

    def names(self, field: str) -> tuple[str, ...]:
        found = self._get(field)
        if not isinstance(found, list) or not found or not all(isinstance(n, str) for n in found):
            raise ProfileError(f"{self._at(field)}: must be a list of names, not {found!r}")
        if len(set(found)) != len(found):
            raise ProfileError(f"{self._at(field)}: a name appears twice in {found!r}")
        return tuple(found)

    def positive(self, field: str) -> float:
        found = self._get(field)
        if isinstance(found, bool) or not isinstance(found, int | float) or not 0 < found < float("inf"):
            raise ProfileError(f"{self._at(field)}: must be a number greater than 0, not {found!r}")
        return float(found)

    def array(self, field: str, shape: tuple[int, ...]) -> Array:
        found = self._get(field)
        try:
            values = np.asarray(found, np.float64)
        except (TypeError, ValueError):
            values = np.full(1, np.nan)
        if values.shape != shape or not np.isfinite(values).all():
            size = " x ".join(map(str, shape))
            raise ProfileError(f"{self._at(field)}: must be {size} finite numbers, not {found!r}")
        return values

    def ranges(self, field: str, count: int) -> Array:
        values = self.array(field, (count, 2))
        if (values[:, 0] >= values[:, 1]).any():
            raise ProfileError(f"{self._at(field)}: each entry must be [lower, upper] with lower < upper")
        return values

    def interval(self, field: str) -> tuple[float, float]:
        low, high = self.array(field, (2,))
        if low >= high:
            raise ProfileError(f"{self._at(field)}: must be [lower, upper] with lower < upper, not [{low}, {high}]")
        return float(low), float(high)
