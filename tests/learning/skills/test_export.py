import numpy as np
import pytest
import torch
from stable_baselines3.common.policies import ContinuousCritic
from torch import nn

from fmrl_ros.learning.skills.demo_sac import DemoSAC, LayerNormPolicy
from fmrl_ros.learning.skills.export import export
from fmrl_ros.learning.skills.skill_environment import SkillEnvironment
from fmrl_ros.skills.observation import SIZE


@pytest.fixture(scope="module")
def model():
    environment = SkillEnvironment("pick")
    return DemoSAC(LayerNormPolicy, environment, policy_kwargs={"net_arch": [32, 32]}, seed=0, device="cpu")


def test_the_calibration_turns_logits_into_affordances(model):
    plain, calibrated = export(model.actor, model.critic), export(model.actor, model.critic, (2.0, -1.0))
    observations = np.random.default_rng(0).normal(size=(5, SIZE)).astype(np.float32)
    logits = plain.logit(observations)
    assert np.allclose(calibrated.affordance(observations), 1 / (1 + np.exp(-(2.0 * logits - 1.0))), atol=1e-5)


def test_layers_that_a_policy_cannot_run_are_named(model):
    critic = model.policy.make_critic()
    assert isinstance(critic, ContinuousCritic)
    critic.q_networks[0].append(nn.Tanh())
    with pytest.raises(TypeError, match="type Tanh; valid: Linear, LayerNorm, ReLU"):
        export(model.actor, critic)


def test_an_exported_policy_does_not_change_with_the_network(model):
    policy, observations = export(model.actor, model.critic), np.ones((1, SIZE), np.float32)
    before = policy.act(observations)
    with torch.no_grad():
        model.actor.mu.bias.add_(1.0)
    assert np.array_equal(policy.act(observations), before)
