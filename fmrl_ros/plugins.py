"""Plug-ins by name, found through Python entry points: another package can add one without touching this one."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import entry_points
from typing import Any


class UnknownNameError(ValueError):
    """A name that nothing is registered under; the message lists the valid ones."""

    def __init__(self, kind: str, name: str, valid: Iterable[str]) -> None:
        self.kind, self.name, self.valid = kind, name, sorted(valid)
        super().__init__(f"unknown {kind} '{name}'; valid: {', '.join(self.valid) or 'none installed'}")


def names(group: str) -> list[str]:
    """Return the sorted names registered under the entry-point group ``fmrl_ros.<group>``."""
    return sorted({ep.name for ep in entry_points(group=f"fmrl_ros.{group}")})


def load(group: str, name: str) -> Any:
    """Return the object registered as `name` under the entry-point group ``fmrl_ros.<group>``.

    Raises:
      UnknownNameError: If no installed package registers that name.
    """
    found = {ep.name: ep for ep in entry_points(group=f"fmrl_ros.{group}")}
    if name not in found:
        raise UnknownNameError(group.rstrip("s"), name, found)
    return found[name].load()
