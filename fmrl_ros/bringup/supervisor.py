"""Runs the nodes of a graph as processes of this machine, where ROS's own launcher is not installed."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from fmrl_ros.bringup.environment import prepare
from fmrl_ros.bringup.graph import NodeSpec
from fmrl_ros.bringup.parameter_file import write_parameters
from fmrl_ros.bringup.presence import announce

READY_FD = "FMRL_READY_FD"
"""Environment variable with the file descriptor on which a node says how far it is: a line of `CONFIGURED`, then one of
`READY`; or why it is not."""
START_FD = "FMRL_START_FD"
"""Environment variable with the file descriptor on which a configured node is told to activate."""
CONFIGURED, READY = "configured", "ready"

CRASHES = frozenset({signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE})
"""What ends a process in which native code has failed, such as that of DDS or of a graphics driver."""
_FATAL = re.compile(r"^Fatal Python error: (?P<what>.+?)(?:\n.*?^  (?P<where>File .+?))?$", re.MULTILINE | re.DOTALL)
"""What `faulthandler` writes: the error, then every thread's stack, innermost call first."""

_logger = logging.getLogger(__name__)


class GraphError(RuntimeError):
    """A node did not start or has died; the message names it and says where its log is."""


@dataclass(frozen=True)
class Death:
    """A node's process that has ended on its own: its exit code (negative: the signal), and the end of its log."""

    name: str
    code: int
    last_words: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.name} {self.how}" + (f": {self.last_words}" if self.last_words else "")

    @property
    def how(self) -> str:
        """What became of the process, as what it did."""
        return f"was ended by {signal.Signals(-self.code).name}" if self.code < 0 else f"ended with code {self.code}"


