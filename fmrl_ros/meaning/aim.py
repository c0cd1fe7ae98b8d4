"""What an instruction aims at, as strategies ask for it: what is left to do, and what leads there."""

from __future__ import annotations

from typing import Protocol

from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import Skill


class Remainder(Protocol):
    """What is left to do in a scene."""

    @property
    def fulfilled(self) -> bool:
        """True if nothing is, as far as the scene shows."""

    @property
    def complete(self) -> bool:
        """True if only what leads on serves it, so that any of it may be done, however unlikely a model finds that."""

    def serves(self, skill: Skill) -> bool:
        """True if a skill may be a step towards it."""


class Aim(Protocol):
    """What an instruction means, on its way from scene to scene."""

    def seen(self, scene: Scene) -> Remainder:
        """Look at a scene; return what is left to do in it."""

    def note(self, skill: Skill) -> None:
        """Take a skill as having succeeded, though no scene may show it."""

    def withdraw(self, skill: Skill) -> None:
        """Take a skill as not having succeeded after all."""

    def copy(self) -> Aim:
        """Return the same aim as it stands, to think ahead."""
