"""A progress bar for a training, whatever it calls its progress."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


class TrainingBar:
    """One line: what is going on, how far it is, how long it takes. Without a terminal: a line every half minute."""

    def __init__(self, console: Console, title: str) -> None:
        self._console = console
        self._title = title
        self._said = time.monotonic()
        self._bars = Progress(
            TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn(), console=console
        )
        self._bar = self._bars.add_task(title, total=1.0)

    def __enter__(self) -> TrainingBar:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def show(self, doing: str, share: float) -> None:
        """Say what is going on and the share of it that is done, in [0, 1]."""
        self._bars.update(self._bar, description=f"{self._title}: {doing}", completed=share)
        if not self._console.is_terminal and time.monotonic() - self._said > 30:
            self._said = time.monotonic()
            self._console.print(f"{self._title}: {doing} ({100 * share:.0f} %)")
