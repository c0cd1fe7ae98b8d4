"""An ONNX file is run as it was exported, in its batch size and precision; else one line says what is supported."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from fmrl_ros.skills.foreign import load_policy
from fmrl_ros.skills.observation import SIZE
from fmrl_ros.skills.onnx_policy import in_batches, load_onnx
from fmrl_ros.skills.policy import PolicyError

OBSERVATIONS = np.random.default_rng(0).normal(size=(5, SIZE)).astype(np.float32)
EXPECTED = np.tanh(OBSERVATIONS[:, :4])


def write(path, batch="n", kind=TensorProto.FLOAT, inputs=("seen",), shape=None, scale=1.0):
    """Write a network: the action is tanh of the first four observations, times `scale`."""
    number = helper.tensor_dtype_to_np_dtype(kind)
    select = np.zeros((SIZE, 4), number)
    select[:4] = np.eye(4)
    nodes = [
        helper.make_node("MatMul", ["seen", "select"], ["chosen"]),
        helper.make_node("Tanh", ["chosen"], ["bounded"]),
        helper.make_node("Mul", ["bounded", "scale"], ["do"]),
    ]
    constants = [numpy_helper.from_array(select, "select"), numpy_helper.from_array(np.array(scale, number), "scale")]
    seen = [helper.make_tensor_value_info(name, kind, shape or [batch, SIZE]) for name in inputs]
    done = [helper.make_tensor_value_info("do", kind, None if shape else [batch, 4])]
    model = helper.make_model(
        helper.make_graph(nodes, "policy", seen, done, constants),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=9,
    )
    onnx.save(model, path)
    return path


@pytest.mark.parametrize("batch", ["n", 1, 2, 8])
def test_any_number_of_observations_is_answered_whatever_the_batch_of_the_export(batch, tmp_path):
    policy = load_policy(write(tmp_path / "mine.onnx", batch), affordance=0.5)
    np.testing.assert_allclose(policy.act(OBSERVATIONS), EXPECTED, atol=1e-6)
    assert policy.act(OBSERVATIONS[:1]).shape == (1, 4)


@pytest.mark.parametrize("kind", [TensorProto.DOUBLE, TensorProto.FLOAT16])
def test_other_precisions_are_converted(kind, tmp_path):
    actions = load_policy(write(tmp_path / "mine.onnx", kind=kind), affordance=0.5).act(OBSERVATIONS)
    np.testing.assert_allclose(actions, EXPECTED, atol=2e-3)
    assert actions.dtype == np.float32


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"inputs": ("seen", "memory")}, "has the inputs seen, memory, a skill's has one and no memory; supported: "),
        ({"shape": [SIZE]}, r"input tensor\(float\) of shape \[\d+\]; supported: one input"),
        ({"kind": TensorProto.INT64}, "no ONNX file|input tensor"),
        ({"scale": np.nan}, "numbers that are not finite"),
    ],
)
def test_a_network_that_a_skill_cannot_use_is_refused_in_one_line(options, words, tmp_path):
    with pytest.raises(PolicyError, match=words) as refusal:
        load_policy(write(tmp_path / "mine.onnx", **options), affordance=0.5)
    assert "\n" not in str(refusal.value)


def test_without_a_second_output_there_is_no_value(tmp_path):
    assert load_onnx(write(tmp_path / "mine.onnx"))[1] is None


@pytest.mark.parametrize("size", [None, 1, 2, 5, 7])
def test_batches_of_a_fixed_size_give_what_one_batch_gives(size):
    rows = np.arange(15.0, dtype=np.float32).reshape(5, 3)

    def network(some):
        assert size is None or len(some) == size
        return some * 2

    np.testing.assert_array_equal(in_batches(network, rows, size), rows * 2)
    assert in_batches(network, rows[:0], size).shape == (0, 3)
