"""From a Stable-Baselines3 model to a policy that runs in NumPy."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.policies import ContinuousCritic
from stable_baselines3.sac.policies import Actor
from torch import nn

from fmrl_ros.skills.policy import Layer, Policy


def export(actor: Actor, critic: ContinuousCritic, calibration: tuple[float, float] = (1.0, 0.0)) -> Policy:
    """Return a SAC actor and its twin critics as a `Policy`."""
    first, second = (_layers(network) for network in critic.q_networks)
    return Policy(_layers([*actor.latent_pi, actor.mu]), (first, second), calibration)


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
