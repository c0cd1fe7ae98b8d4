"""A switch beside the command gate that stops the robot at once: a local socket, which needs no discovery.

Whoever may write to the socket, the user who runs the robot, stops it by connecting and sending `STOP`. The answer has
two lines: that the gate refuses commands now, and whether the arm stands. `RESUME` lets the robot move again. Robots on
other machines, and those whose drivers offer no switch, are stopped by the service ``stop``.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

from fmrl_ros.runtime_folder import runtime_folder

STOP, RESUME = b"stop\n", b"resume\n"
STOPPED, RESUMED = "stopped", "resumed"
STANDS, MOVES = "the arm stands", "the arm still moves"
STANDSTILL_SPEED = 0.02
"""A joint that moves more slowly is at rest, rad/s."""
STANDSTILL_TIMEOUT = 2.0
"""A stopped arm that moves for longer is said to move still, s."""
_POLL_PERIOD = 0.005
"""So often is looked whether the arm stands, s."""
_CLIENT_TIMEOUT = 1.0
"""Who connects must say what it wants within so long, s."""


def switch_path(domain: str, namespace: str = "") -> Path:
    """Return the socket of a robot.

    Args:
      domain: ROS domain, as ``ROS_DOMAIN_ID`` gives it; empty for 0.
      namespace: Of the robot.
    """
    robot = namespace.strip("/").replace("/", ".") or "robot"
    return runtime_folder() / f"stop-{domain or '0'}-{robot}.sock"


class StopSwitch:
    """Listens on a robot's socket from `open` to `close`.

    Args:
      path: Of the socket; see `switch_path`.
      stop: Stops the robot at once, until it is let go on; called from a thread of the switch.
      resume: Lets it go on; called from there, too.
      stands: True if every joint of the arm is at rest.
    """

    def __init__(
        self, path: Path, stop: Callable[[], None], resume: Callable[[], None], stands: Callable[[], bool]
    ) -> None:
        self._path, self._stop, self._resume, self._stands = path, stop, resume, stands
        self._server: socket.socket | None = None
        self._thread: threading.Thread | None = None

    def open(self) -> None:
        """Begin to listen; a socket that a killed process has left is replaced.

        Raises:
          OSError: If the socket cannot be made, or its folder is not this user's own.
        """
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._path.parent.stat().st_uid != os.getuid():
            raise PermissionError(f"{self._path.parent} belongs to another user")
        self._path.unlink(missing_ok=True)
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.bind(str(self._path))
        self._path.chmod(0o600)
        server.listen()
        self._server = server
        self._thread = threading.Thread(target=self._listen, args=(server,), name="stop switch")
        self._thread.start()

    def close(self) -> None:
        """Cease to listen."""
        if self._server is None or self._thread is None:
            return
        self._path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)  # wakes the thread
        self._server.close()
        self._thread.join()
        self._server = self._thread = None

    def _listen(self, server: socket.socket) -> None:
        while True:
            try:
                client, _ = server.accept()
            except OSError:  # it was closed
                return
            with client, contextlib.suppress(OSError):  # a client that went away has stopped the robot all the same
                client.settimeout(_CLIENT_TIMEOUT)
                said = client.recv(len(RESUME))
                if said == STOP:
                    self._serve_stop(client)
                elif said == RESUME:
                    self._resume()
                    client.sendall(f"{RESUMED}\n".encode())

    def _serve_stop(self, client: socket.socket) -> None:
        self._stop()
        client.sendall(f"{STOPPED}\n".encode())
        deadline = time.monotonic() + STANDSTILL_TIMEOUT
        while not (stands := self._stands()) and time.monotonic() < deadline:
            time.sleep(_POLL_PERIOD)
        client.sendall(f"{STANDS if stands else MOVES}\n".encode())


def in_words(arm: str) -> str:
    """Return what is said to who has stopped a robot: what its arm does, and that it stays so."""
    return f"the robot has stopped, {arm}; fmrl resume lets it move again"


def press(path: Path) -> str | None:
    """Stop a robot by its switch.

    Returns:
      `STANDS` or `MOVES`; None if there is no switch, or it does not answer.
    """
    lines = _ask(path, STOP)
    return lines[1] if lines[:1] == [STOPPED] and len(lines) == 2 else None


def release(path: Path) -> bool:
    """Let a robot move again by its switch; False if there is none, or it does not answer."""
    return _ask(path, RESUME) == [RESUMED]


def _ask(path: Path, request: bytes) -> list[str]:
    """Return the lines of the switch's answer; none if there is no switch."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.settimeout(STANDSTILL_TIMEOUT + _CLIENT_TIMEOUT)
            client.connect(str(path))
            client.sendall(request)
            return client.makefile().read().splitlines()
    except OSError:
        return []
