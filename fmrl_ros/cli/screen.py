"""Where a command's answers are printed: wrapped on a terminal, and one line a fact in a pipe or a file."""

from __future__ import annotations

import sys

from rich.console import Console

UNBROKEN = 10_000
"""Columns of what is no terminal: whoever reads there has no edge at which a line must be broken."""


def screen(highlight: bool = False) -> Console:
    """Return a console for standard output; `highlight` colours the numbers in what is printed."""
    return Console(highlight=highlight, width=None if sys.stdout.isatty() else UNBROKEN)
