"""Exit codes of every command, and the way out when something is missing."""

from __future__ import annotations

from typing import NoReturn

import typer
from rich.console import Console

SUCCEEDED, FAILED, UNUSABLE = 0, 1, 2
"""It worked as far as can be told; it did not; bad usage or environment."""

errors = Console(stderr=True, highlight=False)


def refuse(problem: object) -> NoReturn:
    """Print what is wrong with the usage or the environment, and exit with 2."""
    _end(problem, UNUSABLE)


def fail(problem: object) -> NoReturn:
    """Print what went wrong, and exit with 1."""
    _end(problem, FAILED)


def _end(problem: object, code: int) -> NoReturn:
    errors.print(f"[bold red]error:[/] {_plain(str(problem))}", soft_wrap=True)
    raise typer.Exit(code)


def _plain(text: str) -> str:
    """Keep rich from taking brackets in a message for markup."""
    return text.replace("[", "\\[")
