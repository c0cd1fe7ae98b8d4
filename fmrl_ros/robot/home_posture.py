"""Whether skills can begin at a robot's home posture, and a posture where they can."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

START = np.array([0.35, 0.0, 0.32])
"""Where the tool was at home in the training of the package's skills, m, base frame, the hand pointing down."""

MOST_TILT = 0.1
"""The hand points down within so much, rad."""
_MOVABLE = 0.1
"""The tool can be moved in a direction if joint motions come as near to that as this, of 1."""
_SINGULAR = 0.02
"""Motions of the tool for which joints move 1 / 0.02 times as far do not count."""
_MOTIONS = {"along x": 0, "along y": 1, "along z": 2, "about the vertical": 5}

_DOWN = np.diag([1.0, -1.0, -1.0])
_TRIES, _STEPS = 40, 200
_LONGEST_STEP = 0.3
"""Of a joint in one iteration, rad."""
_TWIST, _HEIGHT = 0.01, 1.0
"""Among postures that are as easy to move from, joints nearer to zero are better, per rad, and higher links, per m."""
_CLOSE = 1e-6
"""A pose is reached within so much, m and rad."""


def tilt(rotation: Array) -> float:
    """Return how far a tool of this rotation, shape [3, 3], is from pointing down, rad."""
    return float(np.arccos(np.clip(-rotation[2, 2], -1, 1)))


def stuck_motions(model: mujoco.MjModel, data: mujoco.MjData, tool: int) -> list[str]:
    """Return the motions of the tool that skills ask for and that the arm cannot make from where it is."""
    jacobian = _jacobian(model, data, tool)
    motions = jacobian @ np.linalg.pinv(jacobian, rcond=_SINGULAR)
    return [name for name, row in _MOTIONS.items() if np.linalg.norm(np.eye(6)[row] - motions[:, row]) > _MOVABLE]


def posture_at_start(model: mujoco.MjModel, joints: NDArray[np.intp], tool: int) -> Array | None:
    """Return the posture, shape [n], rad, with the tool at `START` from which it moves best; None if there is none.

    Args:
      model: The arm, with the base frame as its world.
      joints: Ids of its joints, shape [n].
      tool: Id of the tool's site.
    """
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    low, high = np.clip(model.jnt_range[joints], -np.pi, np.pi).T
    best, most = None, -np.inf
    for _ in range(_TRIES):
        q = _solved(model, data, joints, tool, rng.uniform(low, high))
        if q is None or (q < low).any() or (q > high).any():
            continue
        ease = float(np.linalg.svd(_jacobian(model, data, tool), compute_uv=False)[-1])
        height = float(data.xpos[:, 2].mean())
        if (worth := ease - _TWIST * float(np.linalg.norm(q)) + _HEIGHT * height) > most:
            best, most = q, worth
    return best


def _solved(model: mujoco.MjModel, data: mujoco.MjData, joints: NDArray[np.intp], tool: int, q: Array) -> Array | None:
    """Return the posture with the tool at `START` that damped least squares find from `q`; None if they find none."""
    addresses, dofs = model.jnt_qposadr[joints], model.jnt_dofadr[joints]
    quaternion, turn = np.zeros(4), np.zeros(3)
    for _ in range(_STEPS):
        data.qpos[addresses] = q
        mujoco.mj_kinematics(model, data)
        rotation = _DOWN @ data.site_xmat[tool].reshape(3, 3).T
        mujoco.mju_mat2Quat(quaternion, rotation.ravel())
        mujoco.mju_quat2Vel(turn, quaternion, 1.0)
        error = np.concatenate([START - data.site_xpos[tool], turn])
        if np.abs(error).max() < _CLOSE:
            return (q + np.pi) % (2 * np.pi) - np.pi
        jacobian = _jacobian(model, data, tool)[:, dofs]
        step = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-6 * np.eye(6), error)
        q = q + np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
    return None


def _jacobian(model: mujoco.MjModel, data: mujoco.MjData, tool: int) -> Array:
    """Return the tool's motion for each joint's, translation before rotation, shape [6, nv]."""
    mujoco.mj_comPos(model, data)
    jacobian = np.zeros((6, model.nv))
    mujoco.mj_jacSite(model, data, jacobian[:3], jacobian[3:], tool)
    return jacobian
