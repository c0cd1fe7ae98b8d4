"""What was seen: objects with poses, relations between them, and verdicts. Plain values, no algorithms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class SceneObject:
    """One object as perceived.

    Attributes:
      name: Its name in the world, for example ``red block``.
      kind: ``block`` or ``bowl``; of what is built in, ``drawer`` or ``button``.
      position: Centre (x, y, z) in metres, base frame; of a drawer, that of its handle.
      yaw: Rotation about the base z axis in radians, in [-pi/4, pi/4) for square objects.
      size: Bounding box in metres.
      confidence: Probability in [0, 1] that the object is where `position` says.
      visible: True if it was seen in the newest frame, False if its pose is remembered or follows the hand.
    """

    name: str
    kind: str
    position: tuple[float, float, float]
    yaw: float
    size: tuple[float, float, float]
    confidence: float
    visible: bool = True


@dataclass(frozen=True)
class Relation:
    """``subject predicate object``; unary predicates (``held``, ``empty``) have an empty `object`.

    Predicates: ``in`` (block, bowl or drawer), ``on`` (block, block), ``at`` (block, place), ``held`` (block),
    ``empty`` and ``full`` (bowl), ``clear`` (place), ``open`` and ``closed`` (drawer), ``lit`` (button); between things
    on the table ``near`` and, as the robot sees them, ``left of``, ``right of``, ``behind`` and ``in front of``.
    """

    subject: str
    predicate: str
    object: str = ""
    confidence: float = 1.0


@dataclass(frozen=True)
class Scene:
    """All that the cameras say at one time.

    Attributes:
      stamp: ROS time of the newest camera frame used, in seconds.
      objects: Perceived objects; an object never seen is absent.
      relations: What holds between them.
      text: The same in sentences, for a language model.
      frame_id: Frame of every pose.
    """

    stamp: float
    objects: tuple[SceneObject, ...]
    relations: tuple[Relation, ...] = ()
    text: str = ""
    frame_id: str = "base"

    def find(self, name: str) -> SceneObject | None:
        """Return the object of that name, or None if it is not in the scene."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> dict[str, SceneObject]:
        return {o.name: o for o in reversed(self.objects)}

    @property
    def held(self) -> str | None:
        """Name of the object in the gripper, or None."""
        return next((r.subject for r in self.relations if r.predicate == "held"), None)

    def holds(self, subject: str, predicate: str, target: str = "") -> bool:
        """True if the scene contains that relation."""
        return (subject, predicate, target) in self._facts

    @cached_property
    def _facts(self) -> frozenset[tuple[str, str, str]]:
        return frozenset((r.subject, r.predicate, r.object) for r in self.relations)


@dataclass(frozen=True)
class Verdict:
    """An answer that may be unknown: `value` is True, False or None (unknown), `confidence` in [0, 1]."""

    value: bool | None
    confidence: float
    reason: str
