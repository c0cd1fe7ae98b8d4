"""Exit codes of every command, and the way out when something is missing."""

from __future__ import annotations

from typing import NoReturn

import typer
from rich.console import Console
from rich.text import Text

SUCCEEDED, FAILED, UNUSABLE = 0, 1, 2
"""It worked as far as can be told; it did not; bad usage or environment."""

errors = Console(stderr=True, highlight=False)


def refuse(problem: object) -> NoReturn:
    """Print what is wrong with the usage or the environment, and exit with 2."""
    _end(problem, UNUSABLE)


def fail(problem: object) -> NoReturn:
    """Print what went wrong, and exit with 1."""
    _end(problem, FAILED)


def show(problem: object) -> None:
    """Print an error as it is: brackets in it are no markup."""
    errors.print(Text.assemble(("error:", "bold red"), f" {problem}"), soft_wrap=True)


def _end(problem: object, code: int) -> NoReturn:
    show(problem)
    raise typer.Exit(code)
