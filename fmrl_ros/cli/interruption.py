"""Ctrl-C, and being told to end (``kill``, a closing terminal): the robot is always stopped, and the person told."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType

INTERRUPTED = 128 + signal.SIGINT
"""Exit code of a command that Ctrl-C has ended, as shells have it."""
LAST_WORD = "interrupted"


@dataclass
class CtrlC:
    """Whether Ctrl-C was pressed while somebody listened for it."""

    pressed: bool = False


@contextmanager
def ctrl_c_heard() -> Iterator[CtrlC]:
    """Raise KeyboardInterrupt inside on SIGINT, and remember that there was one.

    A script's shell lets the commands that it starts in the background ignore SIGINT; here they hear it all the same,
    because a robot must not go on when somebody interrupts the script.
    """
    heard = CtrlC()

    def interrupt(number: int, frame: object) -> None:
        heard.pressed = True
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield heard
    finally:
        signal.signal(signal.SIGINT, before)


def end_in_one_line(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Show what nobody has caught, as ``sys.excepthook``: for Ctrl-C one line and its exit code, no traceback."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    print(LAST_WORD, file=sys.stderr, flush=True)
    raise SystemExit(INTERRUPTED)


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt inside on SIGTERM and SIGHUP, too; not on what is ignored already (``nohup``)."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    numbers = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let a clean-up finish: a second Ctrl-C inside has no effect."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