class Supervisor:
    """Starts nodes, waits until each is ready, notices deaths, and ends them all without leaving a process behind.

    Use as a context manager. Nodes are configured side by side and activated together, as Nav2's lifecycle manager
    does: until then no camera and no simulation takes processor time from those that load their models. A node is
    ready when its process has said so (`READY_FD`), after which it serves. One that crashes in native code before it is
    configured is started once more, with a warning: nothing has moved by then.
    """

    def __init__(
        self, specs: Sequence[NodeSpec], logs: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        """Describe what to run.

        Args:
          specs: The nodes; executable ``x`` runs as ``python -m fmrl_ros.nodes.x``.
          logs: Folder for a log a node; a new temporary one if None.
          environment: Variables on top of this process's own.
        """
        prepare()
        self.specs = tuple(specs)
        self.logs = logs or Path(tempfile.mkdtemp(prefix="fmrl-logs-"))
        self.logs.mkdir(parents=True, exist_ok=True)
        self._environment = {**os.environ, **(environment or {})}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._ready: dict[str, int] = {}
        self._start_signals: dict[str, int] = {}
        self._configured: set[str] = set()
        self._reported: set[str] = set()
        self._served: set[str] = set()
        self._crashed: set[str] = set()
        self._log_starts: dict[str, int] = {}
        self._presence = contextlib.ExitStack()

    def __enter__(self) -> Supervisor:
        """Start the processes."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End them."""
        self.stop()

    @property
    def pids(self) -> dict[str, int]:
        """Process ids of the nodes that run, by name with namespace."""
        return {name: process.pid for name, process in self._processes.items() if process.poll() is None}

    def log(self, name: str) -> Path:
        """Return the path of a node's log."""
        return self.logs / f"{name}.log"

    def start(self) -> None:
        """Start every node's process."""
        self._presence.enter_context(announce(int(self._environment.get("ROS_DOMAIN_ID") or 0)))
        try:
            for spec in self.specs:
                self._start(spec)
        except BaseException:
            self.stop()
            raise

    def wait_ready(self, timeout: float = 120.0) -> None:
        """Wait until every node serves.

        Raises:
          GraphError: If one fails, dies, or is not ready within `timeout` seconds.
        """
        deadline = time.monotonic() + timeout
        self._wait_for(CONFIGURED, self._configured, deadline, timeout)
        for descriptor in self._start_signals.values():
            os.close(descriptor)  # which the node reads as the end of the file
        self._start_signals.clear()
        self._wait_for(READY, self._served, deadline, timeout)

    def _wait_for(self, word: str, reached: set[str], deadline: float, timeout: float) -> None:
        """Wait until every node has written `word`, and add each to those that have reached it."""
        waiting = set(self._ready) - reached
        with selectors.DefaultSelector() as selector:
            for name in waiting:
                selector.register(self._ready[name], selectors.EVENT_READ, name)
            while waiting:
                for key, _ in selector.select(max(0.0, min(0.2, deadline - time.monotonic()))):
                    words = os.read(key.fd, 4096).decode(errors="replace").strip()
                    if words == word:
                        reached.add(key.data)
                        waiting.discard(key.data)
                    elif words or word != CONFIGURED or not self._may_start_again(key.data):
                        raise GraphError(self._why_not_ready(key.data, words))
                    selector.unregister(key.fd)
                    if key.data in waiting:
                        self.restart(key.data)
                        selector.register(self._ready[key.data], selectors.EVENT_READ, key.data)
                if waiting and time.monotonic() > deadline:
                    names = ", ".join(sorted(waiting))
                    raise GraphError(f"not {word} after {timeout:.0f} s: {names}; logs in {self.logs}")

    def deaths(self) -> list[Death]:
        """Return the nodes that have ended on their own since the last call."""
        found = []
        for name, process in self._processes.items():
            code = process.poll()
            if code is not None and name not in self._reported:
                self._reported.add(name)
                found.append(Death(name, code, self._last_words(name)))
        return found

    def kill(self, name: str) -> None:
        """Kill one node without warning, as the kernel would. For tests of what the others do then."""
        self._processes[name].kill()
        self._processes[name].wait()

    def restart(self, name: str) -> None:
        """Start a node again that has ended; `wait_ready` then waits for it."""
        self._served.discard(name)
        self._configured.discard(name)
        self._reported.discard(name)
        os.close(self._ready.pop(name))
        if name in self._start_signals:
            os.close(self._start_signals.pop(name))
        self._start(next(spec for spec in self.specs if spec.path == name))

    def request_end(self) -> None:
        """Ask every node to end, the last first, and do not wait; `stop` does."""
        for process in reversed(self._processes.values()):
            if process.poll() is None:
                process.send_signal(signal.SIGINT)

    def stop(self, patience: float = 8.0) -> dict[str, int]:
        """Ask every node to end, wait, and kill what is left after `patience` seconds.

        Returns:
          Exit codes by name with namespace.
        """
        for signal_number, share in ((signal.SIGINT, 0.75), (signal.SIGTERM, 0.25)):
            alive = [process for process in self._processes.values() if process.poll() is None]
            for process in reversed(alive):
                process.send_signal(signal_number)
            deadline = time.monotonic() + patience * share
            for process in alive:
                try:
                    process.wait(max(0.01, deadline - time.monotonic()))
                except subprocess.TimeoutExpired:
                    continue
        for process in self._processes.values():
            if process.poll() is None:
                process.kill()
            process.wait()
        self._reported.update(self._processes)
        for descriptor in (*self._ready.values(), *self._start_signals.values()):
            os.close(descriptor)
        self._ready.clear()
        self._start_signals.clear()
        self._presence.close()
        return {name: process.returncode for name, process in self._processes.items()}

    def _start(self, spec: NodeSpec) -> None:
        reader, writer = os.pipe()
        start_reader, start_writer = os.pipe()
        parameters = write_parameters(spec, self.logs)
        command = [sys.executable, "-m", f"fmrl_ros.nodes.{spec.executable}", *spec.robots, "--ros-args", "-r"]
        command += [f"__node:={spec.name}", "--params-file", str(parameters)]
        if spec.namespace:
            command += ["-r", f"__ns:=/{spec.namespace}"]
        for old, new in spec.remaps.items():
            command += ["-r", f"{old}:={new}"]
        try:
            with self.log(spec.path).open("ab") as log:
                self._log_starts[spec.path] = log.tell()
                self._processes[spec.path] = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env={
                        **self._environment,
                        READY_FD: str(writer),
                        START_FD: str(start_reader),
                        "PYTHONUNBUFFERED": "1",
                    },
                    pass_fds=(writer, start_reader),
                    start_new_session=True,
                )
        except BaseException:
            os.close(reader)
            os.close(start_writer)
            raise
        finally:
            os.close(writer)
            os.close(start_reader)
        self._ready[spec.path], self._start_signals[spec.path] = reader, start_writer

    def _why_not_ready(self, name: str, words: str) -> str:
        if words.startswith("failed "):
            return f"{name} did not start: {words.removeprefix('failed ')}"
        death = self._death(name)
        how = death.last_words or death.how if death else words
        return f"{name} died while starting: {how} (log: {self.log(name)})"

    def _may_start_again(self, name: str) -> bool:
        """Tell whether a node that has closed its pipe has crashed for the first time, and warn if it has."""
        death = self._death(name)
        if death is None or -death.code not in CRASHES or name in self._crashed:
            return False
        self._crashed.add(name)
        _logger.warning("%s; it is started once more (log: %s)", death, self.log(name))
        return True

    def _death(self, name: str) -> Death | None:
        """Return how a node ended that has closed its pipe, or None if its process lives on."""
        try:
            return Death(name, self._processes[name].wait(5.0), self._last_words(name))
        except subprocess.TimeoutExpired:
            return None

    def _last_words(self, name: str) -> str:
        """Return what a node's log says last: the error and its place if native code failed, else the last line."""
        with self.log(name).open("rb") as file:
            file.seek(self._log_starts[name])
            log = file.read().decode(errors="replace").strip()
        fatal = [found.groupdict() for found in _FATAL.finditer(log)]
        if fatal:
            return " in ".join(filter(None, fatal[-1].values()))
        return log.rpartition("\n")[2]
