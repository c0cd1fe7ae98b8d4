"""The device that a model runs on."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def torch_device(name: str) -> torch.device:
    """Return the device of a name: ``auto`` is a GPU if there is one, else the processor."""
    import torch

    if name != "auto":
        return torch.device(name)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def fast_dtype(device: torch.device) -> torch.dtype:
    """Return what networks run fastest in: float16 on a GPU, bfloat16 on a processor that computes in it."""
    import torch

    return training_dtype(device) if device.type == "cpu" else torch.float16


def training_dtype(device: torch.device) -> torch.dtype:
    """Return bfloat16 where the device computes in it, else float32: float16 would need its gradients scaled."""
    import torch

    if device.type == "cpu":
        fast = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)()
    else:
        fast = torch.cuda.is_bf16_supported(including_emulation=False)
    return torch.bfloat16 if fast else torch.float32


def keep_freed_memory() -> None:
    """Let the C library (glibc) keep for the next use what this process frees: giving gigabytes back to the system and
    asking for them anew in every training step costs up to a tenth of its time.
    """
    trim_threshold, top_pad, mmap_threshold = -1, -2, -3  # of mallopt(3)
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for parameter, size in ((trim_threshold, 2**31 - 1), (top_pad, 2**28), (mmap_threshold, 2**30)):
            mallopt(parameter, size)


def cores() -> int:
    """Return how many cores this process may use: a container or ``taskset`` may leave it fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
