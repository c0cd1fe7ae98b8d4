"""``fmrl fetch``: get the language model's weights now instead of at the first run."""

from __future__ import annotations

import typer

from fmrl_ros.cache import cache_folder
from fmrl_ros.cli.screen import screen
from fmrl_ros.cli.weights_progress import prefetch


def fetch(
    model: str = typer.Argument("smollm2", help="Name of the model."),
) -> None:
    """Fetch a language model's weights into the cache."""
    from fmrl_ros.cli.exits import refuse
    from fmrl_ros.language.weights import SOURCES
    from fmrl_ros.plugins import UnknownNameError

    if model not in SOURCES:
        refuse(UnknownNameError("language model", model, SOURCES))
    console = screen()
    prefetch(f"local:{model}", "tabletop", console)
    console.print(f"{model} is in {cache_folder(f'models/{model}')}", soft_wrap=True)
