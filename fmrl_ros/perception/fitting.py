"""From the points of one object to its pose: blocks as upright cuboids, bowls by the circle of their rim.

Both fits know the object's size, so that half of it is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.camera import CameraModel

Array = NDArray[np.float64]

_FACE_HEIGHT = 0.005
"""Points this close in height belong to one horizontal face, m."""
_RIM_INSET = (0.0, 0.0072)
"""A bowl's rim, its outer and its inner side, lies this far inside its bounding box, m."""
_RIM_OFFSET = 0.001
"""The topmost tenth of a rim's pixels lies this far below its edge, m."""
_RESIDUAL_QUANTILE = 0.8
_ANGLES = np.linspace(0, 2 * np.pi, 16, endpoint=False)
_BOWL_OUTLINE = np.vstack(
    [np.column_stack([r * np.cos(_ANGLES), r * np.sin(_ANGLES), np.full(16, z)]) for r, z in ((1.0, 1.0), (0.84, -1.0))]
)
"""A bowl's rim and foot, in half sizes."""
_BLOCK_CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
"""A block's corners, in half sizes."""


@dataclass(frozen=True)
class PoseFit:
    """A fitted pose: `position` of the centre, shape [3], m, base frame; `yaw` in rad; `residual` in m.

    A block's residual is what four in five of its points stay within: outliers do not count, another shape does.
    """

    position: Array
    yaw: float
    residual: float


@dataclass(frozen=True)
class Surface:
    """What was seen of one object's surface.

    Attributes:
      kind: ``bowl``; everything else is a block.
      size: Its bounding box, m.
      points: Shape [n, 3], m, base frame; a few outliers do not matter. Of a bowl some may belong
        to what lies in it and rises above the rim.
      camera: Where the camera is, xy in m, base frame: of a block that is half hidden, the side that faces it counts.
    """

    kind: str
    size: tuple[float, float, float]
    points: Array
    camera: Array


def fit_poses(seen: Sequence[Surface]) -> list[PoseFit]:
    """Fit upright cuboids with a square base and circles of rims, all of a kind together: several take as long as one.

    Args:
      seen: One an object, of any number of pictures; none is empty.
    """
    fits: dict[int, PoseFit] = {}
    for fit_kind, bowl in ((_fit_blocks, False), (_fit_bowls, True)):
        chosen = [i for i, each in enumerate(seen) if (each.kind == "bowl") == bowl]
        if chosen:
            fits |= dict(zip(chosen, fit_kind([seen[i] for i in chosen]), strict=True))
    return [fits[i] for i in range(len(seen))]


def _fit_blocks(patches: Sequence[Surface]) -> list[PoseFit]:
    several, starts = zip(*(_initial_pose(patch) for patch in patches), strict=True)
    return _refine_blocks(several, np.array([patch.size for patch in patches]) / 2, np.array(starts))


def _initial_pose(patch: Surface) -> tuple[Array, Array]:
    """Return the points of a block that its pose is refined on, and the pose (x, y, z, yaw) to begin at."""
    points, half = patch.points, np.asarray(patch.size) / 2
    toward = patch.camera - points[:, :2].mean(0)
    toward = toward / max(float(np.linalg.norm(toward)), 1e-6)
    top = _top(points[:, 2])
    near = points[(points[:, 2] < top + _FACE_HEIGHT) & (points[:, 2] > top - patch.size[2] + 0.004)]
    face = near[near[:, 2] > top - _FACE_HEIGHT]
    base = face if len(face) >= 12 else near
    hull = cv2.convexHull(_without_outliers(base[:, :2]).astype(np.float32))
    yaw = np.deg2rad(cv2.minAreaRect(hull)[2])
    yaw = (yaw + np.pi / 4) % (np.pi / 2) - np.pi / 4
    centre = _square_centre(near[:, :2], yaw, half[0], toward)
    start = np.array([*centre, top - half[2], yaw])
    return near if len(near) <= 250 else near[:: len(near) // 200], start


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
    return float(quantile(heights[np.abs(heights - high) < _FACE_HEIGHT], 0.5))


def _without_outliers(xy: Array) -> Array:
    distance = np.hypot(*(xy - quantile(xy, 0.5)).T)
    kept = xy[distance <= max(float(quantile(distance, 0.97)), 1e-3) + 1e-4]
    return kept if len(kept) >= 3 else xy


def _square_centre(xy: Array, yaw: float, half: float, toward_camera: Array) -> Array:
    """Return the centre of a square of known size; where an edge is hidden the side facing the camera counts."""
    axes = np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]])
    along = xy @ axes.T
    low, high = quantile(along, 0.015), quantile(along, 0.985)
    middle = (low + high) / 2
    toward = axes @ toward_camera
    anchored = np.where(toward > 0, high - half, low + half)
    hidden = (high - low < 1.6 * half) & (np.abs(toward) > 0.35)
    return np.asarray(axes.T @ np.where(hidden, anchored, middle), float)


