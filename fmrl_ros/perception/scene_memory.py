"""From one frame's detections to a scene: objects are tracked, what is built in is remembered as last seen.

Training runs the same code as the robot.
"""

from __future__ import annotations

from collections.abc import Iterable

from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.tracking import SceneTracker
from fmrl_ros.robot.kinematics import ToolPose
from fmrl_ros.worlds.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.world import World

LIT = 0.5
"""A lamp whose detection has a higher state is lit."""


class SceneMemory:
    """Folds frames into a scene with the relations ``held`` and ``lit``, which need no geometry."""

    def __init__(self, world: World) -> None:
        self._tracker = SceneTracker(world)
        self._fixtures = {fixture.name: fixture for fixture in world.fixtures}
        self._seen: dict[str, Detection] = {}

    def reset(self) -> None:
        """Forget everything that was seen."""
        self._tracker.reset()
        self._seen.clear()

    def update(self, stamp: float, detections: Iterable[Detection], tool: ToolPose, gripper_width: float) -> Scene:
        """Return the scene as of a frame.

        Args:
          stamp: Time of the frame in seconds.
          detections: What was found in it.
          tool: Where the hand was then.
          gripper_width: Distance between the finger pads then, m.
        """
        detections = tuple(detections)
        x, y, z = (float(v) for v in tool.position)
        objects = self._tracker.update(stamp, detections, (x, y, z), tool.yaw, gripper_width)
        now = {d.name: d for d in detections if d.name in self._fixtures}
        self._seen.update(now)
        fixtures = tuple(
            SceneObject(
                name,
                self._fixtures[name].kind,
                seen.position,
                0.0,
                self._fixtures[name].size,
                seen.confidence,
                name in now,
            )
            for name, seen in sorted(self._seen.items())
        )
        held = self._tracker.held
        lit = [Relation(name, "lit") for name, seen in sorted(self._seen.items()) if seen.state > LIT]
        return Scene(stamp, (*objects, *fixtures), (*((Relation(held, "held"),) if held else ()), *lit))
