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
            described["in"] = _first(c for c in world.names_of_kind("bowl|drawer") if simulation.inside(name, c))
            described["on"] = _first(b for b in blocks if b != name and simulation.on(name, b))
            described["place"] = _first(p.name for p in world.places if simulation.at(name, p.name))
        objects[entry.name] = described
    return {
        "time": round(float(simulation.data.time), 3),
        "objects": objects,
        "drawer_open": simulation.drawer > DRAWER_OPEN,
        "lamp": simulation.lamp,
        "drawer": round(simulation.drawer, 4),
    }


def _first(names: Any) -> str | None:
    return next(iter(names), None)
