"""A real OpenAI-compatible server, ``transformers serve``, with a model from a folder."""

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def served(model: Path, log: Path) -> Iterator[tuple[subprocess.Popen, str]]:
    """Start a server and wait until it answers; yield its process and base URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = Path(sys.executable).with_name("transformers")
    arguments = ["serve", str(model), "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    with log.open("w") as output:
        process = subprocess.Popen([command, *arguments], stdout=output, stderr=subprocess.STDOUT)
        try:
            _wait(f"http://127.0.0.1:{port}/health", process)
            yield process, f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()
            process.wait()


def _wait(url: str, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.5)
    raise TimeoutError(url)
