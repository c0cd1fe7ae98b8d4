"""Where the sockets and locks of the robots that this user runs lie."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def runtime_folder() -> Path:
    """Return the folder, which may not be there yet."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return Path(runtime) / "fmrl_ros" if runtime else Path(tempfile.gettempdir()) / f"fmrl_ros-{os.getuid()}"
