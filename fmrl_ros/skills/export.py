"""From a Stable-Baselines3 model to a policy that runs in NumPy."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from stable_baselines3 import SAC
from torch import nn

from fmrl_ros.skills.policy import Layer, Policy


def export(model: SAC, calibration: tuple[float, float] = (1.0, 0.0)) -> Policy:
    """Return the model's actor and critics as a `Policy`."""
    actor = _layers([*model.policy.actor.latent_pi, model.policy.actor.mu])
    first, second = (_layers(network) for network in model.policy.critic.q_networks)
    return Policy(actor, (first, second), calibration)


def _layers(modules: Iterable[nn.Module]) -> tuple[Layer, ...]:
    layers: list[Layer] = []
    for module in modules:
        if isinstance(module, nn.Linear):
            layers.append(Layer(_array(module.weight), _array(module.bias)))
        elif isinstance(module, nn.LayerNorm):
            last = layers.pop()
            layers.append(Layer(last.weight, last.bias, _array(module.weight), _array(module.bias)))
        elif not isinstance(module, nn.ReLU):
            raise TypeError(f"cannot export a layer of type {type(module).__name__}; valid: Linear, LayerNorm, ReLU")
    return tuple(layers)


def _array(parameter: nn.Parameter) -> NDArray[np.float32]:
    return parameter.detach().cpu().numpy().astype(np.float32)
