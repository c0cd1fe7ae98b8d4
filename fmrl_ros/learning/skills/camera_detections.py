"""Detections from rendered pictures, as the robot's cameras would give them: for evaluation, not for fast training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.fixtures import FixtureDetector
from fmrl_ros.perception.fusion import fuse
from fmrl_ros.perception.localiser import Localiser
from fmrl_ros.perception.view import View, rgbd
from fmrl_ros.simulation.rendering import CameraRenderer, Frame, camera_model
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation


class CameraDetector:
    """Renders cameras and detects in the pictures; stands in for `SyntheticDetector`.

    Attributes:
      views: The newest picture of each camera.
      hidden: An object or fixture of which one half is covered in the pictures, or None.
    """

    def __init__(self, simulation: TabletopSimulation, cameras: Sequence[str]) -> None:
        """Create the renderer. Raises FileNotFoundError if no localiser was trained."""
        self._simulation, self._cameras = simulation, tuple(cameras)
        self._renderer = CameraRenderer(simulation.model)
        self._localiser = Localiser.load(simulation.world)
        self._fixtures = FixtureDetector(simulation.world)
        self.views: tuple[View, ...] = ()
        self.hidden: str | None = None

    def detect(self, clear_view: bool = False) -> tuple[Detection, ...]:
        """Return one frame's detections, base frame; a real camera has no clearer view."""
        self.views = tuple(self._view(camera) for camera in self._cameras)
        seen = [rgbd(view) for view in self.views]
        return fuse([*self._localiser.detect_all(seen), *(self._fixtures.detect(*view) for view in seen)])

    def _view(self, camera: str) -> View:
        data = self._simulation.data
        frame = self._renderer.frame(data, camera)
        if self.hidden is not None:
            frame = half_covered(frame, np.isin(self._renderer.bodies(data, camera), self._bodies(self.hidden)))
        return View(frame.color, frame.depth, camera_model(self._simulation.model, data, camera), camera, data.time)

    def _bodies(self, name: str) -> list[int]:
        """Return the ids of the bodies that an object or fixture consists of."""
        if any(entry.name == name for entry in self._simulation.world.objects):
            return [self._simulation.body(name)]
        model = self._simulation.model
        names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, i) or "" for i in range(model.nbody)]
        return [i for i, own in enumerate(names) if own.startswith(name)]

    def close(self) -> None:
        """Free the renderer."""
        self._renderer.close()


def half_covered(frame: Frame, shown: NDArray[np.bool_]) -> Frame:
    """Return a frame with something grey before the left half of what is shown, bool [height, width]."""
    if not shown.any():
        return frame
    rows, columns = np.flatnonzero(shown.any(1)), np.flatnonzero(shown.any(0))
    middle = int(np.searchsorted(shown.sum(0).cumsum() / shown.sum(), 0.5))
    covered = np.s_[max(rows[0] - 3, 0) : rows[-1] + 4, max(columns[0] - 6, 0) : middle + 1]
    color, depth = frame.color.copy(), frame.depth.copy()
    color[covered], depth[covered] = 120, np.nanmin(depth[shown]) - 0.1
    return replace(frame, color=color, depth=depth)
