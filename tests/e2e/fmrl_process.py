"""`fmrl` as a person runs it: a process of its own, with its output and its run folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psutil


def _hear_ctrl_c() -> None:
    """Undo what a shell does to its background jobs: they, and what they start, ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


class FmrlProcess:
    """Runs a command; whatever happens, no process is left behind."""

    def __init__(self, *arguments: str, domain: int | None = None, folder: Path | None = None) -> None:
        """Start ``fmrl`` with arguments, in a ROS domain if one is given; `folder` becomes its ``--out``."""
        self.folder = folder or Path()
        command = [sys.executable, "-m", "fmrl_ros.cli.main", *arguments]
        command += ["--out", str(folder)] if folder else []
        environment = {name: value for name, value in os.environ.items() if name != "ROS_DOMAIN_ID"}
        environment |= {"COLUMNS": "200"} | ({} if domain is None else {"ROS_DOMAIN_ID": str(domain)})
        self._process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
            preexec_fn=_hear_ctrl_c,
        )
        self._lines: list[str] = []
        self._nodes: list[psutil.Process] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> FmrlProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self._nodes += self._children()
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        for node in self.left_over():
            node.kill()
        self._reader.join()

    @property
    def output(self) -> str:
        """What it has printed so far."""
        return "".join(self._lines)

    def wait(self, timeout: float) -> int:
        """Wait for the exit code."""
        try:
            return self._process.wait(timeout)
        finally:
            self._reader.join(2.0)

    def wait_for_output(self, words: str, timeout: float) -> None:
        """Wait until something has been printed."""
        deadline = time.monotonic() + timeout
        while words not in self.output:
            if self._process.poll() is not None:
                self._reader.join(2.0)
                assert words in self.output, f"ended before '{words}':\n{self.output}"
            assert time.monotonic() < deadline, f"no '{words}' within {timeout} s:\n{self.output}"
            time.sleep(0.1)
        self._nodes = self._children()

    def interrupt(self, number: int = signal.SIGINT) -> None:
        """Press Ctrl-C, or send another signal."""
        self._process.send_signal(number)

    def kill_node(self, name: str) -> None:
        """Kill one of its nodes as the kernel would."""
        node = next(p for p in self._children() if f"fmrl_ros.nodes.{name}" in p.cmdline())
        node.kill()

    def left_over(self) -> list[psutil.Process]:
        """Return its nodes that still run."""
        return [node for node in self._nodes if node.is_running() and node.status() != psutil.STATUS_ZOMBIE]

    def json(self, name: str) -> Any:
        """Read one of its outputs."""
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def _children(self) -> list[psutil.Process]:
        try:
            return psutil.Process(self._process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.append(line)
