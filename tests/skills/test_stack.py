import itertools

import numpy as np
import pytest
import torch

from fmrl_ros.skills.observation import SIZE
from fmrl_ros.skills.policy import Layer, Policy
from fmrl_ros.skills.stack import PolicyStack, StackedNetwork


def network(rng, sizes, normalised):
    """Layers of random weights, with layer normalisation between them if asked for."""
    layers = []
    for index, (fan_in, fan_out) in enumerate(itertools.pairwise(sizes)):
        weight = rng.normal(size=(fan_out, fan_in), scale=fan_in**-0.5).astype(np.float32)
        inner = normalised and index < len(sizes) - 2
        parts = [rng.normal(size=fan_out).astype(np.float32) for _ in range(3 if inner else 1)]
        layers.append(Layer(weight, *parts))
    return tuple(layers)


def policy(seed, width=12, normalised=True):
    rng = np.random.default_rng(seed)
    critics = tuple(network(rng, [SIZE + 4, width, width, 1], normalised) for _ in range(2))
    return Policy(network(rng, [SIZE, width, width, 4], normalised), critics, (1 + 0.1 * seed, -0.2 * seed))


@pytest.mark.parametrize("normalised", [False, True])
def test_each_row_is_computed_with_the_policy_that_it_names(normalised):
    policies = [policy(seed, normalised=normalised) for seed in range(3)]
    rows = np.random.default_rng(9).normal(size=(7, SIZE)).astype(np.float32)
    which = np.array([2, 0, 1, 1, 0, 2, 2])
    actions, affordances = PolicyStack(policies)(torch.from_numpy(rows), torch.from_numpy(which))
    for i, number in enumerate(which):
        alone = rows[i : i + 1]
        assert actions[i].numpy() == pytest.approx(policies[number].act(alone)[0], abs=1e-5)
        assert float(affordances[i]) == pytest.approx(float(policies[number].affordance(alone)[0]), abs=1e-5)


def test_the_last_layer_s_outputs_may_be_negative():
    layer = Layer(np.eye(2, dtype=np.float32), np.array([0.0, -5.0], np.float32))
    found = StackedNetwork([(layer,)])(torch.ones(1, 2), torch.zeros(1, dtype=torch.long))
    assert found.tolist() == [[1.0, -4.0]]


def test_networks_of_different_shapes_cannot_be_stacked():
    with pytest.raises(ValueError, match=r"differ in shape.*numpy"):
        PolicyStack([policy(0, 12), policy(1, 8)])


def test_nothing_in_it_is_trained():
    assert not any(parameter.requires_grad for parameter in PolicyStack([policy(0)]).parameters())
