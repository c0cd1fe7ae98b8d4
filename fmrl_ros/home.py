"""Paths in the home folder: no shell replaces ``~`` behind ``:=`` or ``=``, in quotes, or in a YAML file."""

from __future__ import annotations

import os
from pathlib import Path


def user_path(name: str | Path) -> Path:
    """Return a path as a person gave it, with the home folder in place of ``~/`` at its beginning."""
    text = str(name)
    return Path(os.path.expanduser(text)) if text.startswith("~/") else Path(text)
