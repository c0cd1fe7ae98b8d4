"""From the points of one object to its pose: blocks as upright cuboids, bowls by the circle of their rim.

Both fits know the object's size, so that half of it is enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.perception.camera import CameraModel

Array = NDArray[np.float64]

_FACE = 0.005
"""Points this close in height belong to one horizontal face, m."""
_RIM_INSET = (0.0, 0.0072)
"""A bowl's rim, its outer and its inner side, lies this far inside its bounding box, m."""
_RIM_SEEN = 0.001
"""The topmost tenth of a rim's pixels lies this far below its edge, m."""
_BEST = 0.8
_ANGLES = np.linspace(0, 2 * np.pi, 16, endpoint=False)
_ROUND = np.vstack(
    [np.column_stack([r * np.cos(_ANGLES), r * np.sin(_ANGLES), np.full(16, z)]) for r, z in ((1.0, 1.0), (0.84, -1.0))]
)
"""A bowl's rim and foot, in half sizes."""
_SQUARE = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
"""A block's corners, in half sizes."""


@dataclass(frozen=True)
class PoseFit:
    """A fitted pose: `position` of the centre, shape [3], m, base frame; `yaw` in rad; `residual` in m.

    A block's residual is what four in five of its points stay within: strays do not count, another shape does.
    """

    position: Array
    yaw: float
    residual: float


def fit_block(points: Array, size: tuple[float, float, float], toward_camera: Array) -> PoseFit:
    """Fit an upright cuboid with a square base.

    Args:
      points: Points on its surface, shape [n, 3], m, base frame; a few strays do not matter.
      size: Its bounding box, m.
      toward_camera: Direction from the object to the camera in the base's xy plane, shape [2].
    """
    half = np.asarray(size) / 2
    top = _top(points[:, 2])
    near = points[(points[:, 2] < top + _FACE) & (points[:, 2] > top - size[2] + 0.004)]
    face = near[near[:, 2] > top - _FACE]
    base = face if len(face) >= 12 else near
    hull = cv2.convexHull(_without_strays(base[:, :2]).astype(np.float32))
    yaw = np.deg2rad(cv2.minAreaRect(hull)[2])
    yaw = (yaw + np.pi / 4) % (np.pi / 2) - np.pi / 4
    centre = _anchored(near[:, :2], yaw, half[0], toward_camera)
    start = np.array([*centre, top - half[2], yaw])
    return _refine_block(near if len(near) <= 250 else near[:: len(near) // 200], half, start)


def quantile(values: Array, share: float) -> Array:
    """Return the value, of each column, that this share of the others does not exceed.

    A value that was measured, never one between two clusters; numpy's own interpolate and take ten times as long.

    Args:
      values: Shape [n] or [n, columns], n > 0.
      share: In [0, 1].
    """
    k = round(share * (len(values) - 1))
    return np.asarray(np.partition(values, k, axis=0)[k], float)


def _top(heights: Array) -> float:
    """Return the height of the topmost horizontal face: the median of the highest cluster."""
    high = quantile(heights, 0.92)
    return float(quantile(heights[np.abs(heights - high) < _FACE], 0.5))


def _without_strays(xy: Array) -> Array:
    distance = np.hypot(*(xy - quantile(xy, 0.5)).T)
    kept = xy[distance <= max(float(quantile(distance, 0.97)), 1e-3) + 1e-4]
    return kept if len(kept) >= 3 else xy


def _anchored(xy: Array, yaw: float, half: float, toward_camera: Array) -> Array:
    """Return the centre of a square of known size; where an edge is hidden the side facing the camera counts."""
    axes = np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]])
    along = xy @ axes.T
    low, high = quantile(along, 0.015), quantile(along, 0.985)
    middle = (low + high) / 2
    toward = axes @ toward_camera
    anchored = np.where(toward > 0, high - half, low + half)
    hidden = (high - low < 1.6 * half) & (np.abs(toward) > 0.35)
    return np.asarray(axes.T @ np.where(hidden, anchored, middle), float)


def _refine_block(points: Array, half: Array, start: Array, iterations: int = 8) -> PoseFit:
    """Levenberg-Marquardt on the points' distances to the cuboid's surface, Huber weights.

    The start has a small say, because points on the top face alone do not tell where it is within a pixel.
    """
    steps = np.array([5e-4, 5e-4, 5e-4, 0.02])
    prior = np.array([0.06, 0.06, 0.06, 0.0015]) * np.sqrt(len(points))
    pose, damping = start.copy(), 1e-3
    probes = np.vstack([np.zeros(4), np.diag(steps)])
    residuals = _surface_distances(points, half, pose + probes)
    for _ in range(iterations):
        error = residuals[0]
        jacobian = (residuals[1:] - error).T / steps[:, None].T
        weight = np.minimum(1.0, 0.002 / np.maximum(np.abs(error), 1e-9))
        normal = jacobian.T @ (jacobian * weight[:, None]) + np.diag(prior**2)
        gradient = jacobian.T @ (weight * error) + prior**2 * (pose - start)
        step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), gradient)
        trial = pose - np.clip(step, -0.01, 0.01) if np.abs(step[:3]).max() > 0.01 else pose - step
        trial_residuals = _surface_distances(points, half, trial + probes)
        if _cost(trial_residuals[0], trial - start, prior) < _cost(error, pose - start, prior):
            pose, residuals, damping = trial, trial_residuals, damping / 5
            if np.abs(step[:3]).max() < 5e-5:
                break
        else:
            damping *= 10
    yaw = (pose[3] + np.pi / 4) % (np.pi / 2) - np.pi / 4
    return PoseFit(pose[:3], float(yaw), float(quantile(np.abs(residuals[0]), _BEST)))