def _refine_blocks(several: Sequence[Array], half: Array, start: Array, iterations: int = 8) -> list[PoseFit]:
    """Levenberg-Marquardt on the points' distances to the cuboids' surfaces, Huber weights, for k cuboids at once.

    The start has a small say, because points on the top face alone do not tell where it is within a pixel.

    Args:
      several: Points of each, shape [n_k, 3].
      half: Half sizes, shape [k, 3].
      start: Poses (x, y, z, yaw) to begin at, shape [k, 4].
      iterations: At most so many.
    """
    points, there = _padded(several)
    steps = np.array([5e-4, 5e-4, 5e-4, 0.02])
    probes = np.vstack([np.zeros(4), np.diag(steps)])
    prior = np.array([0.06, 0.06, 0.06, 0.0015]) * np.sqrt(there.sum(1))[:, None]
    pose, damping = start.copy(), np.full(len(start), 1e-3)
    moving = np.ones(len(start), bool)
    residuals = _surface_distances(points, half, pose[:, None] + probes)
    for _ in range(iterations):
        error = residuals[:, 0]
        slope = (residuals[:, 1:] - error[:, None]) / steps[:, None]
        weighted = slope * (there * np.minimum(1.0, 0.002 / np.maximum(np.abs(error), 1e-9)))[:, None]
        normal = weighted @ slope.transpose(0, 2, 1) + prior[:, :, None] ** 2 * np.eye(4)
        gradient = (weighted @ error[:, :, None])[..., 0] + prior**2 * (pose - start)
        damped = normal * (1 + damping[:, None, None] * np.eye(4))
        step = np.linalg.solve(damped, gradient[:, :, None])[..., 0]
        length = np.abs(step[:, :3]).max(1)
        trial = pose - np.where(length[:, None] > 0.01, np.clip(step, -0.01, 0.01), step)
        tried = _surface_distances(points, half, trial[:, None] + probes)
        cost = _cost(error, there, pose - start, prior)
        better = moving & (_cost(tried[:, 0], there, trial - start, prior) < cost)
        pose[better], residuals[better] = trial[better], tried[better]
        damping = np.where(better, damping / 5, damping * 10)
        moving &= ~(better & (length < 5e-5))
        if not moving.any():
            break
    yaw = (pose[:, 3] + np.pi / 4) % (np.pi / 2) - np.pi / 4
    errors = [np.abs(error[here]) for error, here in zip(residuals[:, 0], there, strict=True)]
    off = [quantile(error, _RESIDUAL_QUANTILE) for error in errors]
    return [PoseFit(p[:3], float(a), float(o)) for p, a, o in zip(pose, yaw, off, strict=True)]


def _padded(several: Sequence[Array]) -> tuple[Array, NDArray[np.bool_]]:
    """Return arrays of unequal lengths as one, shape [k, longest, ...], and where it holds them, shape [k, longest]."""
    lengths = np.array([len(each) for each in several])
    there = np.arange(lengths.max()) < lengths[:, None]
    padded = np.zeros((*there.shape, *several[0].shape[1:]))
    padded[there] = np.concatenate(several)
    return padded, there


def _cost(error: Array, there: NDArray[np.bool_], moved: Array, prior: Array) -> Array:
    size = np.abs(error)
    huber = np.where(size < 0.002, 0.5 * size**2, 0.002 * (size - 0.001))
    return np.asarray((there * huber).sum(1) + 0.5 * ((prior * moved) ** 2).sum(1), float)


