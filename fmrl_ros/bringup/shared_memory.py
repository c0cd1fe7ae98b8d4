"""What Fast DDS leaves in shared memory when a process dies without leaving DDS: killed, out of memory, crashed.

Segments (``fastdds_<id>``) and ports (``fastdds_port<n>``) lie in ``/dev/shm``, each with a lock file (``_el``) and,
for a port, a semaphore (``sem.fastdds_port<n>_mutex``). Nothing removes them but the process that made them.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path("/dev/shm")
_OF_FAST_DDS = re.compile(r"(?:sem\.)?(?P<name>fast(?:dds|rtps)_\w+?)(?:_el|_mutex)?")


def abandoned(folder: Path = FOLDER) -> list[Path]:
    """Return this user's files of Fast DDS that belong to no process any more, sorted."""
    if not folder.is_dir():
        return []
    files = {path: found["name"] for path in folder.iterdir() if (found := _OF_FAST_DDS.fullmatch(path.name))}
    used = {files[path] for path in _open_files() if path in files}
    return sorted(path for path, name in files.items() if name not in used and _is_own(path))


def remove(paths: list[Path]) -> int:
    """Remove files, those that have vanished meanwhile left aside; return how many bytes that gave back."""
    size = 0
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            size += path.stat().st_size
            path.unlink()
    return size


def _open_files() -> Iterator[Path]:
    """Yield what the processes that this user may look into have mapped or open."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or is somebody else's
            for line in (process / "maps").read_text(errors="replace").splitlines():
                yield Path(line.split(maxsplit=5)[-1])
        with contextlib.suppress(OSError):
            for descriptor in (process / "fd").iterdir():
                with contextlib.suppress(OSError):
                    yield Path(os.readlink(descriptor))


def _is_own(path: Path) -> bool:
    try:
        return path.stat().st_uid == os.geteuid()
    except FileNotFoundError:
        return False
