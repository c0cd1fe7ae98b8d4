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
"""What options of their own are for."""


def changed(config: T, settings: Sequence[str] | None) -> T:
    """Return a configuration, a dataclass, with what `settings` change in it; or end with what can be set.

    Several values are separated by commas; ``none`` is no value where that is possible.
    """
    from pydantic import ValidationError  # takes its time

    kinds = get_type_hints(type(config))
    before: Any = config
    names = [
        field.name for field in fields(before) if not is_dataclass(kinds[field.name]) and field.name not in OPTIONS
    ]
    known = {name: getattr(before, name) for name in names}
    values = {}
    for setting in settings or ():
        key, _, text = setting.partition("=")
        if key not in known:
            refuse(UnknownNameError("hyperparameter", key, [f"{name}={_text(value)}" for name, value in known.items()]))
        try:
            values[key] = _value(kinds[key], text)
        except ValidationError:
            refuse(f"--set {setting}: '{text}' is no {inspect.formatannotation(kinds[key])}")
    try:
        result: T = replace(before, **values)
    except ValueError as error:
        refuse(error)
    return result


def _value(kind: Any, text: str) -> Any:
    from pydantic import TypeAdapter

    if text == "none" and NoneType in get_args(kind):
        return None
    several = get_origin(kind) is tuple
    return TypeAdapter(kind).validate_python(text.split(",") if several and text else () if several else text)


def _text(value: object) -> str:
    """Return a value as it is set."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else "none" if value is None else str(value)
