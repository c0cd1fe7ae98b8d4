"""A policy that was trained elsewhere does a skill by one entry in the world's file."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from gymnasium import Env, spaces
from onnx import TensorProto, helper, numpy_helper
from stable_baselines3 import PPO, SAC

from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.state import RobotState
from fmrl_ros.skills.foreign import load_policy
from fmrl_ros.skills.library import SkillLibrary
from fmrl_ros.skills.observation import SIZE
from fmrl_ros.skills.policy import PolicyError
from fmrl_ros.worlds.scene import Scene, SceneObject
from fmrl_ros.worlds.world import load_world

PROFILE = load_profile("franka_sim")
HOME = PROFILE.home

OBSERVATIONS = np.random.default_rng(0).normal(size=(5, SIZE)).astype(np.float32)


class Shaped(Env):
    """An environment of the right, or another, shape."""

    def __init__(self, size=SIZE, actions=4):
        self.observation_space = spaces.Box(-50, 50, (size,), np.float32)
        self.action_space = spaces.Box(-1, 1, (actions,), np.float32)


def onnx_file(path, size=SIZE, value=True):
    """Write a network: the action is tanh of the first four observations, the value always 0.75."""
    select = np.zeros((size, 4), np.float32)
    select[:4, :4] = np.eye(4)
    nodes = [helper.make_node("MatMul", ["seen", "select"], ["chosen"]), helper.make_node("Tanh", ["chosen"], ["do"])]
    outputs = [helper.make_tensor_value_info("do", TensorProto.FLOAT, ["n", 4])]
    constants = [numpy_helper.from_array(select, "select")]
    if value:
        constants.append(numpy_helper.from_array(np.zeros((size, 1), np.float32), "none"))
        constants.append(numpy_helper.from_array(np.array([0.75], np.float32), "much"))
        nodes.append(helper.make_node("MatMul", ["seen", "none"], ["nothing"]))
        nodes.append(helper.make_node("Add", ["nothing", "much"], ["value"]))
        outputs.append(helper.make_tensor_value_info("value", TensorProto.FLOAT, ["n", 1]))
    inputs = [helper.make_tensor_value_info("seen", TensorProto.FLOAT, ["n", size])]
    graph = helper.make_graph(nodes, "policy", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, path)
    return path


@pytest.mark.parametrize("algorithm", [SAC, PPO])
def test_a_stable_baselines_archive_acts_as_its_model_does(algorithm, tmp_path):
    model = algorithm("MlpPolicy", Shaped(), seed=0, device="cpu")
    model.save(tmp_path / "mine.zip")
    policy = load_policy(tmp_path / "mine.zip", calibration=(2.0, 0.5))
    np.testing.assert_allclose(policy.act(OBSERVATIONS), model.predict(OBSERVATIONS, deterministic=True)[0], atol=1e-6)
    affordance = policy.affordance(OBSERVATIONS)
    assert affordance.shape == (5,)
    assert ((affordance > 0) & (affordance < 1)).all()


def test_an_onnx_file_acts_and_values(tmp_path):
    policy = load_policy(onnx_file(tmp_path / "mine.onnx"))
    np.testing.assert_allclose(policy.act(OBSERVATIONS), np.tanh(OBSERVATIONS[:, :4]), atol=1e-6)
    np.testing.assert_allclose(policy.affordance(OBSERVATIONS), 0.75, atol=1e-5)


def test_without_a_value_the_entry_states_how_often_it_succeeds(tmp_path):
    path = onnx_file(tmp_path / "mine.onnx", value=False)
    with pytest.raises(PolicyError, match=r"no value function.*affordance: 0\.9"):
        load_policy(path)
    assert load_policy(path, affordance=0.8).affordance(OBSERVATIONS) == pytest.approx(0.8)


def test_one_entry_makes_it_a_skill(tmp_path):
    onnx_file(tmp_path / "mine.onnx", value=False)
    file = tmp_path / "mine.yaml"
    file.write_text(
        "extends: tabletop\n"
        "skills:\n"
        '  - {name: pick, phrase: "pick up the {object}", arguments: {object: block}, policy: mine.onnx, '
        "affordance: 0.7}\n"
    )
    world = load_world(str(file))
    assert len(world.options) == len(load_world("tabletop").options)
    library = SkillLibrary.load(world, PROFILE)
    block = SceneObject("red block", "block", (0.5, 0.0, 0.02), 0.0, (0.04, 0.04, 0.04), 0.9)
    state = RobotState(1.0, HOME, np.zeros(7), 0.08)
    picks = [skill for skill in library.skills if skill.name == "pick"]
    np.testing.assert_allclose(library.affordances(picks, Scene(1.0, (block,)), state), 0.7, atol=1e-6)


@pytest.mark.parametrize(
    ("make", "defect"),
    [
        (lambda at: at / "none.onnx", "no policy at"),
        (lambda at: at / "mine.pt", r"valid: \.npz"),
        (lambda at: onnx_file(at / "wide.onnx", SIZE + 1), f"maps {SIZE + 1} observations"),
        (lambda at: _saved(at / "narrow.zip", Shaped(SIZE, 3)), "to 3 actions"),
        (lambda at: _garbage(at / "broken.zip"), "no Stable-Baselines3 archive"),
        (lambda at: _garbage(at / "broken.onnx"), "no ONNX file"),
    ],
)
def test_a_policy_that_cannot_be_used_is_named(make, defect, tmp_path):
    with pytest.raises(PolicyError, match=defect):
        load_policy(make(tmp_path), affordance=0.5)


def _saved(path: Path, environment) -> Path:
    SAC("MlpPolicy", environment, device="cpu").save(path)
    return path


def _garbage(path: Path) -> Path:
    path.write_bytes(b"not a policy")
    return path
