"""What differs from one real robot and table to the next, drawn anew for each episode."""

from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation


@dataclass(frozen=True)
class Randomisation:
    """Half-widths of uniform ranges around the nominal; 0 leaves a quantity as it is.

    Attributes:
      mass: Of each object, as a share.
      friction: Of each object's sliding friction, as a share.
      size: Of each block's edges, as a share.
      latency: Most control steps by which actions arrive late; drawn from 0 to this.
      joint_offset: Of each measured joint angle, rad: a zero that was not calibrated.
    """

    mass: float = 0.5
    friction: float = 0.3
    size: float = 0.08
    latency: int = 1
    joint_offset: float = 0.003

    def scaled(self, factor: float) -> Randomisation:
        """Return the ranges, each `factor` times as wide."""
        return Randomisation(
            factor * self.mass,
            factor * self.friction,
            factor * self.size,
            round(factor * self.latency),
            factor * self.joint_offset,
        )

    def only(self, name: str) -> Randomisation:
        """Return the ranges with every quantity but `name` nominal."""
        return replace(NOMINAL, **{name: getattr(self, name)})


NOMINAL = Randomisation(0, 0, 0, 0, 0)
"""Nothing varies."""


class Randomiser:
    """Applies draws to a simulation's model, each from the nominal values."""

    def __init__(self, simulation: TabletopSimulation) -> None:
        self._model = simulation.model
        world, self._joints = simulation.world, len(simulation.robot.joints)
        self._bodies = {o.name: simulation.body(o.name) for o in world.objects}
        self._blocks = set(world.names_of_kind("block"))
        self._mass = self._model.body_mass.copy()
        self._inertia = self._model.body_inertia.copy()
        self._friction = self._model.geom_friction.copy()
        self._size = self._model.geom_size.copy()

    def draw(self, ranges: Randomisation, rng: np.random.Generator) -> tuple[int, NDArray[np.float64]]:
        """Vary the objects; return the latency in control steps and the joints' offsets, shape [n], rad."""
        model = self._model
        for name, body in self._bodies.items():
            heavier = 1 + rng.uniform(-1, 1) * ranges.mass
            model.body_mass[body] = self._mass[body] * heavier
            model.body_inertia[body] = self._inertia[body] * heavier
            geoms = np.flatnonzero(model.geom_bodyid == body)
            model.geom_friction[geoms, 0] = self._friction[geoms, 0] * (1 + rng.uniform(-1, 1) * ranges.friction)
            if name in self._blocks:
                larger = 1 + rng.uniform(-1, 1) * ranges.size
                model.geom_size[geoms] = self._size[geoms] * larger
                model.geom_rbound[geoms] = np.linalg.norm(model.geom_size[geoms], axis=1)
        mujoco.mj_setConst(model, mujoco.MjData(model))
        latency = int(rng.integers(ranges.latency + 1)) if ranges.latency else 0
        return latency, rng.uniform(-1, 1, self._joints) * ranges.joint_offset
