"""The `fmrl` command: one function a command, one file a function."""

# ruff: noqa: E402
from __future__ import annotations

import sys

from fmrl_ros.cli.interruption import INTERRUPTED, LAST_WORD, ctrl_c_heard, end_in_one_line

sys.excepthook = end_in_one_line  # Ctrl-C may come while the commands are loaded

import signal
from pathlib import Path

import typer

from fmrl_ros import __version__
from fmrl_ros.cache import CacheError
from fmrl_ros.cli import bench, evaluate, train
from fmrl_ros.cli.ask import ask
from fmrl_ros.cli.demo import demo
from fmrl_ros.cli.doctor import doctor
from fmrl_ros.cli.exits import UNUSABLE, show
from fmrl_ros.cli.fetch import fetch
from fmrl_ros.cli.home_paths import HomePathsGroup
from fmrl_ros.cli.plan import plan
from fmrl_ros.cli.stop import resume, stop
from fmrl_ros.cli.tell import tell
from fmrl_ros.cli.up import up
from fmrl_ros.language.weights import WeightsError
from fmrl_ros.recording.disk import FULL, mount_point

app = typer.Typer(
    name="fmrl",
    cls=HomePathsGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Say a sentence to a robot. Foundation models say what is useful, learned values what is possible.",
)
for command in (demo, up, tell, ask, stop, resume, plan, doctor, fetch):
    app.command()(command)
app.add_typer(train.app, name="train")
app.add_typer(evaluate.app, name="eval")
app.add_typer(bench.app, name="bench")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fmrl_ros {__version__}")
        raise typer.Exit


@app.callback()
def fmrl(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Say a sentence to a robot. Foundation models say what is useful, learned values what is possible."""


def main() -> None:
    """Run the command line. Ctrl-C ends it with `INTERRUPTED`, whatever the command has made of it."""
    with ctrl_c_heard() as ctrl_c:
        try:
            code = _run()
        except KeyboardInterrupt:
            code = INTERRUPTED
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing is left to clean up: the next one ends the process at once
    if ctrl_c.pressed:
        typer.echo(LAST_WORD, err=True)
        code = INTERRUPTED
    raise SystemExit(code)


def _run() -> int | str | None:
    """Run the command line and return its exit code; what any command may meet is said in one line."""
    try:
        app()
    except SystemExit as end:
        return end.code
    except (CacheError, WeightsError) as error:
        show(error)
    except OSError as error:
        if error.errno not in FULL:
            raise
        disk = f"the disk at {mount_point(Path(error.filename))}" if error.filename else "its disk"
        show(f"{error.filename or 'a file'} cannot be written: {disk} is full; make room there")
    return UNUSABLE


if __name__ == "__main__":
    main()
