"""Actor and value function out of an ONNX file."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.loading import in_one_line
from fmrl_ros.skills.control import ACTION_SIZE
from fmrl_ros.skills.observation import SIZE
from fmrl_ros.skills.policy import PolicyError, check_sizes

Array = NDArray[np.float32]
SUPPORTED = f"supported: one input [n, {SIZE}], an output [n, {ACTION_SIZE}] and, if there is a value, another [n, 1]"
_PRECISIONS: dict[str, Any] = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16}


def load_onnx(path: Path) -> tuple[Callable[[Array], Array], Callable[[Array], Array] | None]:
    """Return the actor and, if there is a second output, the value function of a network.

    Its input has shape [n, SIZE], its outputs [n, 4] and [n] or [n, 1]. A fixed n is fed in pieces of that size.
    Observations are converted to its precision: single, double or half.

    Raises:
      PolicyError: If ONNX Runtime is not installed, or the file cannot be read or has other inputs or outputs.
    """
    try:
        runtime: Any = importlib.import_module("onnxruntime")
    except ImportError as error:
        raise PolicyError(f"policy {path} needs ONNX Runtime; install it: pip install 'fmrl_ros[onnx]'") from error
    try:
        session = runtime.InferenceSession(str(path), providers=runtime.get_available_providers())
    except Exception as error:  # it raises its own kinds
        raise PolicyError(f"policy {path} is no ONNX file that can be read ({in_one_line(error)})") from error
    (entry, *more), outputs = session.get_inputs(), session.get_outputs()
    if more:
        names = ", ".join(i.name for i in (entry, *more))
        raise PolicyError(f"policy {path} has the inputs {names}, a skill's has one and no memory; {SUPPORTED}")
    if len(entry.shape) != 2 or entry.type not in _PRECISIONS:
        raise PolicyError(f"policy {path} has an input {entry.type} of shape {entry.shape}; {SUPPORTED}")
    check_sizes(path, _size(entry.shape, SIZE), _size(outputs[0].shape, ACTION_SIZE))
    batch = entry.shape[0] if isinstance(entry.shape[0], int) else None
    precision = _PRECISIONS[entry.type]

    def output(name: str) -> Callable[[Array], Array]:
        def once(rows: Array) -> Array:
            result: Array = session.run([name], {entry.name: rows.astype(precision)})[0]
            return result

        return lambda observations: np.asarray(in_batches(once, observations, batch), np.float32)

    actor = output(outputs[0].name)
    if len(outputs) == 1:
        return actor, None
    value = output(outputs[1].name)
    return actor, lambda observations: value(observations).reshape(len(observations))


def in_batches(network: Callable[[Array], Array], rows: Array, size: int | None) -> Array:
    """Return a network's results for rows, shape [n, k], where it takes only `size` rows at a time; None for any.

    The last batch is filled up with zeros, and their results are left out.
    """
    if size is None or len(rows) == size:
        return network(rows)
    results = []
    for first in range(0, max(len(rows), 1), size):
        some = rows[first : first + size]
        full = np.zeros((size, rows.shape[1]), rows.dtype)
        full[: len(some)] = some
        results.append(network(full)[: len(some)])
    return np.concatenate(results)


def _size(shape: list[Any], otherwise: int) -> int:
    """Return the last size of a shape, or `otherwise` if the file leaves it open."""
    return shape[-1] if shape and isinstance(shape[-1], int) else otherwise
