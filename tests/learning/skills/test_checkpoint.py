from dataclasses import replace

import numpy as np
import pytest
import torch

from fmrl_ros.learning.skills.checkpoint import Checkpoint
from fmrl_ros.learning.skills.demo_sac import DemoSAC, LayerNormPolicy
from fmrl_ros.learning.skills.export import export
from fmrl_ros.learning.skills.recipe import SkillTraining
from fmrl_ros.learning.skills.skill_environment import SkillEnvironment
from fmrl_ros.learning.skills.training import record_demonstrations
from fmrl_ros.learning.unfinished import UnfinishedError

CONFIG = SkillTraining(demonstrations=1, demonstration_noise=0.0)


@pytest.fixture(scope="module")
def environment():
    return SkillEnvironment("press_button")


@pytest.fixture
def model(environment):
    model = DemoSAC(LayerNormPolicy, environment, buffer_size=10, policy_kwargs={"net_arch": [8]}, seed=0, device="cpu")
    model.learn_from(*record_demonstrations(environment, CONFIG, lambda doing, share: None))
    return model


@pytest.fixture
def checkpoint(model):
    return Checkpoint("press_button", CONFIG, export(model.average, model.critic))


def test_the_best_actor_is_kept_and_of_equals_the_last(checkpoint, model):
    for done, rate in enumerate((0.5, 0.8, 0.8, 0.6)):
        checkpoint.consider(model, rate, f"after {done}", done)
    assert (checkpoint.best_rate, checkpoint.origin, checkpoint.done) == (0.8, "after 2", 3)
    with torch.no_grad():
        model.average.mu.bias.add_(1.0)
    assert not torch.equal(checkpoint.best["mu.bias"], model.average.mu.bias)


def test_a_training_goes_on_with_what_the_learner_knew(checkpoint, model, tmp_path):
    model.clone(1, batch_size=4)
    known = model.actor.mu.weight.detach().clone()
    checkpoint.save(tmp_path, model)
    model.clone(3, batch_size=4)
    assert not torch.equal(model.actor.mu.weight, known)
    loaded = Checkpoint.load(tmp_path, "press_button", CONFIG)
    loaded.restore(model)
    assert torch.equal(model.actor.mu.weight, known)
    observations = np.ones((1, model.observation_space.shape[0]), np.float32)
    assert np.array_equal(loaded.cloned.act(observations), checkpoint.cloned.act(observations))


def test_only_the_same_skill_with_the_same_recipe_goes_on(checkpoint, model, tmp_path):
    assert Checkpoint.load(tmp_path, "press_button", CONFIG) is None
    checkpoint.save(tmp_path, model)
    for skill, config in (("pick", CONFIG), ("press_button", replace(CONFIG, seed=1))):
        with pytest.raises(UnfinishedError, match="lies unfinished"):
            Checkpoint.load(tmp_path, skill, config)
