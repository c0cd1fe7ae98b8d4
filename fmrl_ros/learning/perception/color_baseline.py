"""The baseline that the localiser is compared with: colours by thresholds in HSV, then the same geometric fits."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.fitting import Surface, fit_poses
from fmrl_ros.perception.view import Picture
from fmrl_ros.robot.camera import CameraModel
from fmrl_ros.worlds.world import World, WorldObject

HUE_WIDTH = 12
"""Half of the accepted range of hue, of OpenCV's 180."""
LEAST_SATURATION, LEAST_VALUE = 90, 40
BOWL_PIXELS = 450
"""A patch of at least this many pixels is taken for a bowl, a smaller one for a block."""


class ColorBaseline:
    """Finds objects by the hue that the world gives them."""

    def __init__(self, world: World) -> None:
        self.world = world

    def detect_all(self, pictures: Sequence[Picture]) -> list[tuple[Detection, ...]]:
        """Return for each picture (colour, depth, camera) the largest fitting patch for each object."""
        return [self._detect(*picture) for picture in pictures]

    def _detect(
        self, color: NDArray[np.uint8], depth: NDArray[np.float32], camera: CameraModel
    ) -> tuple[Detection, ...]:
        hsv = cv2.cvtColor(color, cv2.COLOR_RGB2HSV)
        points = camera.deproject(depth).astype(float)
        found = (self._find(entry, np.asarray(hsv), points, camera) for entry in self.world.objects)
        return tuple(d for d in found if d)

    def _find(
        self, entry: WorldObject, hsv: NDArray[np.uint8], points: NDArray[np.float64], camera: CameraModel
    ) -> Detection | None:
        hue = 180 * colorsys.rgb_to_hsv(*entry.color)[0]
        away = np.abs((hsv[..., 0].astype(float) - hue + 90) % 180 - 90)
        mask = (away < HUE_WIDTH) & (hsv[..., 1] > LEAST_SATURATION) & (hsv[..., 2] > LEAST_VALUE)
        mask &= np.isfinite(points[..., 2])
        count, patches, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
        bowl = entry.kind == "bowl"
        sizes = [(int(stats[i, cv2.CC_STAT_AREA]), i) for i in range(1, count)]
        fitting = [s for s in sizes if (s[0] >= BOWL_PIXELS) == bowl and s[0] >= 20]
        if not fitting:
            return None
        patch = points[patches == max(fitting)[1]]
        (pose,) = fit_poses([Surface(entry.kind, entry.size, patch, camera.pose[:2, 3])])
        x, y, z = (float(v) for v in pose.position)
        return Detection(entry.name, (x, y, z), pose.yaw)
