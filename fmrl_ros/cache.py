"""What is made once and kept, below ``$XDG_CACHE_HOME/fmrl_ros``: meshes, converted weights, downloads.

Every such folder is made by one process, which holds a lock, in a folder beside its place, and renamed when it is
complete. So a folder that is there is whole; a process that dies in the middle leaves nothing that counts, and the next
one begins anew.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)
"""What file systems answer that have no locks: there the rename alone decides, and some work is done twice."""
_ELSEWHERE = "or choose another folder: XDG_CACHE_HOME=FOLDER"


class CacheError(OSError):
    """The cache cannot be used; the message names the folder, the cause and the next step."""


def cache_folder(name: str = "") -> Path:
    """Return the place of a folder in the cache, whether it is there or not.

    Args:
      name: Parts separated by slashes; the cache itself if empty.
    """
    root = os.environ.get("XDG_CACHE_HOME")
    try:
        above = Path(root) if root else Path.home() / ".cache"
    except RuntimeError as error:
        raise CacheError(f"no home folder to keep files in; choose one: XDG_CACHE_HOME=FOLDER ({error})") from error
    return above / "fmrl_ros" / name if name else above / "fmrl_ros"


def kept(name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder of the cache, made first if it is not there.

    Any number of processes may ask at once, of several users, too: one makes the folder, the others wait for it.

    Args:
      name: Of the folder. What it was made from belongs into the name, so that another version has another place.
      make: Fills the empty folder that it is given. What it raises is raised here, and nothing is kept.

    Raises:
      CacheError: If the cache is read-only, full, or somebody else's.
    """
    target = cache_folder(name)
    with _explained(target.parent):
        if target.is_dir():
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        with _locked(target) as alone:
            if not target.is_dir():
                if alone:
                    _remove_remains(target)
                _make(target, make)
    return target


def _make(target: Path, make: Callable[[Path], None]) -> None:
    """Make `target` in a folder beside it, write it through to the disk, and rename it."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=_prefix(target), ignore_cleanup_errors=True) as own:
        made = Path(own) / target.name
        made.mkdir()
        make(made)
        _publish(made)
        try:
            made.rename(target)
        except OSError:
            if not target.is_dir():  # else another process was faster, where there are no locks
                raise


def _publish(folder: Path) -> None:
    """Let everybody read what was made, as far as the umask allows, and put it on the disk itself."""
    umask = os.umask(0)
    os.umask(umask)
    for path in (folder, *folder.rglob("*")):
        path.chmod((0o777 if path.is_dir() else 0o666) & ~umask)
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def _locked(target: Path) -> Iterator[bool]:
    """Hold the lock of a folder, which the kernel takes back when the process ends; False if there are no locks."""
    descriptor = os.open(target.parent / f".{target.name}.lock", os.O_RDONLY | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def _remove_remains(target: Path) -> None:
    """Remove what processes that died have left: whoever holds the lock is the only one at work."""
    for path in target.parent.glob(f"{_prefix(target)}*"):
        shutil.rmtree(path, ignore_errors=True)


def _prefix(target: Path) -> str:
    return f".{target.name}-"


@contextlib.contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Turn what the file system refuses into an error that says which folder it is and what to do."""
    try:
        yield
    except OSError as error:
        mend = _mend(error, folder)
        if isinstance(error, CacheError) or mend is None or not _concerns(error, folder):
            raise
        raise CacheError(mend) from error


def _concerns(error: OSError, folder: Path) -> bool:
    """True if an error is about the cache, or about a folder above it that cannot be made."""
    if error.filename is None:
        return True
    path = Path(os.fsdecode(error.filename))
    return path.is_relative_to(cache_folder()) or path in (folder, *folder.parents)


def _mend(error: OSError, folder: Path) -> str | None:
    """Return a sentence on a file system's error, or None if it is of another kind."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk of the cache {folder} is full; make room there, {_ELSEWHERE}"
    if error.errno == errno.EROFS:
        return f"the cache {folder} is on a read-only file system; make it writable, {_ELSEWHERE}"
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"nothing may be written in the cache {folder} ({_owner(folder)}); change that, {_ELSEWHERE}"
    if error.errno == errno.ENOENT and not folder.exists():
        return f"the cache {folder} cannot be made; make a folder that can be written, {_ELSEWHERE}"
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return f"a file is in the way of the cache {folder}; remove it, {_ELSEWHERE}"
    return None


def _owner(folder: Path) -> str:
    """Return whose the folder is, or the nearest one above it that is there."""
    for path in (folder, *folder.parents):
        try:
            return f"{path} belongs to {path.owner()}"
        except KeyError:
            return f"{path} belongs to user {path.stat().st_uid}"
        except OSError:  # it is not there, or must not be looked at
            continue
    return "no folder above it can be read"
