"""Where a scene shows what an explanation may speak of: things, the robot, its hand and the drawers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fmrl_ros.worlds.names import ROBOT
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import World


@dataclass(frozen=True)
class Situation:
    """A scene's places by name.

    Attributes:
      at: For each thing that is at a place, the place; the thing in the hand, and what was not seen, are absent.
      held: The thing in the hand, or None.
      robot_at: The place of the robot; ``nowhere`` if the scene does not say it.
      opened: What the scene shows open.
      closed: The world's other drawers.
    """

    at: Mapping[str, str]
    held: str | None
    robot_at: str
    opened: frozenset[str]
    closed: frozenset[str]

    @classmethod
    def of(cls, scene: Scene, world: World) -> Situation:
        """Read a scene's relations; `world` says which of its places are drawers."""
        at = {r.subject: r.object for r in scene.relations if r.predicate == "at"}
        robot_at = at.pop(ROBOT, "nowhere")
        opened = frozenset(r.subject for r in scene.relations if r.predicate == "open")
        drawers = frozenset(p.name for p in world.places if p.kind == "drawer")
        return cls(at, scene.held, robot_at, opened, drawers - opened)
