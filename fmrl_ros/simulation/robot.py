"""A profile's robot for the simulation: weightless, as under its own controller, with a servo for each joint."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import mujoco
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.kinematic_model import kinematic_model
from fmrl_ros.robot.model import (
    TOOL,
    ArmSpec,
    ModelError,
    adopt_options,
    arm_spec,
    names,
    one_line,
    position_and_quaternion,
)
from fmrl_ros.robot.profile import RobotProfile, load_profile

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

ROBOT = "robot/"
"""Prefix of every name of the robot's model inside the world's."""

_OPTICAL = np.diag([1.0, -1.0, -1.0, 1.0])
"""MuJoCo's cameras look along -z with y up, those of a profile along +z with y down."""

_FREQUENCY = 41.0
"""Of an added servo, rad/s: critically damped with the greatest inertia, it lags behind its commands by 49 ms."""
_POSTURES = 50
"""So many are tried for the greatest inertia that a servo must move."""
_ARMATURE = 0.1
"""Least inertia of a motor as its joint feels it, kg m^2, or kg for a finger."""
_FINGER_STIFFNESS, _FINGER_DAMPING = 750.0, 25.0
"""Of a finger's servo that the model lacks, N/m and N s/m."""


@cache
def simulated_profile() -> RobotProfile:
    """Return the profile of the robot that skills are trained and measured with unless another is named."""
    return load_profile("franka_sim")


def add_robot(world: mujoco.MjSpec, profile: RobotProfile) -> None:
    """Put a profile's robot, and those of its cameras that the world lacks, into a world. Raises ModelError."""
    position, quaternion = position_and_quaternion(kinematic_model(profile).placement)
    arm = simulated_arm(profile)
    adopt_options(arm.spec, world)
    world.worldbody.add_frame(pos=position, quat=quaternion).attach_body(arm.spec.body(arm.root), prefix=ROBOT)
    for camera in profile.cameras:
        parent = world.worldbody if camera.parent == profile.base_frame else world.body(ROBOT + camera.parent)
        if world.camera(camera.name) is None and parent is not None:
            position, quaternion = position_and_quaternion(camera.mount @ _OPTICAL)
            fovy = 2 * np.degrees(np.arctan(camera.height / 2 / camera.K[1, 1]))
            parent.add_camera(name=camera.name, pos=position, quat=quaternion, fovy=fovy)


@dataclass(frozen=True)
class RobotParts:
    """Where a robot is in a compiled world.

    Attributes:
      q: Its arm's joints in ``qpos``, shape [n].
      dq: The same in ``qvel``, shape [n].
      fingers: Its finger joints in ``qpos``, shape [2].
      servos: The arm's actuators, shape [n].
      hand: Actuators of the fingers, or of a tendon that moves both.
      pads: For each finger the geoms that grip.
      tool: Site of the tool centre point.
    """

    q: Indices
    dq: Indices
    fingers: Indices
    servos: Indices
    hand: Indices
    pads: tuple[frozenset[int], ...]
    tool: int


def robot_parts(model: mujoco.MjModel, profile: RobotProfile) -> RobotParts:
    """Return where the robot that `add_robot` put into a world is."""
    own = profile.model
    joints = [model.joint(ROBOT + name) for name in own.joints]
    fingers = [model.joint(ROBOT + name) for name in own.gripper_joints]
    kind, target = model.actuator_trntype, model.actuator_trnid[:, 0]
    on_joint, on_tendon = kind == mujoco.mjtTrn.mjTRN_JOINT, kind == mujoco.mjtTrn.mjTRN_TENDON
    servos = [int(np.flatnonzero(on_joint & (target == joint.id))[0]) for joint in joints]
    on_finger = on_joint & np.isin(target, [joint.id for joint in fingers])
    tool = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, ROBOT + TOOL)
    return RobotParts(
        q=np.array([joint.qposadr[0] for joint in joints]),
        dq=np.array([joint.dofadr[0] for joint in joints]),
        fingers=np.array([joint.qposadr[0] for joint in fingers]),
        servos=np.array(servos),
        hand=np.flatnonzero(on_tendon | on_finger),
        pads=tuple(_pads(model, int(model.jnt_bodyid[joint.id])) for joint in fingers),
        tool=tool if tool >= 0 else model.site(ROBOT + own.tool).id,
    )


def _pads(model: mujoco.MjModel, finger: int) -> frozenset[int]:
    """Return the geoms of a finger that are named as pads, or all of them."""
    geoms = [int(geom) for geom in np.flatnonzero(model.geom_bodyid == finger)]
    return frozenset([geom for geom in geoms if model.geom(geom).name.endswith("_pad")] or geoms)


