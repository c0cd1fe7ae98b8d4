"""An archive of Stable-Baselines3 acts as its model does, or one line at load says what is supported."""

import sys
import types
import zipfile

import numpy as np
import pytest
from gymnasium import Env, spaces
from stable_baselines3 import A2C, DDPG, PPO, SAC, TD3
from stable_baselines3.common.policies import ActorCriticPolicy

from fmrl_ros.skills.foreign import load_policy
from fmrl_ros.skills.observation import SIZE
from fmrl_ros.skills.policy import PolicyError

OBSERVATIONS = np.random.default_rng(0).normal(size=(5, SIZE)).astype(np.float32)


class Shaped(Env):
    """An environment of a skill's spaces, or of other actions."""

    def __init__(self, actions=None):
        self.observation_space = spaces.Box(-50, 50, (SIZE,), np.float32)
        self.action_space = spaces.Box(-1, 1, (4,), np.float32) if actions is None else actions


def acts_as_its_model(model, path):
    model.save(path)
    policy = load_policy(path)
    np.testing.assert_allclose(policy.act(OBSERVATIONS), model.predict(OBSERVATIONS, deterministic=True)[0], atol=1e-6)
    affordance = policy.affordance(OBSERVATIONS)
    return affordance.shape == (5,) and bool(((affordance > 0) & (affordance < 1)).all())


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [(SAC, {}), (TD3, {}), (DDPG, {}), (PPO, {}), (A2C, {})]
    + [(algorithm, {"use_sde": True}) for algorithm in (SAC, PPO, A2C)],
)
def test_every_algorithm_with_continuous_actions_acts_as_its_model_does(algorithm, options, tmp_path):
    model = algorithm("MlpPolicy", Shaped(), seed=0, device="cpu", **options)
    assert acts_as_its_model(model, tmp_path / "mine.zip")


def test_the_quantiles_of_a_distributional_critic_are_averaged(tmp_path):
    contrib = pytest.importorskip("sb3_contrib")
    assert acts_as_its_model(contrib.TQC("MlpPolicy", Shaped(), seed=0, device="cpu"), tmp_path / "mine.zip")


def refusal(path):
    with pytest.raises(PolicyError) as raised:
        load_policy(path, affordance=0.5)
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        (spaces.Box(-2, 2, (4,), np.float32), "acts in a box from -2 to 2, a skill in one from -1 to 1"),
        (spaces.Box(-1, 1, (6,), np.float32), "to 6 actions; a skill needs"),
        (spaces.MultiBinary(4), "a skill in one from -1 to 1"),
        (spaces.Discrete(4), "to None actions; a skill needs"),
    ],
)
def test_another_box_of_actions_is_refused(actions, words, tmp_path):
    PPO("MlpPolicy", Shaped(actions), device="cpu").save(tmp_path / "mine.zip")
    assert words in refusal(tmp_path / "mine.zip")


def test_an_archive_without_spaces_says_how_to_save_it_again(tmp_path):
    model = SAC("MlpPolicy", Shaped(), device="cpu")
    model.save(tmp_path / "mine.zip", exclude=["observation_space", "action_space"])
    text = refusal(tmp_path / "mine.zip")
    assert "has no observation_space and no action_space that can be read; save it again with" in text


class Elsewhere(ActorCriticPolicy):
    """Stands in for a policy of a package that is not installed where the archive is loaded."""


def test_an_algorithm_of_a_package_that_is_missing_names_the_package(tmp_path, monkeypatch):
    module = types.ModuleType("kit_of_this_test")
    Elsewhere.__module__, module.Elsewhere = module.__name__, Elsewhere
    monkeypatch.setitem(sys.modules, module.__name__, module)
    PPO(Elsewhere, Shaped(), device="cpu").save(tmp_path / "mine.zip")
    monkeypatch.delitem(sys.modules, module.__name__)
    text = refusal(tmp_path / "mine.zip")
    assert (
        "needs the package kit-of-this-test, which is not installed" in text
        and "supported: SAC, TD3, DDPG, PPO and A2C" in text
    )


class Recurrent(ActorCriticPolicy):
    """Stands in for the policies of RecurrentPPO, which have such a network."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.lstm_actor = None


def test_a_recurrent_policy_is_refused(tmp_path):
    PPO(Recurrent, Shaped(), device="cpu").save(tmp_path / "mine.zip")
    assert "is recurrent, and a skill keeps no memory between steps; supported: SAC" in refusal(tmp_path / "mine.zip")


def test_an_archive_whose_weights_do_not_fit_is_refused_in_one_line(tmp_path):
    SAC("MlpPolicy", Shaped(), device="cpu").save(tmp_path / "mine.zip")
    TD3("MlpPolicy", Shaped(), device="cpu").save(tmp_path / "other.zip")
    with zipfile.ZipFile(tmp_path / "mine.zip") as mine, zipfile.ZipFile(tmp_path / "other.zip") as other:
        parts = {name: mine.read(name) for name in mine.namelist()} | {"policy.pth": other.read("policy.pth")}
    with zipfile.ZipFile(tmp_path / "mixed.zip", "w") as mixed:
        for name, content in parts.items():
            mixed.writestr(name, content)
    assert "cannot be rebuilt" in refusal(tmp_path / "mixed.zip")
