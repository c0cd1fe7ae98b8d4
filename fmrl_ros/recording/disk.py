"""What a file system's refusal means: which disk is full."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

FULL = (errno.ENOSPC, errno.EDQUOT)
"""Errors of a file system without room, or of a user without any left."""
_NO_ROOM = 64 * 1024
"""Free bytes below which no file of a run has room."""


def mount_point(path: Path) -> Path:
    """Return where the disk is mounted on which `path` lies or would lie."""
    here = path.absolute()
    return next((folder for folder in (here, *here.parents) if folder.is_mount()), Path(here.anchor))


def write_error(error: Exception, path: Path) -> str:
    """Return in one line why `path` could not be written; a full disk is named, also where a library did not say so."""
    if getattr(error, "errno", None) in FULL or _free(path) < _NO_ROOM:
        return f"the disk at {mount_point(path)} is full; make room there"
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _free(path: Path) -> int:
    """Return the free bytes of the disk of `path`."""
    return shutil.disk_usage(mount_point(path)).free
