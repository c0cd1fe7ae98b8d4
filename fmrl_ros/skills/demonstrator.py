"""Scripted demonstrations that training starts from. They see what the policy sees and are never run on the robot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.skills.control import STEP
from fmrl_ros.skills.task import FINGERS_OPEN, LIFTED

GRASP_HEIGHT = 0.020
RELEASE_HEIGHT = {"place_in": 0.075, "place_at": 0.024}
CRUISE_HEIGHT = 0.11
OPEN, CLOSE = 1.0, -1.0


class Demonstrator:
    """A state machine over goal, tool and held object, for one episode of one skill."""

    def __init__(self, skill: str) -> None:
        self._skill = skill
        self._released = False
        self._wait = 0

    def act(
        self, goal: NDArray[np.float64], tool: NDArray[np.float64], width: float, held: str | None, target: str
    ) -> NDArray[np.float32]:
        """Return an action, shape [4], from goal and tool positions, shape [3], m, and the finger width, m."""
        if self._skill == "pick":
            return self._pick(goal, tool, width, held == target)
        return self._place(goal, tool, width)

    def _pick(
        self, goal: NDArray[np.float64], tool: NDArray[np.float64], width: float, holding: bool
    ) -> NDArray[np.float32]:
        offset = goal - tool
        across = float(np.linalg.norm(offset[:2]))
        if holding:
            return _towards(np.array([0, 0, LIFTED + 0.04 - tool[2]]), CLOSE)
        grasp = max(GRASP_HEIGHT, goal[2])
        down = grasp - tool[2]
        if across > 0.012 and tool[2] > grasp + 0.03:
            return _towards(np.array([offset[0], offset[1], max(down, goal[2] + 0.09 - tool[2]) * _near(across)]), OPEN)
        if abs(down) > 0.006 and width > FINGERS_OPEN:
            return _towards(np.array([offset[0], offset[1], down]), OPEN)
        self._wait += 1
        if self._wait > 12:  # closed on nothing: try again from above
            self._wait = 0 if tool[2] > grasp + 0.05 else self._wait
            return _towards(np.array([0, 0, 0.08]), OPEN)
        return _towards(np.array([0, 0, 0.0]), CLOSE)

    def _place(self, goal: NDArray[np.float64], tool: NDArray[np.float64], width: float) -> NDArray[np.float32]:
        offset = goal - tool
        across = float(np.linalg.norm(offset[:2]))
        release = RELEASE_HEIGHT[self._skill]
        if self._released:
            if width < FINGERS_OPEN:
                return _towards(np.zeros(3), OPEN)
            return _towards(np.array([0, 0, LIFTED + 0.04 - tool[2]]), OPEN)
        if across > 0.012 and tool[2] > release + 0.02:
            return _towards(np.array([offset[0], offset[1], (CRUISE_HEIGHT - tool[2]) * _near(across)]), CLOSE)
        if tool[2] > release + 0.006:
            return _towards(np.array([offset[0], offset[1], release - tool[2]]), CLOSE)
        self._released = True
        return _towards(np.zeros(3), OPEN)


def _near(across: float) -> float:
    """Descend in proportion to how near the tool is, across, to its goal: 1 when above it."""
    return float(np.clip(1.2 - across / 0.25, 0.2, 1.0))


def _towards(offset: NDArray[np.float64], hand: float) -> NDArray[np.float32]:
    return np.array([*np.clip(0.7 * offset / STEP, -1, 1), hand], np.float32)