def simulated_arm(profile: RobotProfile) -> ArmSpec:
    """Return a robot's model with gravity compensated and a servo for every joint that has none. Raises ModelError."""
    arm, model = arm_spec(profile), profile.model
    spec = arm.spec
    missing = [name for name in model.gripper_joints if spec.joint(name) is None]
    if missing:
        raise ModelError(
            f"robot '{profile.name}': gripper.joints: the simulation needs a hand; the model has no joint "
            f"'{', '.join(missing)}', only "
            f"{', '.join(names(spec.joints))}; list in model.gripper_joints what it calls them, or mount a model.hand"
        )
    for body in spec.bodies[1:]:
        body.gravcomp = 1.0
    _drive_arm(spec, profile)
    _drive_hand(spec, profile)
    return arm


def servo_of(spec: mujoco.MjSpec, joint: str) -> mujoco.MjsActuator | None:
    """Return the actuator that brings a joint to a position, if there is one."""
    servos = (actuator for actuator in drives(spec, joint) if actuator.biastype == mujoco.mjtBias.mjBIAS_AFFINE)
    return next(servos, None)


def drives(spec: mujoco.MjSpec, joint: str) -> list[mujoco.MjsActuator]:
    """Return the actuators on a joint itself."""
    return [a for a in spec.actuators if a.trntype == mujoco.mjtTrn.mjTRN_JOINT and a.target == joint]


def _drive_arm(spec: mujoco.MjSpec, profile: RobotProfile) -> None:
    bare = [name for name in profile.model.joints if servo_of(spec, name) is None]
    if not bare:
        return
    for name in bare:
        for actuator in drives(spec, name):
            spec.delete(actuator)
        spec.joint(name).armature = max(spec.joint(name).armature, _ARMATURE)
    inertia = _inertia(spec, profile)
    for name in bare:
        stiffness = inertia[name] * _FREQUENCY**2
        _add_servo(spec, name, stiffness, 2 * stiffness / _FREQUENCY, tuple(spec.joint(name).range))


def _drive_hand(spec: mujoco.MjSpec, profile: RobotProfile) -> None:
    fingers = profile.model.gripper_joints
    if any(a.trntype == mujoco.mjtTrn.mjTRN_TENDON or a.target in fingers for a in spec.actuators):
        return
    for name in fingers:
        spec.joint(name).armature = max(spec.joint(name).armature, _ARMATURE)
        _add_servo(spec, name, _FINGER_STIFFNESS, _FINGER_DAMPING, profile.gripper_range)


def _add_servo(spec: mujoco.MjSpec, joint: str, stiffness: float, damping: float, span: tuple[float, float]) -> None:
    """Add a servo whose damping is the joint's, which is integrated implicitly: stable however light the link is.

    The joint's greatest torque does not bound it, as it would have to overcome that damping, too.
    """
    alone = np.ndim(spec.joint(joint).damping) == 0  # before MuJoCo 4, without coefficients of higher orders
    spec.joint(joint).damping = damping if alone else [damping, 0.0, 0.0]
    spec.joint(joint).actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE
    servo = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT, ctrlrange=span)
    servo.set_to_position(kp=stiffness)


def _inertia(spec: mujoco.MjSpec, profile: RobotProfile) -> dict[str, float]:
    """Return the most that each joint of the arm moves in any of some postures, kg m^2."""
    try:
        model = spec.copy().compile()
    except ValueError as error:
        raise ModelError(f"robot '{profile.name}': its model cannot be simulated: {one_line(error)}") from error
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    joints = [model.joint(name) for name in profile.model.joints]
    inertia = np.zeros(len(joints))
    for _ in range(_POSTURES):
        for joint, q in zip(joints, rng.uniform(*profile.position_limits.T), strict=True):
            data.qpos[joint.qposadr[0]] = q
        mujoco.mj_forward(model, data)
        inertia = np.maximum(inertia, [_moved(model, data, joint.dofadr[0]) for joint in joints])
    return dict(zip(profile.model.joints, inertia.tolist(), strict=True))


def _moved(model: mujoco.MjModel, data: mujoco.MjData, dof: int) -> float:
    """Return what a joint moves where the robot is, kg m^2."""
    alone, torques = np.zeros(model.nv), np.zeros(model.nv)
    alone[dof] = 1.0
    mujoco.mj_mulM(model, data, torques, alone)
    return float(torques[dof])
