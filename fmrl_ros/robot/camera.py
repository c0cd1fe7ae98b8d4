"""A calibrated pinhole camera: pixels and depth to points in the robot's base frame and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def intrinsics_from_fovy(fovy: float, width: int, height: int) -> Array:
    """Return K, shape [3, 3], of an ideal pinhole camera.

    Args:
      fovy: Vertical field of view in radians.
      width: Image width in pixels.
      height: Image height in pixels.
    """
    focal = 0.5 * height / np.tan(0.5 * fovy)
    return np.array([[focal, 0.0, 0.5 * (width - 1)], [0.0, focal, 0.5 * (height - 1)], [0.0, 0.0, 1.0]])


def pose_matrix(position: Array, quaternion: Array) -> Array:
    """Return the homogeneous transform, shape [4, 4], of a position (m) and a quaternion (x, y, z, w).

    Raises:
      ValueError: If the quaternion is zero.
    """
    norm = float(np.linalg.norm(quaternion))
    if norm < 1e-9:
        raise ValueError("a quaternion of length zero is no orientation")
    x, y, z, w = np.asarray(quaternion, float) / norm
    pose = np.eye(4)
    pose[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    pose[:3, 3] = position
    return pose


def scaled_intrinsics(K: Array, sx: float, sy: float) -> Array:
    """Return K, shape [3, 3], of the same picture scaled by `sx` in width and `sy` in height.

    Pixel centres lie at integers: a picture spans -0.5 to width - 0.5.
    """
    scaled = K * np.array([[sx], [sy], [1.0]])
    scaled[0, 2] += 0.5 * (sx - 1)
    scaled[1, 2] += 0.5 * (sy - 1)
    return np.asarray(scaled, float)


@dataclass(frozen=True)
class CameraModel:
    """Intrinsics and pose of a camera without distortion.

    Attributes:
      K: Intrinsic matrix, shape [3, 3], pixels; pixel centres lie at integers.
      pose: Pose of the optical frame in the base frame, shape [4, 4]: x right, y down, z forward (REP 103).
      width: Image width in pixels.
      height: Image height in pixels.
    """

    K: Array
    pose: Array
    width: int
    height: int

    def deproject(self, depth: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the point behind every pixel, base frame, shape [height, width, 3], metres.

        Args:
          depth: Distance along the optical axis, shape [height, width], metres. NaN stays NaN.
        """
        u = (np.arange(self.width, dtype=np.float32) - np.float32(self.K[0, 2])) / np.float32(self.K[0, 0])
        v = (np.arange(self.height, dtype=np.float32) - np.float32(self.K[1, 2])) / np.float32(self.K[1, 1])
        rotation, origin = self.pose[:3, :3].astype(np.float32), self.pose[:3, 3].astype(np.float32)
        # One ray a pixel, already turned into the base frame: x*u + y*v + z, then scaled by the depth.
        rays = u[None, :, None] * rotation[:, 0] + v[:, None, None] * rotation[:, 1] + rotation[:, 2]
        return np.asarray(rays * depth[..., None] + origin, np.float32)

    def deproject_pixels(self, pixels: NDArray[np.int_], depth: NDArray[np.float32]) -> Array:
        """Return the points behind some pixels, base frame, shape [n, 3], metres.

        Args:
          pixels: Indices into the flattened image, shape [n].
          depth: Distance along the optical axis, shape [height, width], metres.
        """
        v, u = np.divmod(pixels, self.width)
        rays = np.stack([(u - self.K[0, 2]) / self.K[0, 0], (v - self.K[1, 2]) / self.K[1, 1], np.ones(len(u))], 1)
        in_camera = rays * depth.ravel()[pixels].astype(float)[:, None]
        return np.asarray(in_camera @ self.pose[:3, :3].T + self.pose[:3, 3], float)

    def height_map(self, depth: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the height of every pixel's point above the base's xy plane, shape [height, width], metres."""
        u = (np.arange(self.width, dtype=np.float32) - np.float32(self.K[0, 2])) / np.float32(self.K[0, 0])
        v = (np.arange(self.height, dtype=np.float32) - np.float32(self.K[1, 2])) / np.float32(self.K[1, 1])
        row = self.pose[2].astype(np.float32)
        return np.asarray((u[None, :] * row[0] + v[:, None] * row[1] + row[2]) * depth + row[3], np.float32)

    def project(self, points: Array) -> Array:
        """Return the pixels (u, v), shape [n, 2], of points in the base frame, shape [n, 3], metres."""
        in_camera = (points - self.pose[:3, 3]) @ self.pose[:3, :3]
        pixels = in_camera @ self.K.T
        return np.asarray(pixels[:, :2] / pixels[:, 2:], float)

    def resized(self, width: int, height: int) -> CameraModel:
        """Return the model of the same camera with images scaled to another size."""
        K = scaled_intrinsics(self.K, width / self.width, height / self.height)
        return CameraModel(K, self.pose, width, height)
