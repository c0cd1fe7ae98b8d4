"""The `fmrl` command: one function a command, one file a function."""

from __future__ import annotations

import typer

from fmrl_ros import __version__
from fmrl_ros.cache import CacheError
from fmrl_ros.cli import bench, evaluate, train
from fmrl_ros.cli.ask import ask
from fmrl_ros.cli.demo import demo
from fmrl_ros.cli.doctor import doctor
from fmrl_ros.cli.exits import UNUSABLE, show
from fmrl_ros.cli.fetch import fetch
from fmrl_ros.cli.plan import plan
from fmrl_ros.cli.stop import resume, stop
from fmrl_ros.cli.tell import tell
from fmrl_ros.cli.up import up

app = typer.Typer(
    name="fmrl",
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
    """Run the command line."""
    try:
        app()
    except CacheError as error:  # whatever a command may need of the cache
        show(error)
        raise SystemExit(UNUSABLE) from None


if __name__ == "__main__":
    main()
