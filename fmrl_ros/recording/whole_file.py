"""A file has its name when it is whole: it is written beside its place under another name, and renamed at the end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path


def part_of(path: Path) -> Path:
    """Return the name of a file while it is being written: ``video.part.mp4`` for ``video.mp4``."""
    return path.with_name(f"{path.stem}.part{path.suffix}")


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give the path to write to, which becomes `path` at the end; whatever is raised inside leaves no file."""
    part = part_of(path)
    try:
        yield part
        part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