def _surface_distances(points: Array, half: Array, poses: Array) -> Array:
    """Return signed distances to cuboids' surfaces, shape [k, m, n]: of k cuboids' n points at m poses (x, y, z, yaw).

    Args:
      points: Shape [k, n, 3].
      half: Shape [k, 3].
      poses: Shape [k, m, 4].
    """
    c, s = np.cos(poses[..., 3, None]), np.sin(poses[..., 3, None])
    dx, dy, dz = (points[:, None, :, i] - poses[:, :, i, None] for i in range(3))
    x, y, z = half.T[:, :, None, None]
    qx = np.abs(c * dx + s * dy) - x
    qy = np.abs(c * dy - s * dx) - y
    qz = np.abs(dz) - z
    outside = np.sqrt(np.maximum(qx, 0) ** 2 + np.maximum(qy, 0) ** 2 + np.maximum(qz, 0) ** 2)
    return np.asarray(outside + np.minimum(np.maximum(np.maximum(qx, qy), qz), 0), float)


def _fit_bowls(patches: Sequence[Surface]) -> list[PoseFit]:
    """Fit a circle of known radius to each rim; where the topmost points make no circle, lower ones are tried."""
    best = _fit_rims(patches, 0.96)
    for lower in (0.85, 0.7):
        doubtful = [i for i, (_, share) in enumerate(best) if share <= 0.75]
        if doubtful:
            for i, (fit, share) in zip(doubtful, _fit_rims([patches[i] for i in doubtful], lower), strict=True):
                if share > best[i][1] + 0.1:
                    best[i] = fit, share
    return [fit for fit, _ in best]


def _fit_rims(patches: Sequence[Surface], height: float, iterations: int = 12) -> list[tuple[PoseFit, float]]:
    """Fit circles to the points about this quantile of the heights; return the share of them that lie on it, too."""
    tops = [float(quantile(patch.points[:, 2], height)) for patch in patches]
    width = np.array([patch.size[0] for patch in patches])[:, None]
    outer, inner = width / 2 - _RIM_INSET[0], width / 2 - _RIM_INSET[1]
    rims, starts = [], []
    for patch, top, radius in zip(patches, tops, ((outer + inner) / 2)[:, 0], strict=True):
        rim = patch.points[np.abs(patch.points[:, 2] - top) < _FACE_HEIGHT][:, :2]
        if len(rim) < 8:
            rim = patch.points[:, :2]
        rim = rim[:: 1 + len(rim) // 160]
        middle = quantile(patch.points[:, :2], 0.5)
        rims.append(rim)
        centres = np.array([middle, _circle_centre(rim)])
        starts.append(centres[np.argmin([_rim_cost(rim, centre, radius) for centre in centres])])
    points, there = _padded(rims)
    centre, error = np.array(starts), np.zeros(there.shape)
    moving = np.ones(len(rims), bool)
    for i in range(iterations):
        dx, dy = points[..., 0] - centre[:, :1], points[..., 1] - centre[:, 1:]
        distance = np.maximum(np.hypot(dx, dy), 1e-6)
        # The camera sees the near rim from outside and the far one from inside: anywhere between is right.
        beyond = distance - np.clip(distance, inner, outer)
        error[moving] = (beyond + 0.1 * (distance - (inner + outer) / 2))[moving]
        slope = np.where(beyond == 0, 0.1, 1.1) / distance
        scale = max(0.03 * 0.7**i, 0.005)
        weight = there / (1.0 + (error / scale) ** 2) ** 2
        # Gauss-Newton on two unknowns, written out.
        ex, ey = slope * dx, slope * dy
        wx, wy = weight * ex, weight * ey
        xx, xy, yy = (wx * ex).sum(1) + 1e-3, (wx * ey).sum(1), (wy * ey).sum(1) + 1e-3
        gx, gy = (wx * error).sum(1), (wy * error).sum(1)
        step = np.stack([yy * gx - xy * gy, xx * gy - xy * gx], 1) / (xx * yy - xy * xy)[:, None]
        centre += moving[:, None] * step
        if i > 4:
            moving &= np.abs(step).max(1) >= 2e-5
            if not moving.any():
                break
    found = []
    for patch, top, (x, y), errors, here in zip(patches, tops, centre, np.abs(error), there, strict=True):
        off = errors[here]
        residual = float(np.sqrt(np.mean(np.minimum(off, 0.02) ** 2)))
        position = np.array([x, y, top + _RIM_OFFSET - patch.size[2] / 2])
        found.append((PoseFit(position, 0.0, residual), float(np.mean(off < 0.004))))
    return found


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
        corners = _BOWL_OUTLINE * half
    else:
        cos, sin = np.cos(yaw), np.sin(yaw)
        corners = (_BLOCK_CORNERS * half) @ np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])
    outline = cv2.convexHull(camera.project(corners + position).astype(np.float32))
    return float(cv2.contourArea(outline))
