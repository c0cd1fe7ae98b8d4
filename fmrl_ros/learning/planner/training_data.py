"""The YAML files beside this module that instructions are generated from. They are not installed with the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent


class TrainingDataError(ValueError):
    """A file that instructions are generated from is missing; the message says which, and what to do."""


def training_file(name: str) -> Path:
    """Return the path of a file of training data.

    Raises:
      TrainingDataError: If it is not there, as in an installed package.
    """
    path = FOLDER / name
    if not path.is_file():
        raise TrainingDataError(
            f"training data {path} is missing: it is not installed with the package, so training and its benchmarks run"
            " from a source checkout of fmrl_ros; run 'make env' there, and then this command again"
        )
    return path


@cache
def load_training_data(name: str) -> Any:
    """Return what a YAML file of training data holds. Raises TrainingDataError as `training_file` does."""
    text = training_file(name).read_text(encoding="utf-8")
    return yaml.load(text, Loader=yaml.CSafeLoader)  # the loader in Python takes eight times as long
