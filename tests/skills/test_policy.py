"""A policy survives its file, equals the network that it came from, and refuses a file it does not fit."""

import json

import numpy as np
import pytest
import torch

from fmrl_ros.learning.skills.demo_sac import DemoSAC, LayerNormPolicy
from fmrl_ros.learning.skills.export import export
from fmrl_ros.learning.skills.skill_environment import SkillEnvironment
from fmrl_ros.skills.observation import SIZE
from fmrl_ros.skills.policy import Policy, PolicyError


@pytest.fixture(scope="module")
def model():
    environment = SkillEnvironment("pick")
    return DemoSAC(LayerNormPolicy, environment, policy_kwargs={"net_arch": [32, 32]}, seed=0, device="cpu")


def test_numpy_equals_torch(model):
    observations = np.random.default_rng(0).normal(size=(20, SIZE)).astype(np.float32)
    policy = export(model.actor, model.critic)
    with torch.no_grad():
        actions = model.actor(torch.from_numpy(observations), deterministic=True)
        logits = torch.cat(model.critic(torch.from_numpy(observations), actions), 1).mean(1)
    assert np.allclose(policy.act(observations), actions.numpy(), atol=1e-5)
    assert np.allclose(policy.logit(observations), logits.numpy(), atol=1e-5)


def test_a_saved_policy_acts_the_same(model, tmp_path):
    policy = export(model.actor, model.critic, calibration=(2.0, -1.0))
    policy.save(tmp_path / "policy.npz", skill="pick")
    again = Policy.load(tmp_path / "policy.npz")
    observations = np.ones((3, SIZE), np.float32)
    assert np.array_equal(policy.act(observations), again.act(observations))
    assert np.array_equal(policy.affordance(observations), again.affordance(observations))


def test_a_missing_or_truncated_file_is_named(model, tmp_path):
    path = tmp_path / "policy.npz"
    with pytest.raises(PolicyError, match=r"no policy at .*fmrl train skill"):
        Policy.load(path)
    export(model.actor, model.critic).save(path)
    whole = path.read_bytes()
    for length in (0, 2000, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(
            PolicyError, match=rf"^the policy {path} cannot be loaded: .*; restore it, or train it again"
        ):
            Policy.load(path)


@pytest.mark.parametrize(
    ("part", "value"),
    [("metadata", np.array("{")), ("calibration", np.zeros(3)), ("actor.0.weight", None), ("metadata", None)],
)
def test_a_file_with_a_part_that_is_missing_or_broken_is_named(model, tmp_path, part, value):
    path = tmp_path / "policy.npz"
    export(model.actor, model.critic).save(path)
    with np.load(path) as file:
        arrays = {name: array for name, array in file.items() if name != part}
    np.savez(path, **arrays, **({part: value} if value is not None else {}))
    with pytest.raises(PolicyError, match=rf"^the policy {path} cannot be loaded: .*train it again") as raised:
        Policy.load(path)
    assert "\n" not in str(raised.value)


def test_another_observation_specification_is_refused(model, tmp_path):
    path = tmp_path / "policy.npz"
    export(model.actor, model.critic).save(path)
    with np.load(path) as file:
        arrays = dict(file)
    metadata = json.loads(str(arrays["metadata"]))
    metadata["observation"]["version"] += 1
    arrays["metadata"] = np.array(json.dumps(metadata))
    np.savez(path, **arrays)
    with pytest.raises(PolicyError, match="was trained on observation"):
        Policy.load(path)
