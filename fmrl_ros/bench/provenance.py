"""Where figures come from: the command, the source's state, and the machine."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from fmrl_ros.language.server_url import without_secrets

ROOT = Path(__file__).resolve().parents[2]
"""The checkout, where there is one."""


def command(arguments: Sequence[str] | None = None) -> str:
    """Return the command line as it was typed, by default this process's; passwords of servers are left out."""
    typed = sys.argv[1:] if arguments is None else arguments
    return shlex.join(["fmrl", *map(_without_secrets, typed)])


def commit(root: Path = ROOT) -> str:
    """Return the checkout's short commit, with "+" if tracked files differ from it; "unknown" outside a checkout."""
    if not (root / ".git").exists():
        return "unknown"
    describe = ["git", "-C", str(root), "describe", "--always", "--exclude=*", "--dirty=+"]
    try:
        return subprocess.run(describe, check=True, capture_output=True, text=True, timeout=30).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def machine() -> dict[str, Any]:
    """Return what the figures of this machine depend on: platform, processor's model, cores, Python, PyTorch."""
    return {
        "platform": platform.platform(),
        "processor": _processor_model(),
        "cores": _usable_cores(),
        "python": platform.python_version(),
        "torch": _torch_version(),
    }


def _without_secrets(argument: str) -> str:
    option, equals, value = argument.partition("=")
    if option.startswith("-") and equals:
        return f"{option}={without_secrets(value)}"
    return without_secrets(argument)


def _processor_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or platform.machine())


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _torch_version() -> str | None:
    try:
        return version("torch")
    except PackageNotFoundError:
        return None
