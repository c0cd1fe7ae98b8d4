"""A training that has not finished, in a file beside what it makes, so that it can go on after an interruption."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_FILE = "unfinished.pt"


def save(state: object, folder: Path) -> None:
    """Write where a training stands; the file before is replaced only once this one is whole."""
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    whole = folder / f"{_FILE}.new"
    torch.save(state, whole)
    whole.replace(folder / _FILE)


def load(folder: Path, kind: type[T]) -> T | None:
    """Return what `save` wrote to `folder`, or None if there is nothing, or nothing of this kind."""
    import torch

    try:
        found = torch.load(folder / _FILE, weights_only=False)  # written by `save` alone
    except (OSError, RuntimeError, EOFError, AttributeError, pickle.UnpicklingError):
        return None
    return found if isinstance(found, kind) else None


def remove(folder: Path) -> None:
    """Delete the file: the training has finished."""
    (folder / _FILE).unlink(missing_ok=True)
