"""Can a depth image be true? It is compared with the table, which lies where the camera's pose says it does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.camera import CameraModel

Array = NDArray[np.float64]

MIN_TABLE_PIXELS = 60
"""Depth is judged where so many of the sampled pixels, of about 4800, look at the table and are measured."""
BELOW = 0.05
"""Points that are deeper below the table cannot be seen, m; `NOISE` comes on top."""
NOISE = 0.02
"""Error of depth that is allowed, as a share of the distance; of heights, as a share of the camera's height."""
NEAREST = 0.1
"""Half of the table's pixels cannot be nearer than this share of the distance to the table: not even the hand is."""
RAISED = 0.2
"""A plane that is so high above the table and fills the view is the table at a wrong place, m."""
MOST_METRES = 10
"""A table is not so many metres away, and no sensor measures what is so many millimetres away."""
_SAMPLES = 80
"""Pixels sampled in a row of the picture."""
_UNITS = {
    1e3: "1000 times too large: millimetres where metres are announced?",
    1e-3: "1000 times too small: metres where millimetres are announced?",
}
"""What a depth is that differs from the true one by a factor, and the likely cause."""


def implausible(depth: NDArray[np.float32], camera: CameraModel, table: Array) -> str:
    """Return what is wrong with a depth image and the likely cause; empty if it can be true or nothing is known.

    Nothing can be seen below the table, and the table is at height 0 of the base frame. A camera that sees too little
    of it, such as one in the hand that looks aside, is not judged.

    Args:
      depth: Metres along the optical axis, shape [height, width]; NaN where unknown.
      camera: Calibration, and pose in the base frame.
      table: Where the table is for certain, shape [2, 2]: least x and y, greatest x and y, m, base frame.
    """
    if camera.pose[2, 3] <= 0:
        return f"its pose is at height {camera.pose[2, 3]:.2f} m, not above the table: check the profile or TF"
    step = max(1, camera.width // _SAMPLES)
    distance = _table_distance(camera, table, step)
    sampled = depth[::step, ::step]
    judged = np.isfinite(distance) & np.isfinite(sampled)
    if np.count_nonzero(judged) < MIN_TABLE_PIXELS:
        return ""
    measured, expected = sampled[judged], distance[judged]
    if _plausible(measured.astype(float), expected, camera):
        return ""
    if any(_plausible(swapped, expected, camera) for swapped in _swapped(measured)):
        return "the bytes of depth are in the wrong order: publish depth little-endian (is_bigendian: 0)"
    return _cause(measured.astype(float), expected, camera)


def whole_metres(depth: Array | NDArray[np.float32]) -> str:
    """Return what is wrong with depth that a driver has rounded to metres in an encoding of millimetres; else empty.

    Rounding leaves little of what lies nearer than a metre, so this is asked before it is asked what is missing.

    Args:
      depth: Metres as its encoding says, shape [height, width]; zero or NaN where unknown.
    """
    millimetres = 1e3 * depth[np.isfinite(depth) & (depth > 0)]
    if not millimetres.size or millimetres.max() > MOST_METRES + 0.5:
        return ""
    if np.abs(millimetres - np.maximum(np.rint(millimetres), 1)).max() > 1e-3:
        return ""
    return (
        f"16UC1 means millimetres, and values up to {millimetres.max():.0f} look like whole metres; publish depth in "
        "millimetres, or in metres as 32FC1"
    )


def _table_distance(camera: CameraModel, table: Array, step: int) -> Array:
    """Return the depth at which pixels see the table, m, shape [rows, columns]; NaN where they look elsewhere."""
    u = (np.arange(0, camera.width, step) - camera.K[0, 2]) / camera.K[0, 0]
    v = (np.arange(0, camera.height, step) - camera.K[1, 2]) / camera.K[1, 1]
    rotation, origin = camera.pose[:3, :3], camera.pose[:3, 3]
    rays = u[None, :, None] * rotation[:, 0] + v[:, None, None] * rotation[:, 1] + rotation[:, 2]
    downward = np.where(rays[..., 2] < -1e-3, rays[..., 2], np.nan)
    distance = -origin[2] / downward
    ground = origin[:2] + distance[..., None] * rays[..., :2]
    on_table = ((ground >= table[0]) & (ground <= table[1])).all(axis=-1)
    return np.asarray(np.where(on_table, distance, np.nan), float)


def _heights(measured: Array, expected: Array, camera: CameraModel) -> Array:
    """Return how high above the table points are, m, shape [n]."""
    return np.asarray(camera.pose[2, 3] * (1 - measured / expected), float)


def _plausible(measured: Array, expected: Array, camera: CameraModel) -> bool:
    """True if depths, shape [n], can be seen where the table is at depths `expected`, shape [n]."""
    with np.errstate(over="ignore", invalid="ignore"):
        heights = _heights(measured, expected, camera)
        below = np.mean(~(heights > -BELOW - NOISE * camera.pose[2, 3]))
        near = np.mean(measured < NEAREST * expected)
        return bool(below <= 0.5 and near <= 0.5 and not _raised(heights))


def _raised(heights: Array) -> bool:
    """True if most points lie in one plane, high above the table."""
    middle = float(np.median(heights))
    return middle > RAISED and float(np.mean(np.abs(heights - middle) < 0.1 * RAISED)) > 0.5


def _swapped(measured: NDArray[np.float32]) -> tuple[Array, Array]:
    """Return the depths that the bytes say in the other order, read as 32FC1 and as 16UC1, m."""
    millimetres = np.clip(np.rint(measured.astype(float) * 1e3), 0, np.iinfo(np.uint16).max).astype(np.uint16)
    with np.errstate(invalid="ignore"):
        return measured.astype(np.float32).byteswap().astype(float), millimetres.byteswap() * 1e-3


def _cause(measured: Array, expected: Array, camera: CameraModel) -> str:
    with np.errstate(over="ignore"):
        factor = float(np.median(measured / expected))
    for unit, cause in _UNITS.items():
        if 0.5 < factor / unit < 2:
            return f"depth is {cause}"
    if factor < NEAREST or factor > 1 / NEAREST:
        return f"depth is {factor:.2g} times what the camera's pose allows: check its unit and its encoding"
    height = float(np.median(_heights(measured, expected, camera)))
    side = "above" if height > 0 else "below"
    return (
        f"the table is seen {abs(height):.2f} m {side} its place: check the camera's pose, its camera_info and the "
        "scale of depth"
    )
