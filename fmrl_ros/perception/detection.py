"""What a localiser reports of one camera frame, and how well it is known to do so."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Detection:
    """One object or fixture found in one frame; of a drawer, `position` is that of its handle.

    Attributes:
      name: Its name in the world.
      position: Centre (x, y, z) in metres, base frame.
      yaw: Rotation about the base z axis in radians, in [-pi/4, pi/4) for square objects, 0 for round ones.
      confidence: Probability in [0, 1] that the object is within a centimetre of `position`.
      state: Probability in [0, 1] that a lamp is lit.
      visible_fraction: Seen area over the area expected of the whole object at that place, in [0, 1].
    """

    name: str
    position: tuple[float, float, float]
    yaw: float = 0.0
    confidence: float = 1.0
    visible_fraction: float = 1.0
    state: float = 0.0
