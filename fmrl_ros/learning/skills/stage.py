"""Setting the scene for an episode of a skill: arm postures, layouts, clutter, a block in the hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.cartesian import CartesianController
from fmrl_ros.robot.kinematics import ToolPose
from fmrl_ros.robot.state import JointCommand
from fmrl_ros.simulation.tabletop import sample_layout
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.worlds.world import Skill

_ROOM = 0.0025
"""Objects are let down from this height, m: their sizes vary, and none may start inside another."""

Layout = dict[str, NDArray[np.float64]]
"""Pose (x, y, z, yaw) of each object that is there, shape [4], m and rad, base frame."""


@dataclass(frozen=True)
class SkillStart:
    """The skill to run, and the block that is in the hand when it starts."""

    skill: Skill
    held: str | None


@dataclass(frozen=True)
class Stage:
    """What a reset works with: the physics, inverse kinematics, and the episode's source of randomness."""

    simulation: TabletopSimulation
    controller: CartesianController
    rng: np.random.Generator

    def names(self, kind: str) -> tuple[str, ...]:
        """Return the world's names of a kind, in random order."""
        names = self.simulation.world.names_of_kind(kind)
        return tuple(names[i] for i in self.rng.permutation(len(names)))

    def layout(self) -> Layout:
        """Draw a collision-free arrangement of every object."""
        return sample_layout(self.simulation.world, self.rng)

    def clutter(self, layout: Layout, keep: tuple[str, ...] = ()) -> Layout:
        """Take some blocks away, put some in bowls: a task half done. Those of `keep` stay as they are."""
        layout = dict(layout)
        for name in self.names("block"):
            if name in keep:
                continue
            draw = self.rng.random()
            bowls = [b for b in self.names("bowl") if b in layout and b not in keep]
            if draw < 0.25 and bowls:
                layout[name] = self.in_bowl(layout[bowls[0]], height=0.05 + 0.05 * self.rng.random())
            elif draw < 0.4:
                del layout[name]
        return layout

    def in_bowl(self, bowl: NDArray[np.float64], height: float = 0.05) -> NDArray[np.float64]:
        """Return the pose of a block that lies in a bowl."""
        return np.array([*(bowl[:2] + self.rng.uniform(-0.02, 0.02, 2)), height, self.rng.uniform(-0.7, 0.7)])

    def upon(self, pose: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the pose of a block that stands on another."""
        offset = self.rng.uniform(-0.008, 0.008, 2)
        return pose + np.array([*offset, 0.0402 + _ROOM, self.rng.normal(0, 0.1)])

    def next_to(self, pose: NDArray[np.float64], gap: float) -> NDArray[np.float64]:
        """Return a pose that is `gap`, m, to the side on which a finger would go."""
        return pose + np.array([-np.sin(pose[3]) * gap, np.cos(pose[3]) * gap, 0, 0])

    def spot(self, position: tuple[float, ...] | NDArray[np.float64], spread: float) -> NDArray[np.float64]:
        """Return the pose of a block on the table within `spread`, m, of a position on each axis."""
        across = np.array(position[:2]) + self.rng.uniform(-spread, spread, 2)
        return np.array([*across, 0.02, self.rng.uniform(-np.pi / 4, np.pi / 4)])

    def begin(self, layout: Layout, held: str | None = None, drawer: float = 0.0) -> None:
        """Put the world in order, with `held` between the closed fingers, and let it settle.

        The drawer is out by `drawer`, m; the lamp is as likely on as off; an empty hand is closed now and then.
        """
        lamp = bool(self.rng.random() < 0.5)
        layout = {name: pose + np.array([0, 0, _ROOM, 0]) for name, pose in layout.items()}
        q = self._posture()
        if held is None:
            self.simulation.reset(layout, q, 0.04 if self.rng.random() < 0.85 else 0.0, drawer, lamp)
            self.simulation.settle(0.2)
            return
        tool = self.controller.forward(q)
        grasp = self.rng.uniform([-0.008, -0.002, -0.008], [0.008, 0.002, 0.006])
        layout = {**layout, held: np.array([*(tool.position + grasp), self.rng.normal(0, 0.05)])}
        self.simulation.reset(layout, q, 0.0205, drawer, lamp)
        self.simulation.command(JointCommand(q, 0.0))
        self.simulation.settle(0.4)

    def _posture(self) -> NDArray[np.float64]:
        """Return where a skill may find the arm: near home, or in one of five starts anywhere above the objects."""
        if self.rng.random() < 0.2:
            tool = self.rng.uniform([0.35, -0.33, 0.15], [0.65, 0.22, 0.35])
        else:
            tool = self.controller.forward(self.controller.home).position + self.rng.uniform(
                [-0.03, -0.04, -0.04], [0.03, 0.04, 0.03]
            )
        q = self.controller.home
        for _ in range(6):
            q = self.controller.solve(q, ToolPose(tool, 0.0))
        return q


def skill(name: str, *arguments: str) -> Skill:
    """Return a skill for an episode; nobody reads its phrase."""
    return Skill(name, arguments, " ".join((name, *arguments)))
