"""A skill's policy: actor, twin critics and affordance calibration in one file, run in NumPy."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.loading import explained
from fmrl_ros.skills.control import ACTION_SIZE
from fmrl_ros.skills.observation import SIZE, SPECIFICATION

Array = NDArray[np.float32]


class PolicyError(ValueError):
    """A policy file that cannot be used. The message names the file, what is wrong, and what to do."""


def check_sizes(path: Path, observation: object, action: object) -> None:
    """Raise PolicyError if a policy's numbers of observations and of actions are not a skill's.

    Args:
      path: Its file.
      observation: How many it takes, or None if that is not known.
      action: How many it gives, or None if that is not known.
    """
    if observation != SIZE or action != ACTION_SIZE:
        raise PolicyError(
            f"policy {path} maps {observation} observations to {action} actions; a skill needs {SIZE} and "
            f"{ACTION_SIZE}: train it on an environment of fmrl_ros.learning.skills.skill_environment, "
            "such as fmrl/Pick-v0"
        )


@dataclass(frozen=True)
class Layer:
    """Affine map, then layer normalisation if `scale` is given, then ReLU unless it is the last layer."""

    weight: Array
    bias: Array
    scale: Array | None = None
    shift: Array | None = None

    @cached_property
    def affine(self) -> tuple[Array, Array]:
        """Weight, transposed, and bias; before a layer normalisation their outputs have a mean of zero already."""
        weight, bias = self.weight.T, self.bias
        if self.scale is not None:
            weight, bias = weight - weight.mean(1, keepdims=True), bias - bias.mean()
        return np.ascontiguousarray(weight), bias


def _run(layers: tuple[Layer, ...], x: Array) -> Array:
    for layer in layers[:-1]:
        weight, bias = layer.affine
        x = x @ weight
        x += bias
        if layer.scale is not None and layer.shift is not None:
            variance = np.einsum("ij,ij->i", x, x) / x.shape[1]
            x /= np.sqrt(variance + 1e-5)[:, None]
            x *= layer.scale
            x += layer.shift
        np.maximum(x, 0, out=x)
    weight, bias = layers[-1].affine
    return x @ weight + bias


@dataclass(frozen=True)
class Policy:
    """Deterministic actor, twin critics, and Platt calibration.

    Attributes:
      actor: From observation, shape [n, size], to the mean action before tanh, shape [n, 4].
      critics: Two networks, from observation and action to the logit of the actor's probability of success.
      calibration: Slope and offset of the logistic map from the critics' mean logit to the probability of success.
    """

    actor: tuple[Layer, ...]
    critics: tuple[tuple[Layer, ...], tuple[Layer, ...]]
    calibration: tuple[float, float] = (1.0, 0.0)

    def act(self, observations: Array) -> Array:
        """Return the actions, shape [n, 4], in [-1, 1], for observations, shape [n, size]."""
        return np.tanh(_run(self.actor, observations))

    def logit(self, observations: Array, actions: Array | None = None) -> Array:
        """Return the critics' mean logit of the probability that the actor succeeds from each state, shape [n].

        `actions` are its actions there, shape [n, 4], if they are known already.
        """
        inputs = np.concatenate([observations, self.act(observations) if actions is None else actions], -1)
        first, second = (_run(critic, inputs)[:, 0] for critic in self.critics)
        mean: Array = 0.5 * (first + second)
        return mean

    def affordance(self, observations: Array, actions: Array | None = None) -> Array:
        """Return each state's calibrated probability of success, shape [n]; `actions` as for `logit`."""
        slope, offset = self.calibration
        return 1 / (1 + np.exp(-(slope * self.logit(observations, actions) + offset)))

    def save(self, path: Path, **card: Any) -> None:
        """Write the policy with its observation specification; `card` is stored as further metadata."""
        arrays: dict[str, Any] = {"calibration": np.array(self.calibration, np.float64)}
        networks = {"actor": self.actor, "critic0": self.critics[0], "critic1": self.critics[1]}
        for name, layers in networks.items():
            for index, layer in enumerate(layers):
                for part in ("weight", "bias", "scale", "shift"):
                    if getattr(layer, part) is not None:
                        arrays[f"{name}.{index}.{part}"] = getattr(layer, part)
        metadata = json.dumps({"observation": SPECIFICATION, **card})
        np.savez_compressed(path, metadata=np.array(metadata), **arrays)

    @classmethod
    def load(cls, path: Path) -> Policy:
        """Read a policy.

        Raises:
          PolicyError: If the file is missing or cut, lacks a part, or was trained on another observation specification.
        """
        if not path.is_file():
            raise PolicyError(f"no policy at {path}; make it with: fmrl train skill NAME")
        with explained(PolicyError, f"the policy {path}", "restore it, or train it again: fmrl train skill NAME"):
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            specification = json.loads(str(arrays.pop("metadata")))["observation"]
            if specification != SPECIFICATION:
                raise PolicyError(
                    f"policy {path} was trained on observation {specification}, this version has {SPECIFICATION}; "
                    "train it again with: fmrl train skill NAME"
                )
            networks = [_layers(arrays, name) for name in ("actor", "critic0", "critic1")]
            slope, offset = arrays["calibration"]
            return cls(networks[0], (networks[1], networks[2]), (float(slope), float(offset)))


def _layers(arrays: dict[str, Any], name: str) -> tuple[Layer, ...]:
    count = len({key.split(".")[1] for key in arrays if key.startswith(f"{name}.")})
    if not count:
        raise KeyError(name)
    return tuple(
        Layer(
            arrays[f"{name}.{i}.weight"],
            arrays[f"{name}.{i}.bias"],
            arrays.get(f"{name}.{i}.scale"),
            arrays.get(f"{name}.{i}.shift"),
        )
        for i in range(count)
    )
