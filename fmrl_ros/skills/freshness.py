"""Whether joint states and scenes are fresh enough for a skill to act on."""

from __future__ import annotations

from dataclasses import dataclass

from fmrl_ros.robot.state import RobotState
from fmrl_ros.worlds.scene import Scene

JOINTS_TIMEOUT = 1.0
"""No joint state for so many wall seconds means that the driver, or a simulation's clock, has stopped."""

_NO_JOINTS = f"no joint_states for {JOINTS_TIMEOUT} s; is the robot's driver running?"
_AHEAD = "ahead of the time; do clocks differ, or was the robot's driver restarted?"


@dataclass(frozen=True)
class Freshness:
    """How old what a skill acts on may be.

    Attributes:
      scene_age: Greatest age of a scene, and how far its stamp may be ahead of the time, s.
      joints_age: The same for joint states.
      patience: A skill whose inputs are not fresh holds the arm for so long, then ends, wall s.
    """

    scene_age: float = 0.5
    joints_age: float = 0.2
    patience: float = 1.0

    def defect(self, scene: Scene | None, state: RobotState | None, now: float, silence: float) -> str:
        """Return in words why the newest scene and joint state are not fit to act on; empty if they are.

        Args:
          scene: The newest scene.
          state: The newest joint state.
          now: Time by the clock of the stamps, s.
          silence: Wall seconds since a joint state came.
        """
        if state is None or silence > JOINTS_TIMEOUT:
            return _NO_JOINTS
        return self._joints_defect(state, now) or self._scene_defect(scene, max(now, state.stamp))

    def _joints_defect(self, state: RobotState, now: float) -> str:
        if now - state.stamp > self.joints_age:
            return f"joint_states older than {self.joints_age} s; is the robot's driver running?"
        if state.stamp - now > self.joints_age:
            return f"joint_states more than {self.joints_age} s {_AHEAD}"
        return ""

    def _scene_defect(self, scene: Scene | None, now: float) -> str:
        if scene is None:
            return "no scene received; is scene_describer running?"
        age = now - scene.stamp
        if age > self.scene_age:
            return f"scene older than {self.scene_age} s; is scene_describer running?"
        if -age > self.scene_age:
            return f"scene more than {self.scene_age} s {_AHEAD}"
        return ""
