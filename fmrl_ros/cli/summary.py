"""The last words of a run: how it ended, and where its files are."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fmrl_ros.recording.run import Run
from fmrl_ros.recording.run_folder import RunFolder

MEANING = {
    "video.mp4": "what the camera saw, with the monologue",
    "scores.png": "every decision as bars",
    "monologue.md": "the monologue with its score tables",
    "steps.jsonl": "every decision, one JSON object a line",
    "result.json": "everything in numbers",
    "truth.json": "true object poses at the end, by the simulation",
    "recording.mcap": "the ROS 2 messages; opens in Foxglove",
    "logs": "one log a node",
}


def print_outcome(run: Run, console: Console) -> None:
    """Print how a run ended, and why unless the last line of the monologue has said so."""
    words, colour = {True: ("Succeeded", "green"), False: ("Not done", "red"), None: ("Cut short", "red")}[run.success]
    console.print()
    console.print(
        Text.assemble((words, f"bold {colour}"), "" if run.reason_said else f": {run.reason}"), soft_wrap=True
    )


def print_files(folder: RunFolder, problems: list[str], console: Console) -> None:
    """Print where a run's files are, which there are, and what could not be written."""
    console.print(Text(str(_near(folder.path)), style="bold"), soft_wrap=True)
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, meaning in MEANING.items():
        if _is_there(folder.path / name):
            table.add_row(f"  {name}", Text(meaning, style="dim"))
    console.print(table)
    for problem in problems:
        console.print(Text(f"could not be written: {problem}", style="yellow"), soft_wrap=True)


def _is_there(path: Path) -> bool:
    """True for a folder, and for a file with something in it: a full disk leaves empty ones."""
    return path.is_dir() or (path.is_file() and path.stat().st_size > 0)


def _near(path: Path) -> Path:
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path
