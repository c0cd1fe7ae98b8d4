"""Fetches a language model's weights before anything else starts, with a progress bar."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from fmrl_ros.cli.checks import full_model_name
from fmrl_ros.cli.exits import refuse


def prefetch(name: str, world: str, console: Console) -> None:
    """Fetch and convert the weights that a language model's name needs, if the cache lacks them.

    Exits with 2 if they cannot be had.
    """
    from fmrl_ros.cache import CacheError, cache_folder
    from fmrl_ros.language.weights import SOURCES, WeightsError, model_and_adapter, model_folder

    if "|" in name:
        for each in name.split("|", 1):
            prefetch(each.strip(), world, console)
        return
    kind, _, rest = full_model_name(name, world).partition(":")
    model = model_and_adapter(rest)[0]
    if kind != "local" or model not in SOURCES or cache_folder(f"models/{model}").is_dir():
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as bars:
        bar = bars.add_task(f"language model {model}", total=1.0)
        try:
            model_folder(model, lambda doing, share: bars.update(bar, description=doing, completed=share))
        except (CacheError, WeightsError) as error:
            refuse(error)
