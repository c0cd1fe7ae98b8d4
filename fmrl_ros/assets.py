"""Where this package's data lies: one function for a source tree, a wheel and a colcon install alike."""

from __future__ import annotations

import os
import sys
from pathlib import Path

FOLDERS = ("sim", "models", "launch", "config")


def share(folder: str) -> Path:
    """Return the installed or source location of one of the package's data folders.

    Args:
      folder: One of ``sim``, ``models``, ``launch``, ``config``.

    Raises:
      ValueError: If `folder` is none of these.
      FileNotFoundError: If the folder is in none of the places where an install puts it.
    """
    if folder not in FOLDERS:
        raise ValueError(f"unknown data folder '{folder}'; valid: {', '.join(FOLDERS)}")
    source_tree = Path(__file__).resolve().parent.parent
    prefixes = [p for p in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if p] + [sys.prefix]
    candidates = [source_tree / folder, *(Path(p) / "share" / "fmrl_ros" / folder for p in prefixes)]
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    looked = ", ".join(str(c) for c in candidates)
    raise FileNotFoundError(f"fmrl_ros data folder '{folder}' not found (looked in {looked}); reinstall fmrl_ros")
