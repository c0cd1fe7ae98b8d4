"""What a driver's ``camera_info`` says of a camera, turned into the intrinsics of the pictures that it sends."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.camera import scaled_intrinsics

Array = NDArray[np.float64]

MAX_RECTIFICATION = 0.005
"""Raw and rectified pictures are taken for the same where they differ by less than this share of the width."""
FISHEYE = "equidistant"
DISTORTION_MODELS = ("plumb_bob", "rational_polynomial", FISHEYE)
"""The distortion models of ``sensor_msgs/distortion_models.hpp``."""
MAX_OFF_CENTRE = 0.2
"""The optical axis meets the full picture no further from its middle than this share of width and height."""
_GRID = 9
"""Points in each direction at which raw and rectified picture are compared."""


class CalibrationError(ValueError):
    """A ``camera_info`` that does not fit the camera's pictures; says what to publish instead."""


@dataclass(frozen=True)
class Region:
    """The part of the full picture that a driver sends, in pixels of the full picture; zeros for all of it."""

    x_offset: int = 0
    y_offset: int = 0
    width: int = 0
    height: int = 0


@dataclass(frozen=True)
class Calibration:
    """The fields of ``sensor_msgs/CameraInfo``; all are about the full, unbinned picture.

    Attributes:
      K: Intrinsic matrix of the raw picture, shape [3, 3], pixels; pixel centres at integers.
      width, height: Size of the full picture, pixels.
      D: Distortion coefficients, shape [n].
      model: Name of the distortion model.
      R: Rotation from the raw to the rectified camera, shape [3, 3]; zeros for none.
      P: Projection of the rectified picture, shape [3, 4]; zeros where it is that of the raw picture.
      binning: Pixels in x and in y that become one; 0 means 1.
      region: What is sent of the picture.
    """

    K: Array
    width: int
    height: int
    D: Array
    model: str
    R: Array
    P: Array
    binning: tuple[int, int] = (1, 1)
    region: Region = Region()

    def intrinsics(self, width: int, height: int) -> Array:
        """Return K, shape [3, 3], for pictures of a size in pixels: cropped, binned or scaled like them.

        Raises:
          CalibrationError: If there is no focal length; if the picture has another shape than announced; if `K` is of a
            full picture of another size; or if raw and rectified picture differ, so that what a pixel means depends on
            which of them is sent.
        """
        self._check_focal_length()
        sx, sy = self._scale(width, height)
        self._check_centre()
        self._check_rectification()
        cropped = self.K.copy()
        cropped[:2, 2] -= self.region.x_offset, self.region.y_offset
        return scaled_intrinsics(cropped, sx, sy)

    def _check_focal_length(self) -> None:
        finite = all(np.isfinite(values).all() for values in (self.K, self.D, self.R, self.P))
        if not finite or min(self.K[0, 0], self.K[1, 1]) <= 0:
            raise CalibrationError("it is not calibrated: camera_info has no focal length in k, or is not finite")

    def _check_centre(self) -> None:
        x, y = self.K[:2, 2] + 0.5
        if max(abs(x / self.width - 0.5), abs(y / self.height - 0.5)) > MAX_OFF_CENTRE:
            raise CalibrationError(
                f"k of camera_info has its centre at ({x:.0f}, {y:.0f}), which is not near the middle of "
                f"{self.width}x{self.height}: publish k for that size, and a crop as roi"
            )

    def _scale(self, width: int, height: int) -> tuple[float, float]:
        """Return the picture's pixels per pixel of what is sent of the full picture, in x and y."""
        cropped = self.region.width > 0 and self.region.height > 0
        full = (self.region.width, self.region.height) if cropped else (self.width, self.height)
        bx, by = (max(1, int(binning)) for binning in self.binning)
        if abs(width - full[0] / bx) < 1 and abs(height - full[1] / by) < 1:
            return 1 / bx, 1 / by
        sx, sy = width / full[0], height / full[1]
        # A cropped picture of another size than announced may be the full picture, or the region scaled.
        if cropped or abs(sx - sy) * full[0] > 1:
            raise CalibrationError(
                f"the picture is {width}x{height} but camera_info is for {self._described(cropped, bx, by)}: "
                "publish the camera_info of these pictures"
            )
        return sx, sy

    def _described(self, cropped: bool, bx: int, by: int) -> str:
        text = f"{self.width}x{self.height}"
        if cropped:
            region = self.region
            text += f", cropped to {region.width}x{region.height} at ({region.x_offset}, {region.y_offset})"
        return f"{text}, binned {bx}x{by}" if max(bx, by) > 1 else text

    def _check_rectification(self) -> None:
        if self.P[:2, 3].any():
            raise CalibrationError(
                "camera_info is of the second camera of a stereo pair (p has a baseline): publish colour and depth "
                "of the first one"
            )
        shift = self._rectification_shift()
        if shift > MAX_RECTIFICATION * self.width:
            raise CalibrationError(
                f"its lens distorts ({self.model or 'no model'}: raw and rectified picture differ by up to "
                f"{shift:.0f} pixels) and camera_info does not say which of them comes: publish rectified pictures, "
                "with d of zeros and k of the rectified picture"
            )

    def _rectification_shift(self) -> float:
        """Return how far apart a point is in the raw and the rectified picture, pixels, at most."""
        P = self.P[:, :3] if self.P.any() else self.K
        R = self.R if self.R.any() else np.eye(3)
        if self.model != FISHEYE and not self.D.any() and np.array_equal(P, self.K) and np.array_equal(R, np.eye(3)):
            return 0.0
        u, v = np.meshgrid(np.linspace(0, self.width - 1, _GRID), np.linspace(0, self.height - 1, _GRID))
        rectified = np.stack([u.ravel(), v.ravel()], 1)
        homogeneous = np.column_stack([rectified, np.ones(len(rectified))])
        rays = homogeneous @ np.linalg.pinv(P).T @ R  # R takes raw to rectified rays; its transpose back
        return float(np.linalg.norm(self._distorted(rays) - rectified, axis=1).max())

    def _distorted(self, rays: Array) -> Array:
        """Return the raw picture's pixels, shape [n, 2], of rays in the raw camera, shape [n, 3]."""
        if self.D.any() and self.model not in DISTORTION_MODELS:
            valid = ", ".join(DISTORTION_MODELS)
            raise CalibrationError(f"camera_info has distortion_model '{self.model}'; valid: {valid}")
        rest, points = np.zeros(3), np.ascontiguousarray(rays)[:, None, :]
        if self.model == FISHEYE:
            coefficients = np.resize(self.D, 4) if len(self.D) >= 4 else np.zeros(4)
            pixels, _ = cv2.fisheye.projectPoints(points, rest, rest, self.K, coefficients)
        else:
            pixels, _ = cv2.projectPoints(points, rest, rest, self.K, self.D if len(self.D) else None)
        return np.asarray(pixels, float).reshape(-1, 2)
