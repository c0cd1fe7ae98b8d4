"""How far a drawer is open and whether a lamp is lit, read off a picture at the places where they are built in.

Nothing is learned here: the shape is known, and each point of it is either seen where it should be, hidden by something
nearer, or looked through.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.perception.detection import Detection
from fmrl_ros.robot.camera import CameraModel
from fmrl_ros.worlds.world import Fixture, World


@dataclass(frozen=True)
class FixtureTolerances:
    """When a point counts as seen. Depths in metres.

    Attributes:
      depth_tolerance: A surface within this of where it should be, along the camera's axis, is seen.
      min_unhidden: Least share of a part's points that nothing may hide: a third of a stiff thing tells where it is.
      min_agreement: Least share of those that must be seen where the part is, and looked through where it is not.
      min_opening: A drawer's front cannot be seen when it is open by less, as a share of its travel.
      unoccluded_opening: The cabinet hides nothing of a drawer's front that is open by more, as a share of its travel.
      lit_brightness: Mean of red, green and blue, in [0, 1], above which a lamp is lit.
    """

    depth_tolerance: float = 0.012
    min_unhidden: float = 0.35
    min_agreement: float = 0.75
    min_opening: float = 0.2
    unoccluded_opening: float = 0.45
    lit_brightness: float = 0.5


@dataclass(frozen=True)
class _Strip:
    """A row of points at every opening of a drawer; each shape [openings].

    Attributes:
      unhidden: Share of the points that nothing hides.
      seen, through: Shares of those where there is something, and where there is nothing.
    """

    unhidden: NDArray[np.float64]
    seen: NDArray[np.float64]
    through: NDArray[np.float64]


class FixtureDetector:
    """Detections of the world's drawers and buttons; one that is hidden is not reported."""

    def __init__(self, world: World, tolerances: FixtureTolerances | None = None) -> None:
        self._fixtures = world.fixtures
        self._limits = tolerances or FixtureTolerances()

    def detect(
        self, color: NDArray[np.uint8], depth: NDArray[np.float32], camera: CameraModel
    ) -> tuple[Detection, ...]:
        """Return what is seen of the fixtures; arguments as in `Localiser.detect`."""
        return tuple(self._detect(color, depth, camera))

    def _detect(self, color: NDArray[np.uint8], depth: NDArray[np.float32], camera: CameraModel) -> Iterator[Detection]:
        for fixture in self._fixtures:
            found = (
                self._button(fixture, color, depth, camera)
                if fixture.kind == "button"
                else self._drawer(fixture, depth, camera)
            )
            if found is not None:
                yield found

    def _button(
        self, fixture: Fixture, color: NDArray[np.uint8], depth: NDArray[np.float32], camera: CameraModel
    ) -> Detection | None:
        around = np.linspace(0, 2 * np.pi, 12, endpoint=False)
        ring = np.stack([np.cos(around), np.sin(around), np.zeros(12)], 1) * fixture.size[0] / 2
        points = np.array(fixture.position) + np.concatenate([0.3 * ring, 0.6 * ring])
        _, seen, pixels = self._compare(points, depth, camera)
        above = np.concatenate([points + np.array([0.0, 0.0, height]) for height in (0.02, 0.035, 0.05)])
        hidden, touched, _ = self._compare(above, depth, camera)
        free = (~hidden & ~touched).reshape(3, -1).mean(0) >= self._limits.min_agreement
        plain = seen & free  # the colour of a finger on it would be taken for the lamp's
        share, agree = float(plain.mean()), float(plain.sum() / max(seen.sum(), 1))
        if share < self._limits.min_unhidden or agree < self._limits.min_agreement:
            return None
        rows, columns = pixels[plain].T
        lit = float(color[rows, columns].mean()) / 255 > self._limits.lit_brightness
        return Detection(fixture.name, fixture.position, 0.0, agree, share, float(lit))

    def _drawer(self, fixture: Fixture, depth: NDArray[np.float32], camera: CameraModel) -> Detection | None:
        """Compare the picture with the inside of the drawer's front, and the air above its edge, at every opening."""
        openings = np.linspace(self._limits.min_opening, 1.05, 60)
        unoccluded = openings > self._limits.unoccluded_opening
        unhidden, agreement = self._limits.min_unhidden, self._limits.min_agreement
        front = self._strip(fixture, openings, np.linspace(-0.025, -0.004, 4), depth, camera)
        air = self._strip(fixture, openings, np.linspace(0.012, 0.024, 3), depth, camera)
        fits = front.seen * (front.unhidden >= unhidden)
        fits *= (air.unhidden >= unhidden) & (air.through >= agreement)
        best = float(fits.max())
        if best >= agreement:
            opening = float(openings[fits > 0.9 * best].mean())
        elif front.unhidden[unoccluded].min() >= unhidden and front.through[unoccluded].min() >= agreement:
            opening, best = 0.0, 1.0
        else:
            return None
        x, y, z = (float(v) for v in np.array(fixture.position) + opening * np.array(fixture.travel))
        return Detection(fixture.name, (x, y, z), 0.0, best, best)

    def _strip(
        self,
        fixture: Fixture,
        openings: NDArray[np.float64],
        heights: NDArray[np.float64],
        depth: NDArray[np.float32],
        camera: CameraModel,
    ) -> _Strip:
        """Return what becomes, at every opening, of points along the front's edge, so far above it, m."""
        across, up = np.meshgrid(np.linspace(-0.06, 0.06, 9), heights)
        edge = np.array(fixture.position) + np.array(fixture.edge)
        grid = edge + np.stack([np.zeros(across.size), across.ravel(), up.ravel()], 1)
        points = grid[None] + openings[:, None, None] * np.array(fixture.travel)
        hidden, seen, _ = self._compare(points.reshape(-1, 3), depth, camera)
        hidden, seen = hidden.reshape(len(openings), -1), seen.reshape(len(openings), -1)
        left = np.maximum((~hidden).sum(1), 1)
        return _Strip((~hidden).mean(1), seen.sum(1) / left, (~hidden & ~seen).sum(1) / left)

    def _compare(
        self, points: NDArray[np.float64], depth: NDArray[np.float32], camera: CameraModel
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int_]]:
        """Return for each point, shape [n]: hidden, or out of the picture; seen; and its pixel (row, column)."""
        local = (points - camera.pose[:3, 3]) @ camera.pose[:3, :3]
        image = local @ camera.K.T
        columns, rows = np.round(image[:, :2] / image[:, 2:]).astype(int).T
        outside = (columns < 0) | (columns >= camera.width) | (rows < 0) | (rows >= camera.height)
        pixels = np.stack([np.clip(rows, 0, camera.height - 1), np.clip(columns, 0, camera.width - 1)], 1)
        gap = depth[pixels[:, 0], pixels[:, 1]] - local[:, 2]
        seen = ~outside & (np.abs(gap) < self._limits.depth_tolerance)
        nearer = outside | ~np.isfinite(gap) | (gap <= -self._limits.depth_tolerance)
        return nearer, seen, pixels
