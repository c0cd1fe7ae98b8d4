"""Whether a robot runs or starts on this machine: told at once, where DDS discovery would have to be waited for.

A robot that starts has no node to be discovered for seconds. So who starts one says so by a lock, which the kernel
takes back from a process that is killed. A node that runs has a port that follows from its domain (RTPS specification,
9.6.1).
"""

from __future__ import annotations

import contextlib
import fcntl
import socket
from collections.abc import Iterator
from pathlib import Path

from fmrl_ros.bringup.environment import only_this_machine
from fmrl_ros.runtime_folder import runtime_folder

_PORT, _GAIN, _UNICAST = 7400, 250, 10
_SOCKETS = (Path("/proc/net/udp"), Path("/proc/net/udp6"))


def nobody_here(domain: int) -> bool:
    """True if no robot can be found on a ROS domain: none runs or starts here, and no other machine is looked at."""
    return only_this_machine() and not announced(domain) and not in_use(domain)


def in_use(domain: int) -> bool:
    """True if a DDS participant of the domain runs on this machine, or nothing is known of that."""
    first = _PORT + _GAIN * domain + _UNICAST
    ports = set(range(first, _PORT + _GAIN * (domain + 1), 2))
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
            own.bind(("127.0.0.1", 0))
            bound = _bound_ports()
            return own.getsockname()[1] not in bound or not bound.isdisjoint(ports)  # where it is not, nothing is told
    except OSError:
        return True


def _bound_ports() -> set[int]:
    """Return the UDP ports that the system tells to be bound here."""
    rows = [row for table in _SOCKETS if table.exists() for row in table.read_text().splitlines()[1:]]
    return {int(row.split()[1].rpartition(":")[2], 16) for row in rows}


@contextlib.contextmanager
def announce(domain: int) -> Iterator[None]:
    """Say while inside that a robot runs or starts on a domain; where no lock can be made, nothing is said."""
    path = _lock(domain)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = path.open("w")
    except OSError:
        yield
        return
    with file:
        fcntl.flock(file, fcntl.LOCK_SH)  # several robots may share a domain
        yield


def announced(domain: int) -> bool:
    """True if somebody on this machine has said that a robot runs or starts on a domain."""
    try:
        with _lock(domain).open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _lock(domain: int) -> Path:
    return runtime_folder() / f"robots-{domain}.lock"
