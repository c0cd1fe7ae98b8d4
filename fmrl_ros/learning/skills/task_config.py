"""A skill as a task to learn: a configuration that lists small functions, one file a skill in ``simulation/tasks``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.learning.skills.stage import SkillStart, Stage
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.skills.control import STEP
from fmrl_ros.skills.task import Goal, SkillTask
from fmrl_ros.worlds.world import Skill

OPEN, CLOSE = 1.0, -1.0

ASIDE = 0.025
"""How far a skill may shift what it is not about, m."""


@dataclass(frozen=True)
class View:
    """What a demonstration script sees: the same as the policy, before it is scaled.

    Attributes:
      goal: What the skill is aimed at.
      tool: Measured tool position, shape [3], m.
      width: Measured distance between the finger pads, m.
      held: Name of the object in the hand, or None.
      subject: Position of what the skill moves, shape [3], m; the tool's own if there is nothing.
      hand_open: Whether the hand was last asked to be open.
      lag: Commanded minus measured tool position, shape [3], m.
    """

    goal: Goal
    tool: NDArray[np.float64]
    width: float
    held: str | None
    subject: NDArray[np.float64]
    hand_open: bool
    lag: NDArray[np.float64]


@dataclass(frozen=True)
class Attempt:
    """What the truth says about an episode: read by rewards and terminations, never by the policy.

    Attributes:
      simulation: The physics.
      skill: What is being done.
      held: What was in the hand when it started.
      before: Where each object was when it started, shape [4], m and rad.
      lamp: Whether the lamp was lit when it started.
      drawer: How far the drawer was out when it started, m.
      holding: What the scene says is in the hand now.
      contained: Blocks that lay in the container which the skill names when it started.
    """

    simulation: TabletopSimulation
    skill: Skill
    held: str | None
    before: Mapping[str, NDArray[np.float64]]
    lamp: bool
    drawer: float
    holding: str | None
    contained: tuple[str, ...] = ()

    def undisturbed(self, *moved: str) -> bool:
        """True if no object but `moved` and what was held has been shifted by more than `ASIDE` over the table."""
        shifts = {
            name: float(np.linalg.norm(self.simulation.pose(name)[:2] - pose[:2])) for name, pose in self.before.items()
        }
        return all(shift < ASIDE for name, shift in shifts.items() if name not in (*moved, self.held))


Reset = Callable[[Stage], SkillStart]
Reward = Callable[[Attempt], float]
Termination = Callable[[Attempt], bool]


@dataclass(frozen=True)
class TaskConfig:
    """A task: what starts, ends and pays an episode, and who shows how it is done.

    Attributes:
      task: Goal, end and observation of the skill at run time.
      resets: Starts by name; ``feasible`` first, then those that are infeasible in this skill's own way.
      rewards: Paid once, when the skill has finished and the world has settled: terms by name; their sum counts.
      demonstrate: Returns the script's action, shape [4], in [-1, 1]. Scripts are never run on the robot.
      terminations: What else ends an episode, by name; such an end is a failure.
    """

    task: SkillTask
    resets: Mapping[str, Reset]
    rewards: Mapping[str, Reward]
    demonstrate: Callable[[View], NDArray[np.float32]]
    terminations: Mapping[str, Termination] = field(default_factory=dict)

    @property
    def infeasible(self) -> tuple[str, ...]:
        """Names of the starts other than ``feasible``."""
        return tuple(name for name in self.resets if name != "feasible")

    @property
    def gym_id(self) -> str:
        """The id under which Gymnasium knows it."""
        return "fmrl/" + "".join(word.capitalize() for word in self.task.name.split("_")) + "-v0"


def towards(offset: NDArray[np.float64], hand: float) -> NDArray[np.float32]:
    """Return the action that moves the tool by `offset`, shape [3], m, slower when near; `hand` opens or closes."""
    return np.array([*np.clip(0.7 * offset / STEP, -1, 1), hand], np.float32)


def over(view: View, point: NDArray[np.float64], height: float, hand: float) -> NDArray[np.float32] | None:
    """Return the action that brings the tool above `point`, shape [3], at `height`, m; None once it is there, or lower.

    Far from the point the tool travels high, and comes down as it gets nearer.
    """
    offset = point - view.tool
    across = float(np.linalg.norm(offset[:2]))
    if across <= 0.012 or view.tool[2] < height - 0.03:
        return None
    nearness = float(np.clip(1.2 - across / 0.25, 0.2, 1.0))
    calmly = 0.55 if across < 0.08 else 1.0  # the arm lags behind: more would swing about the point
    return towards(np.array([calmly * offset[0], calmly * offset[1], (height - view.tool[2]) * nearness]), hand)


def come_down(offset: NDArray[np.float64], hand: float) -> NDArray[np.float32]:
    """Return the action that moves the tool by `offset`, shape [3], m, down so gently that it does not overshoot."""
    slower = 0.4 if offset[2] > -0.05 else 0.8
    return towards(np.array([offset[0], offset[1], max(slower * offset[2], -0.04)]), hand)


def rise(view: View, hand: float, height: float = 0.17) -> NDArray[np.float32]:
    """Return the action that takes the tool straight up to `height`, m."""
    return towards(np.array([0.0, 0.0, height - view.tool[2]]), hand)
