"""A robot as joints and frames only: small and fast, for kinematics."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.home_posture import MOST_TILT, START, posture_at_start, stuck_motions, tilt
from fmrl_ros.robot.model import ArmSpec, ModelError, arm_spec, one_line, position_and_quaternion
from fmrl_ros.robot.profile import RobotProfile

Array = NDArray[np.float64]


@dataclass(frozen=True)
class KinematicModel:
    """The compiled model, whose world is the base frame. It has the arm's joints and the fingers', no other.

    Attributes:
      model: The model; its joint ranges are within the profile's position limits.
      arm: Where the arm's joints are in ``qpos``, shape [n].
      tool: Site of the tool centre point.
      home: All joint positions with the arm at home and the hand open.
      root: Body that carries the whole robot.
      placement: Pose in the base frame of the frame in which the model's file has `root`, shape [4, 4].
    """

    model: mujoco.MjModel
    arm: NDArray[np.intp]
    tool: str
    home: Array
    root: str
    placement: Array


def kinematic_model(profile: RobotProfile) -> KinematicModel:
    """Return the kinematics of a profile's robot.

    Raises:
      ModelError: If the model is missing or broken, has not the joints or frames that the profile names, or if a skill
        cannot begin at home; names the robot, the field and what it may be.
    """
    try:
        return _kinematic_model(profile)
    except ModelError as error:
        raise ModelError(f"robot '{profile.name}': {error}") from error


def _kinematic_model(profile: RobotProfile) -> KinematicModel:
    arm = arm_spec(profile)
    spec, description = arm.spec, profile.model
    _strip(spec, {*description.joints, *description.gripper_joints})
    # A dot: Jacobians are rounded about the centre of mass, and a skill's commands shall stay the same to the last bit.
    spec.body(description.base).add_geom(name="base", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.01, 0, 0])
    model = _compile(spec, profile)
    placement = _placement(model, description.base)
    if not np.array_equal(placement, np.eye(4)):
        position, quaternion = position_and_quaternion(placement)
        frame = spec.worldbody.add_frame(pos=position, quat=quaternion)
        for body in list(spec.bodies)[1:]:
            if body.parent == spec.worldbody:
                body.set_frame(frame)
        model = _compile(spec, profile)
    kinematics = _described(model, arm, profile, placement)
    _check_home(kinematics, profile)
    return kinematics


def _strip(spec: mujoco.MjSpec, joints: set[str]) -> None:
    """Take away all but bodies, their frames, and the joints of these names."""
    others = (spec.actuators, spec.equalities, spec.tendons, spec.sensors, spec.keys, spec.excludes, spec.pairs)
    shapes = (spec.geoms, spec.skins, spec.meshes, spec.hfields, spec.materials, spec.textures)
    for elements in (*others, *shapes):
        for element in list(elements):
            spec.delete(element)
    for joint in list(spec.joints):
        if joint.name not in joints:
            spec.delete(joint)
    for body in spec.bodies[1:]:
        if body.joints and not body.explicitinertial:  # its mass was that of its shapes
            body.explicitinertial, body.mass, body.inertia = True, 1.0, [0.01, 0.01, 0.01]
            body.ipos, body.iquat = [0, 0, 0], [1, 0, 0, 0]


def _compile(spec: mujoco.MjSpec, profile: RobotProfile) -> mujoco.MjModel:
    try:
        return spec.compile()
    except ValueError as error:
        raise ModelError(f"model.file: {profile.model.file} is no model: {one_line(error)}") from error


def _placement(model: mujoco.MjModel, base: str) -> Array:
    """Return the model's world in the base frame."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    pose = np.eye(4)
    pose[:3, :3] = data.body(base).xmat.reshape(3, 3)
    pose[:3, 3] = data.body(base).xpos
    if np.array_equal(pose, np.eye(4)):
        return pose
    return np.asarray(np.linalg.inv(pose), np.float64)


def _described(model: mujoco.MjModel, arm: ArmSpec, profile: RobotProfile, placement: Array) -> KinematicModel:
    description = profile.model
    for name, (low, high) in zip(description.joints, profile.position_limits, strict=True):
        joint = model.joint(name)
        limited = bool(model.jnt_limited[joint.id])
        joint.range[:] = [max(low, joint.range[0]), min(high, joint.range[1])] if limited else [low, high]
        model.jnt_limited[joint.id] = 1
    addresses = np.array([model.joint(name).qposadr[0] for name in description.joints])
    home = model.qpos0.copy()
    for name in description.gripper_joints:
        if mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name) >= 0:
            home[model.joint(name).qposadr[0]] = profile.gripper_range[1]
    home[addresses] = profile.home
    return KinematicModel(model, addresses, arm.tool, home, arm.root, placement)


def _check_home(kinematics: KinematicModel, profile: RobotProfile) -> None:
    """Make sure that the arm can stand at home, and that skills can begin there. Raises ModelError."""
    model = kinematics.model
    for name, own, q in zip(profile.joints, profile.model.joints, profile.home, strict=True):
        low, high = model.joint(own).range
        if not low <= q <= high:
            raise ModelError(f"arm.home: {name} at {q:.4f} is outside the model's range [{low:.4f}, {high:.4f}]")
    data = mujoco.MjData(model)
    data.qpos[:] = kinematics.home
    mujoco.mj_kinematics(model, data)
    if defect := _defect(kinematics, profile, data):
        raise ModelError(f"arm.home: {defect}; {_better(kinematics, profile)}")


def _defect(kinematics: KinematicModel, profile: RobotProfile, data: mujoco.MjData) -> str:
    """Say why skills cannot begin where the arm is; empty if they can."""
    tool = data.site(kinematics.tool)
    limits = zip("xyz", tool.xpos, profile.workspace, strict=True)
    outside = [f"{axis} = {value:.3f} m" for axis, value, (low, high) in limits if not low <= value <= high]
    if outside:
        return f"the tool is at {', '.join(outside)} there, outside of workspace"
    askew = tilt(tool.xmat.reshape(3, 3))
    if askew > MOST_TILT:
        return f"the hand, z of model.tool, is {np.degrees(askew):.0f} degrees off pointing down there"
    if stuck := stuck_motions(kinematics.model, data, tool.id):
        return f"the tool cannot move {', '.join(stuck)} from there with the hand pointing down"
    return ""


def _better(kinematics: KinematicModel, profile: RobotProfile) -> str:
    """Say which home posture the robot could have."""
    model = kinematics.model
    joints = np.array([model.joint(name).id for name in profile.model.joints])
    posture = posture_at_start(model, joints, model.site(kinematics.tool).id)
    place = f"the tool at ({', '.join(f'{value:g}' for value in START)}) m, pointing down,"
    if posture is None:
        return f"the arm finds no posture with {place} where skills begin"
    return f"with {place} the arm is at [{', '.join(f'{q:.4f}' for q in posture)}]"
