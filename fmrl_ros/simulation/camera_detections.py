"""Detections from rendered pictures by the committed localiser: what the robot's cameras would really report."""

from __future__ import annotations

from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.fixtures import FixtureDetector
from fmrl_ros.perception.localiser import Localiser
from fmrl_ros.simulation.rendering import CameraRenderer, camera_model
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation

CAMERA = "front"


class CameraDetector:
    """Renders the front camera and detects in the picture; stands in for `SyntheticDetector`."""

    def __init__(self, simulation: TabletopSimulation) -> None:
        """Create the renderer. Raises FileNotFoundError if no localiser was trained for the world."""
        self._simulation = simulation
        self._renderer = CameraRenderer(simulation.model)
        self._localiser = Localiser.load(simulation.world)
        self._fixtures = FixtureDetector(simulation.world)

    def detect(self, clear_view: bool = False) -> tuple[Detection, ...]:
        """Return one frame's detections, base frame; a real camera has no clearer view."""
        data = self._simulation.data
        frame = self._renderer.frame(data, CAMERA)
        camera = camera_model(self._simulation.model, data, CAMERA)
        found = self._localiser.detect(frame.color, frame.depth, camera)
        return (*found, *self._fixtures.detect(frame.color, frame.depth, camera))

    def close(self) -> None:
        """Free the renderer."""
        self._renderer.close()
