"""The networks of several policies as one module: each row is computed with the weights of its own skill."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from fmrl_ros.skills.policy import Layer, Policy


class StackedNetwork(nn.Module):
    """Networks of the same shape; ReLU between layers, layer normalisation before it where the networks have it."""

    def __init__(self, networks: Sequence[tuple[Layer, ...]]) -> None:
        """Stack `networks`. Raises ValueError if they differ in shape."""
        super().__init__()
        if len({tuple(layer.weight.shape for layer in network) for network in networks}) != 1:
            raise ValueError("policies whose networks differ in shape cannot be stacked; use the device numpy")
        self.normalised: list[bool] = [layer.scale is not None for layer in networks[0]]
        layers = list(zip(*networks, strict=True))
        self.weights = _stacked(layers, lambda layer: layer.weight)
        self.biases = _stacked(layers, lambda layer: layer.bias)
        self.scales = _stacked(layers, lambda layer: _or_ones(layer.scale, layer.bias))
        self.shifts = _stacked(layers, lambda layer: _or_zeros(layer.shift, layer.bias))

    def forward(self, x: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
        """Return the outputs, shape [n, out], of inputs, shape [n, in], through networks `which`, shape [n]."""
        last = len(self.normalised) - 1
        layers = zip(self.weights, self.biases, self.scales, self.shifts, self.normalised, strict=True)
        for index, (weight, bias, scale, shift, normalised) in enumerate(layers):
            x = torch.bmm(weight[which], x.unsqueeze(2)).squeeze(2) + bias[which]
            if normalised:
                x = functional.layer_norm(x, [x.shape[1]]) * scale[which] + shift[which]
            if index < last:
                x = functional.relu(x)
        return x


class PolicyStack(nn.Module):
    """Several policies: actions and affordances at once."""

    def __init__(self, policies: Sequence[Policy]) -> None:
        """Stack `policies`. Raises ValueError if their networks differ in shape."""
        super().__init__()
        self.actor = StackedNetwork([policy.actor for policy in policies])
        self.first = StackedNetwork([policy.critics[0] for policy in policies])
        self.second = StackedNetwork([policy.critics[1] for policy in policies])
        self.calibration = _stack([np.array(policy.calibration, np.float32) for policy in policies])

    def forward(self, observations: torch.Tensor, which: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return actions, shape [n, 4], and affordances, shape [n]."""
        actions = torch.tanh(self.actor(observations, which))
        inputs = torch.cat([observations, actions], 1)
        logit = 0.5 * (self.first(inputs, which) + self.second(inputs, which))[:, 0]
        calibration = self.calibration[which]
        return actions, torch.sigmoid(calibration[:, 0] * logit + calibration[:, 1])


def _stacked(layers: Sequence[Sequence[Layer]], part: Callable[[Layer], np.ndarray]) -> nn.ParameterList:
    """Return for each layer one part of all networks, such as their weights, as one tensor."""
    return nn.ParameterList([_stack([part(layer) for layer in same]) for same in layers])


def _or_ones(array: np.ndarray | None, like: np.ndarray) -> np.ndarray:
    return np.ones_like(like) if array is None else array


def _or_zeros(array: np.ndarray | None, like: np.ndarray) -> np.ndarray:
    return np.zeros_like(like) if array is None else array


def _stack(arrays: Sequence[np.ndarray]) -> nn.Parameter:
    return nn.Parameter(torch.from_numpy(np.stack(arrays)), requires_grad=False)
