"""Every way to compute the policies gives the same actions and affordances."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.skills.foreign import ForeignPolicy
from fmrl_ros.skills.inference import inference, resolve_device
from fmrl_ros.skills.observation import SIZE
from fmrl_ros.skills.policy import Layer, Policy

RNG = np.random.default_rng(3)


def network(sizes, normalised):
    layers = []
    for index, (fan_in, fan_out) in enumerate(itertools.pairwise(sizes)):
        weight = RNG.normal(size=(fan_out, fan_in), scale=fan_in**-0.5).astype(np.float32)
        extra = normalised and index < len(sizes) - 2
        parts = [RNG.normal(size=fan_out).astype(np.float32) for _ in range(3 if extra else 1)]
        layers.append(Layer(weight, *parts))
    return tuple(layers)


def policy(width=16):
    critics = tuple(network([SIZE + 4, width, width, 1], True) for _ in range(2))
    return Policy(network([SIZE, width, width, 4], False), critics, (1.3, -0.2))


ROWS = RNG.normal(size=(11, SIZE)).astype(np.float32)


def test_a_stack_computes_what_each_policy_does():
    policies = {name: policy() for name in ("pick", "push", "place_in")}
    skills = [("pick", "push", "place_in")[i % 3] for i in range(len(ROWS))]
    expected = inference(policies, "numpy")(ROWS, skills)
    for i, name in enumerate(skills):
        np.testing.assert_allclose(expected[0][i], policies[name].act(ROWS[i : i + 1])[0], atol=1e-6)
    found = inference(policies, "torch")(ROWS, skills)
    np.testing.assert_allclose(found[0], expected[0], atol=1e-5)
    np.testing.assert_allclose(found[1], expected[1], atol=1e-5)


def test_a_policy_from_elsewhere_joins_in():
    mine = ForeignPolicy(lambda rows: np.full((len(rows), 4), 0.5, np.float32), None, constant=0.6)
    policies = {"pick": policy(), "flip": mine}
    actions, affordances = inference(policies, "torch")(ROWS[:2], ["flip", "pick"])
    assert actions[0] == pytest.approx(0.5)
    assert affordances[0] == pytest.approx(0.6)
    np.testing.assert_allclose(actions[1], policies["pick"].act(ROWS[1:2])[0], atol=1e-5)


def test_policies_of_different_shapes_are_not_stacked():
    with pytest.raises(ValueError, match="differ in shape"):
        inference({"pick": policy(16), "push": policy(8)}, "torch")


def test_an_unknown_device_lists_the_valid_ones():
    with pytest.raises(UnknownNameError, match="auto, cuda, numpy, torch"):
        resolve_device("tpu")


@pytest.mark.skipif(Path("/dev/nvidiactl").exists(), reason="there is a GPU")
def test_without_a_gpu_numpy_is_chosen():
    assert resolve_device("auto") == "numpy"
    with pytest.raises(ValueError, match="no CUDA device"):
        resolve_device("cuda")
