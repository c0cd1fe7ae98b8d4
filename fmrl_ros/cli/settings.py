"""A training's hyperparameters on the command line, KEY=VALUE each."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import typer

from fmrl_ros.cli.exits import refuse
from fmrl_ros.plugins import UnknownNameError

T = TypeVar("T")

Settings = Annotated[list[str] | None, typer.Option("--set", help="A hyperparameter, KEY=VALUE.")]


OPTIONS = ("device", "world")
"""Hyperparameters that have options of their own."""


def apply_settings(config: T, settings: Sequence[str] | None) -> T:
    """Return a configuration, a dataclass, with what `settings` change in it; or end with what can be set.

    Several values are separated by commas; ``none`` is no value where that is possible.
    """
    from pydantic import ValidationError  # slow to import

    kinds = get_type_hints(type(config))
    before: Any = config
    known = {
        field.name: getattr(before, field.name)
        for field in fields(before)
        if not is_dataclass(kinds[field.name]) and field.name not in OPTIONS
    }
    values = {}
    for setting in settings or ():
        key, _, text = setting.partition("=")
        if key not in known:
            refuse(
                UnknownNameError(
                    "hyperparameter", key, [f"{name}={_format_value(value)}" for name, value in known.items()]
                )
            )
        try:
            values[key] = _parse_value(kinds[key], text)
        except ValidationError:
            refuse(f"--set {setting}: '{text}' is no {inspect.formatannotation(kinds[key])}")
    try:
        result: T = replace(before, **values)
    except ValueError as error:
        refuse(error)
    return result


def _parse_value(kind: Any, text: str) -> Any:
    from pydantic import TypeAdapter

    if text == "none" and NoneType in get_args(kind):
        return None
    several = get_origin(kind) is tuple
    return TypeAdapter(kind).validate_python(text.split(",") if several and text else () if several else text)


def _format_value(value: object) -> str:
    """Return a value as the command line takes it."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else "none" if value is None else str(value)
