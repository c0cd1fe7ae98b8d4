"""Camera pictures to scenes: check, localise, track, relate, describe. Everything a scene describer does but ROS."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.perception.depth_plausibility import implausible
from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.fixtures import FixtureDetector
from fmrl_ros.perception.frame import PerceptionError
from fmrl_ros.perception.fusion import ambiguous, fuse
from fmrl_ros.perception.scene_memory import SceneMemory
from fmrl_ros.perception.view import View, checked_view, rgbd
from fmrl_ros.robot.kinematics import ToolPose
from fmrl_ros.robot.state import RobotState
from fmrl_ros.worlds.description import describe
from fmrl_ros.worlds.relations import relate
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import World


class Detector(Protocol):
    """Whatever finds a world's objects in pictures: every `Backend` that can."""

    def detect(self, views: Sequence[View]) -> Sequence[Sequence[Detection]]:
        """Return for each picture the objects in it, base frame; two of a name where two things look like it."""


class SceneDescriber:
    """Turns camera frames into scenes, one after the other.

    Attributes:
      defects: What was wrong with the last frame: pictures and names that were left out.
    """

    def __init__(self, world: World, detector: Detector, forward: Callable[[NDArray[np.float64]], ToolPose]) -> None:
        """Create the describer.

        Args:
          world: What there is to see.
          detector: Finds objects in pictures.
          forward: Forward kinematics: arm joint positions, shape [n], rad, to the tool's pose.
        """
        self.world, self._detector, self._forward = world, detector, forward
        self._fixtures = FixtureDetector(world)
        self._memory = SceneMemory(world)
        self._last: Scene | None = None
        self.defects: list[PerceptionError] = []

    def reset(self) -> None:
        """Forget everything that was seen."""
        self._memory.reset()
        self._last = None

    def describe(self, views: Sequence[View], robot: RobotState) -> Scene:
        """Return the scene as of pictures taken at about the same time, one a camera; defective ones are left out.

        Args:
          views: With depth and calibration.
          robot: Joints at that time.

        Raises:
          PerceptionError: If no picture is usable; names the first camera and its defect. The tracks stay as they were.
        """
        usable: list[View] = []
        self.defects = []
        for view in views:
            try:
                usable.append(self._checked(view))
            except PerceptionError as defect:
                self.defects.append(defect)
        if not usable:
            raise self.defects[0]
        found = self._detector.detect(usable)
        self.defects += [
            PerceptionError(view.name, f"two things look like the {name}")
            for view, here in zip(usable, found, strict=True)
            for name in ambiguous([here])
        ]
        detections = fuse([*found, *(self._fixtures.detect(*rgbd(view)) for view in usable)])
        stamp = max(view.stamp for view in usable)
        scene = self._memory.update(stamp, detections, self._forward(robot.q), robot.gripper_width)
        scene = replace(scene, relations=relate(self.world, scene, before=self._last))
        self._last = replace(scene, text=describe(scene, self.world))
        return self._last

    def _checked(self, view: View) -> View:
        """Return a usable view. Raises PerceptionError as `checked_view`, and on depth that cannot be true."""
        checked = checked_view(view)
        if self.world.table_x is not None:
            _, depth, camera = rgbd(checked)
            if defect := implausible(depth, camera, self.world.table):
                raise PerceptionError(view.name, defect)
        return checked
