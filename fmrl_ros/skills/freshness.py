"""Whether joint states and scenes are fresh enough for a skill to act on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fmrl_ros.robot.state import RobotState
from fmrl_ros.worlds.scene import Scene

JOINTS_TIMEOUT = 1.0
"""No joint state for so many wall seconds means that the driver, or a simulation's clock, has stopped."""

_AHEAD = "ahead of the time; do clocks differ, or was the robot's driver restarted?"

_OTHER_CLOCK = 30.0
"""Stamps that have just come and are further from the time than this are of another clock, s."""
_SINCE_1970 = 1e9
"""Times greater than this count from 1970, smaller ones from the start of a simulation, s."""


def no_joint_states(cause: str) -> str:
    """Return in words that no joint state comes; `cause` says why, empty if that is not known."""
    return f"no joint_states for {JOINTS_TIMEOUT} s; " + (cause or "is the robot's driver running?")


def other_clock(stamped: str, stamp: float, now: float) -> str:
    """Return in words why a stamp and the time are not of one clock; empty if they may be.

    Args:
      stamped: What has the stamp, with its verb, such as ``joint_states are``.
      stamp: Its stamp, s.
      now: Time by the clock that it should be of, s.
    """
    if abs(now - stamp) <= _OTHER_CLOCK:
        return ""
    if stamp == 0:
        return f"{stamped} stamped 0; the driver must fill in header.stamp"
    if now == 0:
        return f"{stamped} stamped, but the time here stands at 0: use_sim_time is set and no /clock comes"
    if (stamp > _SINCE_1970) == (now > _SINCE_1970):
        return ""
    clocks = ("wall time", "a simulation's time")
    theirs, ours = clocks if stamp > _SINCE_1970 else reversed(clocks)
    return f"{stamped} stamped with {theirs}, but this node goes by {ours}; set use_sim_time alike on every node"


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

    def defect(
        self, scene: Scene | None, state: RobotState | None, now: float, silence: float, cause: Callable[[], str] = str
    ) -> str:
        """Return in words why the newest scene and joint state are not fit to act on; empty if they are.

        Args:
          scene: The newest scene.
          state: The newest joint state.
          now: Time by the clock of the stamps, s.
          silence: Wall seconds since a joint state came.
          cause: Returns in words why no joint state comes; empty if that is not known. Asked only when none does.
        """
        if state is None or silence > JOINTS_TIMEOUT:
            return no_joint_states(cause())
        return self._joints_defect(state, now) or self._scene_defect(scene, max(now, state.stamp))

    def _joints_defect(self, state: RobotState, now: float) -> str:
        if other := other_clock("joint_states are", state.stamp, now):
            return other
        if abs(now - state.stamp) > _OTHER_CLOCK:
            order = "before" if state.stamp < now else "after"
            return (
                f"joint_states are stamped {abs(now - state.stamp):.0f} s {order} the time here; "
                "synchronise the computers' clocks"
            )
        if now - state.stamp > self.joints_age:
            return f"joint_states older than {self.joints_age} s; is the robot's driver running?"
        if state.stamp - now > self.joints_age:
            return f"joint_states more than {self.joints_age} s {_AHEAD}"
        return ""

    def _scene_defect(self, scene: Scene | None, now: float) -> str:
        if scene is None:
            return "no scene received; is scene_describer running?"
        if other := other_clock("the cameras' pictures are", scene.stamp, now):
            return other
        age = now - scene.stamp
        if age > self.scene_age:
            return f"scene older than {self.scene_age} s; is scene_describer running?"
        if -age > self.scene_age:
            return f"scene more than {self.scene_age} s {_AHEAD}"
        return ""
