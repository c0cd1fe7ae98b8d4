"""The value that was given for a node's parameter, as the kind of value that the parameter has.

ROS reads parameters as YAML, which takes what has no quotes for what it looks like: ``1`` for a number, ``y`` for true.
"""

from __future__ import annotations

import array
import json
import math
from collections.abc import Callable
from typing import Any


class ParameterError(ValueError):
    """A parameter was given a value of another kind; names the parameter, what it must be and what it was given."""


def parameter_value(name: str, given: Any, default: Any) -> Any:
    """Return what was given for a parameter, as the kind of value that its default is.

    A whole number is taken for a float, a float without a fraction for a whole number, and a whole number for the text
    of its digits. What YAML may have changed is not taken for text: ``1e5`` comes as 100000.0.

    Args:
      name: The parameter.
      given: Its value as ROS has read it.
      default: A bool, an int, a finite float, a text, or a list of texts.

    Raises:
      ParameterError: If it is of another kind, or a number that is not finite.
    """
    wanted, taken = _KINDS[type(default)]
    value = taken(given)
    if value is not None:
        return value
    if wanted == _TEXT and isinstance(given, bool | float):
        raise ParameterError(
            f"parameter '{name}' must be text, not {_shown(given)}: YAML reads 1e5 without quotes as a number, y and "
            f"no as true and false; quote it: -p \"{name}:='TEXT'\""
        )
    raise ParameterError(
        f"parameter '{name}' must be {wanted}, not {_shown(given)}; for example {name}:={json.dumps(default)}"
    )


def _bool(given: Any) -> bool | None:
    return given if isinstance(given, bool) else None


def _float(given: Any) -> float | None:
    number = isinstance(given, int | float) and not isinstance(given, bool)
    return float(given) if number and math.isfinite(given) else None


def _int(given: Any) -> int | None:
    number = _float(given)
    return int(given) if number is not None and number.is_integer() else None


def _text(given: Any) -> str | None:
    if isinstance(given, str):
        return given
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else None


def _texts(given: Any) -> list[str] | None:
    found = [_text(each) for each in given] if isinstance(given, list | tuple | array.array) else [None]
    texts = [each for each in found if each is not None]
    return texts if len(texts) == len(found) else None


_TEXT = "text"
_KINDS: dict[type, tuple[str, Callable[[Any], Any]]] = {
    bool: ("true or false", _bool),
    int: ("a whole number", _int),
    float: ("a number", _float),
    str: (_TEXT, _text),
    list: ("a list of texts", _texts),
}
"""By the kind of a default: what a value must be, and a function that returns it so, or None if it is not."""


def _shown(given: Any) -> str:
    """Return a value as one writes it in YAML."""
    return json.dumps(list(given) if isinstance(given, tuple | array.array) else given, default=str)