def _cost(error: Array, moved: Array, prior: Array) -> float:
    size = np.abs(error)
    huber = np.where(size < 0.002, 0.5 * size**2, 0.002 * (size - 0.001))
    return float(huber.sum() + 0.5 * np.sum((prior * moved) ** 2))


def _surface_distances(points: Array, half: Array, poses: Array) -> Array:
    """Return signed distances, shape [k, n], of points to the surface of a cuboid at k poses (x, y, z, yaw)."""
    c, s = np.cos(poses[:, 3])[:, None], np.sin(poses[:, 3])[:, None]
    dx, dy = points[None, :, 0] - poses[:, 0:1], points[None, :, 1] - poses[:, 1:2]
    qx = np.abs(c * dx + s * dy) - half[0]
    qy = np.abs(c * dy - s * dx) - half[1]
    qz = np.abs(points[None, :, 2] - poses[:, 2:3]) - half[2]
    outside = np.sqrt(np.maximum(qx, 0) ** 2 + np.maximum(qy, 0) ** 2 + np.maximum(qz, 0) ** 2)
    return np.asarray(outside + np.minimum(np.maximum(np.maximum(qx, qy), qz), 0), float)


def fit_bowl(points: Array, size: tuple[float, float, float]) -> PoseFit:
    """Fit a circle of known radius to the rim.

    Args:
      points: Points on the bowl, shape [n, 3], m, base frame. Some may belong to what lies in it and rises above the
        rim: if the topmost points make no circle, lower ones are tried.
      size: Its bounding box, m.
    """
    best, best_share = _fit_rim(points, size, float(quantile(points[:, 2], 0.96)))
    for lower in (0.85, 0.7):
        if best_share > 0.75:
            break
        fit, share = _fit_rim(points, size, float(quantile(points[:, 2], lower)))
        if share > best_share + 0.1:
            best, best_share = fit, share
    return best


def _fit_rim(
    points: Array, size: tuple[float, float, float], top: float, iterations: int = 12
) -> tuple[PoseFit, float]:
    """Fit the circle to the points about the height `top`; return the share of them that lie on it, too."""
    outer, inner = size[0] / 2 - _RIM_INSET[0], size[0] / 2 - _RIM_INSET[1]
    rim = points[np.abs(points[:, 2] - top) < _FACE][:, :2]
    if len(rim) < 8:
        rim = points[:, :2]
    rim = rim[:: 1 + len(rim) // 160]
    middle, radius = quantile(points[:, :2], 0.5), (inner + outer) / 2
    x, y = min((middle, _circle_centre(rim)), key=lambda c: _rim_cost(rim, c, radius))
    error = np.zeros(len(rim))
    for i in range(iterations):
        dx, dy = rim[:, 0] - x, rim[:, 1] - y
        distance = np.maximum(np.hypot(dx, dy), 1e-6)
        # The camera sees the near rim from outside and the far one from inside: anywhere between is right.
        beyond = distance - np.clip(distance, inner, outer)
        error = beyond + 0.1 * (distance - radius)
        slope = np.where(beyond == 0, 0.1, 1.1) / distance
        scale = max(0.03 * 0.7**i, 0.005)
        weight = 1.0 / (1.0 + (error / scale) ** 2) ** 2
        # Gauss-Newton on two unknowns, written out.
        ex, ey = slope * dx, slope * dy
        wx, wy = weight * ex, weight * ey
        xx, xy, yy, gx, gy = wx @ ex + 1e-3, wx @ ey, wy @ ey + 1e-3, wx @ error, wy @ error
        determinant = xx * yy - xy * xy
        step = (yy * gx - xy * gy) / determinant, (xx * gy - xy * gx) / determinant
        x, y = x + step[0], y + step[1]
        if max(abs(step[0]), abs(step[1])) < 2e-5 and i > 4:
            break
    position = np.array([x, y, top + _RIM_SEEN - size[2] / 2])
    residual = float(np.sqrt(np.mean(np.minimum(np.abs(error), 0.02) ** 2)))
    return PoseFit(position, 0.0, residual), float(np.mean(np.abs(error) < 0.004))


def _circle_centre(xy: Array) -> Array:
    """Return the centre of the circle through points in the sense of algebraic least squares (Kasa 1976)."""
    middle = xy.mean(0)
    x, y = (xy - middle).T
    unknowns, *_ = np.linalg.lstsq(np.column_stack([x, y, np.ones(len(x))]), x * x + y * y, rcond=None)
    return np.asarray(middle + np.clip(unknowns[:2] / 2, -0.1, 0.1), float)


def _rim_cost(rim: Array, centre: Array, radius: float) -> float:
    error = np.hypot(rim[:, 0] - centre[0], rim[:, 1] - centre[1]) - radius
    return float(np.minimum(np.abs(error), 0.02).sum())


def expected_area(
    kind: str, position: Array, yaw: float, size: tuple[float, float, float], camera: CameraModel
) -> float:
    """Return how many pixels the whole object would cover if nothing hid it."""
    half = np.asarray(size) / 2
    if kind == "bowl":
        corners = _ROUND * half
    else:
        cos, sin = np.cos(yaw), np.sin(yaw)
        corners = (_SQUARE * half) @ np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])
    outline = cv2.convexHull(camera.project(corners + position).astype(np.float32))
    return float(cv2.contourArea(outline))
