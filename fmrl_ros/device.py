"""The device that a model runs on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def torch_device(name: str) -> torch.device:
    """Return the device of a name: ``auto`` is a GPU if there is one, else the processor."""
    import torch

    if name != "auto":
        return torch.device(name)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
