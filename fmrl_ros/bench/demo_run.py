"""One run of ``fmrl demo`` as a process of its own, timed from its command until the prompt is back."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from fmrl_ros.bench.provenance import ROOT

PROGRAM = "from fmrl_ros.cli.main import main; main()"

LIMIT = 600.0
"""Seconds after which a run is ended; starting may take half of them."""

ENDING = 60.0
"""Seconds that a run which is told to end may take to stop its robot."""

LEFT_OUT = ("ROS_DOMAIN_ID", "FORCE_COLOR", "TTY_COMPATIBLE")
"""Variables that the processes do not inherit."""

LINE = re.compile(r"\s*\d+\.\d s  \w+: ")
STEP = re.compile(r"\s*decision \d+\s*$")
"""How ``fmrl demo`` shows a line of the monologue, and a step."""


class DemoError(RuntimeError):
    """A checkout's demo cannot be run; the message says why."""


@dataclass(frozen=True)
class Checkout:
    """Source whose demo is run.

    Attributes:
      root: Folder that holds ``fmrl_ros``.
      search: Folders that Python searches before the installed packages.
    """

    root: Path
    search: Sequence[Path]

    def environment(self) -> dict[str, str]:
        """Return the variables of its processes: output without colours, and a free ROS domain for each run."""
        inherited = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
        return inherited | {"PYTHONPATH": os.pathsep.join(map(str, self.search))}


THIS = Checkout(ROOT, (ROOT,))
"""The source that runs now."""


@contextmanager
def checkout(root: Path) -> Iterator[Checkout]:
    """Prepare another checkout: its planners and backends are found by its own ``setup.py``, whatever is installed.

    Raises:
      DemoError: If there is none.
    """
    root = root.resolve()
    with tempfile.TemporaryDirectory(prefix="fmrl-bench-") as folder:
        describe = [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", folder]
        try:
            subprocess.run(describe, cwd=root, check=True, capture_output=True, text=True, timeout=120)
        except subprocess.CalledProcessError as error:
            raise DemoError(f"{root} is no checkout of fmrl_ros: {_last_line(error.stderr)}") from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DemoError(f"{root} is no checkout of fmrl_ros: {error}") from error
        yield Checkout(root, (Path(folder), root))


@dataclass(frozen=True)
class DemoRun:
    """What came of a run, and when it showed what, in seconds since its command; NaN for what it did not show.

    Attributes:
      success: What the robot believes.
      reason: How it ended, in words.
      steps: Number of decisions.
      first_line: The first line of the monologue.
      first_step: The first step, with the scores of its options.
      prompt: The process has ended.
      moving: Not a moment but how long skills were executed, in all, in seconds of the robot's clock.
    """

    success: bool
    reason: str
    steps: int
    first_line: float
    first_step: float
    prompt: float
    moving: float


def run_demo(source: Checkout, arguments: Sequence[str], folder: Path) -> DemoRun:
    """Run the demo, and end it after `LIMIT` seconds.

    Args:
      source: Whose demo.
      arguments: Of the command; files that they name must be absolute.
      folder: Where the run leaves its files.
    """
    command = [sys.executable, "-c", PROGRAM, "demo", *arguments, "--out", str(folder)]
    with tempfile.TemporaryDirectory(prefix="fmrl-bench-") as empty, tempfile.TemporaryFile("w+") as errors:
        began = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=empty,  # Python searches it before everything else
            env=source.environment(),
            stdout=subprocess.PIPE,
            stderr=errors,
            encoding="utf-8",
            errors="replace",
        )
        output = _Output(process.stdout, began)
        prompt = _wait(process, began)
        output.join()
        errors.seek(0)
        return _described(output, prompt, _result(folder / "result.json"), _last_line(errors.read()))


@dataclass
class _Output:
    """Reads a process's output as it comes, and notes when it showed what."""

    lines: IO[str] | None
    began: float
    first_line: float = math.nan
    first_step: float = math.nan
    _thread: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Wait until all has been read; a node that was left behind may hold the pipe open."""
        self._thread.join(5.0)

    def _read(self) -> None:
        for text in self.lines or ():
            now = time.monotonic() - self.began
            if math.isnan(self.first_line) and LINE.match(text):
                self.first_line = now
            if math.isnan(self.first_step) and STEP.match(text):
                self.first_step = now


def _wait(process: subprocess.Popen[str], began: float) -> float:
    """Return the seconds until the process has ended; after `LIMIT`, and when this process is to end, it is ended."""
    try:
        process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        pass
    finally:
        _end(process)
    return time.monotonic() - began


def _end(process: subprocess.Popen[str]) -> None:
    """Tell a process that still runs to end, and kill it if it does not."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(ENDING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _result(path: Path) -> Mapping[str, Any]:
    """Return what the run says of itself; nothing if it has not come so far."""
    try:
        result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return result
    except (OSError, ValueError):
        return {}


def _described(output: _Output, prompt: float, result: Mapping[str, Any], complaint: str) -> DemoRun:
    shown = output.first_line, output.first_step, prompt
    if not result:
        return DemoRun(False, f"no outcome: {complaint}", 0, *shown, math.nan)
    outcome = result["believed_outcome"]
    reason, steps = str(outcome["reason"]), len(result["steps"])
    return DemoRun(bool(outcome["success"]), reason, steps, *shown, time_moving(result))


def time_moving(result: Mapping[str, Any]) -> float:
    """Return the sum of the executed skills' durations, s, from a run's ``result.json``.

    A skill lasts from the line in which the robot names it to the next line or step, its judgement included.
    """
    stamps = sorted([step["time"] for step in result["steps"]] + [line["time"] for line in result["monologue"]])
    starts = [line["time"] for line in result["monologue"] if line["speaker"] == "Robot"]
    ends = (next((stamp for stamp in stamps if stamp > start), start) for start in starts)
    return float(sum(end - start for start, end in zip(starts, ends, strict=True)))


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"
