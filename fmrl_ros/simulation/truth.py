"""True poses and relations of a simulated world, to judge a run from outside. No runtime node may read them."""

from __future__ import annotations

from typing import Any

from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation

DRAWER_OPEN = 0.03
"""A drawer pulled out further than this counts as open, m."""


def truth(simulation: TabletopSimulation) -> dict[str, Any]:
    """Return what is true now, ready for JSON: objects with pose (m, rad, base frame) and relations, the drawer."""
    world = simulation.world
    blocks = world.names_of_kind("block")
    objects: dict[str, Any] = {}
    for entry in world.objects:
        x, y, z, yaw = (round(float(value), 4) for value in simulation.pose(entry.name))
        described: dict[str, Any] = {"xyz": [x, y, z], "yaw": yaw, "in": None, "on": None, "place": None, "held": False}
        if entry.kind == "block":
            name = entry.name
            described["held"] = simulation.held(name)
            described["in"] = _first(b for b in world.names_of_kind("bowl") if simulation.inside(name, b))
            described["on"] = _first(b for b in blocks if b != name and _rests_on(simulation, name, b))
            described["place"] = _first(p.name for p in world.places if simulation.at(name, p.name))
        objects[entry.name] = described
    drawer = float(simulation.data.joint("drawer").qpos[0])
    return {
        "time": round(float(simulation.data.time), 3),
        "objects": objects,
        "drawer_open": drawer > DRAWER_OPEN,
        "drawer": round(drawer, 4),
    }


def _rests_on(simulation: TabletopSimulation, block: str, below: str) -> bool:
    offset = simulation.pose(block)[:3] - simulation.pose(below)[:3]
    height = simulation.world.object(below).size[2]
    aligned = float(offset[0] ** 2 + offset[1] ** 2) ** 0.5 < 0.03
    return aligned and abs(float(offset[2]) - height) < 0.01 and not simulation.held(block)


def _first(names: Any) -> str | None:
    return next(iter(names), None)
