"""Camera pictures to scenes: check, localise, track, relate, describe. Everything a scene describer does but ROS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.perception.camera import CameraModel
from fmrl_ros.perception.description import describe
from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.fixtures import FixtureDetector
from fmrl_ros.perception.frame import PerceptionError, checked_frame
from fmrl_ros.perception.relations import relate
from fmrl_ros.perception.scene import Scene
from fmrl_ros.perception.scene_memory import SceneMemory
from fmrl_ros.robot.cartesian import ToolPose
from fmrl_ros.robot.state import RobotState
from fmrl_ros.worlds.world import World


class Detector(Protocol):
    """Whatever finds a world's objects in one picture; `Localiser` is the one that ships."""

    def detect(
        self, color: NDArray[np.uint8], depth: NDArray[np.float32], camera: CameraModel
    ) -> tuple[Detection, ...]:
        """Return the objects seen, base frame."""


class SceneDescriber:
    """Turns camera frames into scenes, one after the other."""

    def __init__(self, world: World, detector: Detector, forward: Callable[[NDArray[np.float64]], ToolPose]) -> None:
        """Create the describer.

        Args:
          world: What there is to see.
          detector: Finds objects in a picture.
          forward: Forward kinematics: arm joint positions, shape [7], rad, to the tool's pose.
        """
        self.world, self._detector, self._forward = world, detector, forward
        self._fixtures = FixtureDetector(world)
        self._memory = SceneMemory(world)
        self._last: Scene | None = None

    def reset(self) -> None:
        """Forget everything that was seen."""
        self._memory.reset()
        self._last = None

    def describe(
        self,
        color: NDArray[Any],
        depth: NDArray[Any],
        camera: CameraModel,
        stamp: float,
        robot: RobotState,
        name: str = "front",
    ) -> Scene:
        """Return the scene as of one frame.

        Args:
          color: RGB, uint8 [height, width, 3].
          depth: Metres along the optical axis, float [height, width]; NaN, 0 or infinity where unknown.
          camera: The camera's calibration.
          stamp: ROS time of the frame in seconds.
          robot: Joints at that time.
          name: The camera's name, for errors.

        Raises:
          PerceptionError: If the frame is unusable; names the camera and the defect. The tracks stay as they were.
        """
        picture, metres = checked_frame(name, color, depth)
        if not (np.isfinite(camera.K).all() and np.isfinite(camera.pose).all() and camera.K[0, 0] > 0):
            raise PerceptionError(name, "it is not calibrated: K or pose is not finite")
        if metres.shape != (camera.height, camera.width):
            expected = f"{camera.width}x{camera.height}"
            raise PerceptionError(
                name, f"the picture is {metres.shape[1]}x{metres.shape[0]} but its calibration is for {expected}"
            )
        detections = (
            *self._detector.detect(picture, metres, camera),
            *self._fixtures.detect(picture, metres, camera),
        )
        scene = self._memory.update(stamp, detections, self._forward(robot.q), robot.gripper_width)
        scene = replace(scene, relations=relate(self.world, scene, before=self._last))
        self._last = replace(scene, text=describe(scene, self.world))
        return self._last
