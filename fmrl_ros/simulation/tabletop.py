"""The tabletop world as a MuJoCo model: table, drawer unit, cameras, a robot, and the world's objects."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.assets import share
from fmrl_ros.robot.profile import RobotProfile
from fmrl_ros.simulation.robot import add_robot, simulated_profile
from fmrl_ros.worlds.world import World, WorldObject

BLOCK_GAP = 0.095
"""Least distance between two block centres after a reset, m: an open hand fits between them."""
BOWL_GAP = 0.15
"""Least distance between two bowl centres after a reset, m."""
FIXED_CAMERAS = ("front", "side")
"""Cameras that do not move, as ``table.xml`` names them."""
BOWL_BLOCK_GAP = 0.135
"""Least distance between a bowl's and a block's centre after a reset, m."""
PLACE_GAP = 0.125
"""Least distance of a bowl from a named place after a reset, m: the place stays usable."""


def body_name(entry: WorldObject) -> str:
    """Return the name of the MuJoCo body of a world object."""
    return f"{entry.name}/{entry.kind}"


def joint_name(entry: WorldObject) -> str:
    """Return the name of the MuJoCo free joint of a world object."""
    return f"{entry.name}/free"


def tabletop_spec(world: World, robot: RobotProfile | None = None) -> mujoco.MjSpec:
    """Compose the world: MJCF parts from ``sim/tabletop``, objects as the world lists, the robot's model.

    Args:
      world: The world.
      robot: The robot; `simulated_profile` by default.

    Raises:
      ModelError: If the robot's model cannot be used.
    """
    folder = share("sim") / "tabletop"
    spec = mujoco.MjSpec.from_file(str(folder / "table.xml"))
    add_robot(spec, robot or simulated_profile())
    for entry in world.objects:
        part = mujoco.MjSpec.from_file(str(folder / f"{entry.kind}.xml"))
        for geom in part.geoms:
            geom.rgba = [*entry.color, 1]
        spec.worldbody.add_frame().attach_body(part.body(entry.kind), f"{entry.name}/", "")
    return spec


def sample_layout(world: World, rng: np.random.Generator) -> dict[str, NDArray[np.float64]]:
    """Draw a collision-free arrangement of the world's objects on the table.

    Returns:
      For each object its pose (x, y, z, yaw), shape [4], metres and radians, base frame.
    """
    while True:
        layout = _try_layout(world, rng)
        if layout is not None:
            return layout


def _try_layout(world: World, rng: np.random.Generator) -> dict[str, NDArray[np.float64]] | None:
    low, high = world.table
    places = [np.array(p.position) for p in world.places]
    layout: dict[str, NDArray[np.float64]] = {}
    bowls: list[NDArray[np.float64]] = []
    blocks: list[NDArray[np.float64]] = []
    for entry in sorted(world.objects, key=lambda o: o.kind != "bowl"):
        bowl = entry.kind == "bowl"
        for _ in range(200):
            xy = rng.uniform(low, high)
            if bowl:
                free = _nearest(xy, bowls) > BOWL_GAP and _nearest(xy, places) > PLACE_GAP
            else:
                free = (
                    _nearest(xy, bowls) > BOWL_BLOCK_GAP
                    and _nearest(xy, blocks) > BLOCK_GAP
                    and _nearest(xy, places) > 0.07
                )
            if free:
                break
        else:
            return None
        (bowls if bowl else blocks).append(xy)
        layout[entry.name] = np.array([*xy, entry.size[2] / 2, rng.uniform(-np.pi / 4, np.pi / 4)])
    return layout


def _nearest(xy: NDArray[np.float64], others: list[NDArray[np.float64]]) -> float:
    return min((float(np.linalg.norm(xy - other)) for other in others), default=np.inf)
