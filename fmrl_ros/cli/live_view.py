"""What a person sees while the robot works: every decision as a small table, the monologue line by line."""

from __future__ import annotations

import math
from types import TracebackType

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fmrl_ros.planning.monologue import DETAILS
from fmrl_ros.recording.run import TimedLine, TimedStep

TOP = 5
SPEAKERS = {
    "Human": "yellow",
    "Robot": "cyan",
    "Scene": "magenta",
    "Success": "green",
    "Question": "bright_yellow",
    "Planner": "bright_red",
}


class LiveView:
    """Prints to a console; a spinner below says what is going on. Use as a context manager.

    Args:
      console: Where to.
      verbose: True to print what is long, too.
    """

    def __init__(self, console: Console, verbose: bool = False) -> None:
        self.console, self._verbose = console, verbose
        self._status = console.status("starting")

    def __enter__(self) -> LiveView:
        self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._status.stop()

    def status(self, text: str) -> None:
        """Say what is going on."""
        self._status.update(Text(text))

    def line(self, timed: TimedLine) -> None:
        """Print a line of the monologue."""
        speaker = timed.line.speaker
        if speaker == DETAILS and not self._verbose:
            return
        text = Text.assemble(
            (f"{timed.stamp:7.1f} s  ", "dim"), (f"{speaker}: ", f"bold {SPEAKERS.get(speaker, '')}"), timed.line.text
        )
        self.console.print(text, soft_wrap=True)
        if speaker == "Question":
            self._status.stop()  # what is typed now would be painted over
        else:
            self._status.start()

    def step(self, timed: TimedStep) -> None:
        """Print a decision: the best candidates, the chosen one marked."""
        table = Table(title=f"decision {timed.step.index + 1}", title_justify="left", title_style="dim", box=None)
        table.add_column("option", min_width=35, no_wrap=True)
        for name in ("LLM", "affordance", "product"):
            table.add_column(name, justify="right", min_width=7)
        table.add_column("", no_wrap=True)
        chosen = timed.step.chosen
        shown = list(timed.step.candidates[:TOP])
        shown += [c for c in timed.step.candidates[TOP:] if c.skill == chosen]
        for c in shown:
            mine = c.skill == chosen
            numbers = (_number(math.exp(c.llm)), f"{c.affordance:.2f}", _number(c.product))
            table.add_row(c.skill.phrase, *numbers, "◀ chosen" if mine else "", style="bold green" if mine else "")
        if chosen is None:
            table.caption = "nothing is good enough"
        self.console.print()
        self.console.print(table)


def _number(value: float) -> str:
    return f"{value:.3f}" if value >= 0.0005 or value == 0 else f"{value:.0e}"
