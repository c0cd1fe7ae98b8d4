"""A training that has not finished, in a file beside what it makes, so that it can go on after an interruption."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_FILE = "unfinished.pt"


class UnfinishedError(RuntimeError):
    """Another training lies unfinished where one is to be written; the message says what to do."""


def save(state: object, folder: Path) -> None:
    """Write where a training stands; the file before is replaced only once this one is whole."""
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    whole = folder / f"{_FILE}.new"
    torch.save(state, whole)
    whole.replace(folder / _FILE)


def load(folder: Path, kind: type[T], same: Callable[[T], bool]) -> T | None:
    """Return what `save` wrote to `folder`, or None if there is nothing.

    Args:
      folder: Where the training writes.
      kind: What it saves.
      same: Tells whether what was found is of the same training.

    Raises:
      UnfinishedError: If the file cannot be read, or is of another training.
    """
    import torch

    file = folder / _FILE
    if not file.exists():
        return None
    way_out = f"delete {file} to start again, or write elsewhere (--out)"
    try:
        found = torch.load(file, map_location="cpu", weights_only=False)  # written by `save` alone
    except Exception as error:  # whatever a torn file, or one of another version, makes the reader raise
        raise UnfinishedError(f"the unfinished training in {folder} cannot be read ({error!r}); {way_out}") from error
    if not isinstance(found, kind) or not same(found):
        raise UnfinishedError(
            f"in {folder} a training with other settings lies unfinished; go on with those settings, {way_out}"
        )
    return found


def remove(folder: Path) -> None:
    """Delete the file: the training has finished."""
    (folder / _FILE).unlink(missing_ok=True)
