from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoTokenizer, DynamicCache

from fmrl_ros.learning.planner.adapter import StartError, compile_layers, load_for_tuning
from fmrl_ros.learning.planner.loss import hidden_states
from fmrl_ros.learning.planner.recipe import PlannerTraining
from fmrl_ros.learning.planner.rows import encoded_row, pack
from fmrl_ros.learning.planner.tuning import train_planner


def test_several_adapters_to_go_on_from_are_averaged(small, tmp_path):
    folders = tuple(str(tmp_path / name) for name in ("one", "two"))
    for seed, folder in enumerate(folders):
        train_planner(Path(folder), replace(small, episodes=(16,), seed=seed))
    one, two = (load_file(Path(folder) / "adapter_model.safetensors") for folder in folders)
    model, _ = load_for_tuning(replace(small, start_from=folders))
    mean = {name: p.detach() for name, p in model.named_parameters() if p.requires_grad}
    assert len(mean) == len(one)
    for name, parameter in mean.items():
        before = [weights[name.replace(".default.", ".")].float() for weights in (one, two)]
        assert not torch.equal(*before) and torch.allclose(parameter, sum(before) / 2, atol=1e-3)


def test_adapters_of_different_shapes_have_no_mean(small, tmp_path):
    folders = tuple(str(tmp_path / name) for name in ("one", "two"))
    for rank, folder in enumerate(folders, start=4):
        train_planner(Path(folder), replace(small, episodes=(16,), rank=rank))
    with pytest.raises(ValueError, match="two has not the rank"):
        load_for_tuning(replace(small, start_from=folders))


def test_an_adapter_grows_in_rank_and_layers_and_does_at_first_what_it_did(small, tmp_path, kitchen_rows):
    train_planner(tmp_path, replace(small, episodes=(16,), alpha=8, first_layer=1))
    rows = [encoded_row(row, AutoTokenizer.from_pretrained(small.model)) for row in kitchen_rows]
    states = {}
    for rank, first_layer in ((4, 1), (6, 0)):
        config = replace(small, rank=rank, alpha=2 * rank, first_layer=first_layer, start_from=(str(tmp_path),))
        model, _ = load_for_tuning(config)
        states[rank] = hidden_states(model.eval(), pack(rows))
    assert torch.allclose(states[4], states[6], atol=1e-4)
    states[6].sum().backward()
    for layer, kept in ((0, 0), (1, 4)):
        name = f"base_model.model.model.layers.{layer}.mlp.up_proj.lora_B.default.weight"
        grown = dict(model.named_parameters())[name]
        assert grown.shape[1] == 6 and not grown[:, kept:].any() and grown.grad[:, kept:].any()


def test_compiled_layers_give_the_states_of_the_others(small, kitchen_rows):
    config = replace(small, bfloat16=False)
    rows = kitchen_rows
    states = []
    for compiled in (False, True):
        torch.manual_seed(0)
        model, tokenizer = load_for_tuning(config)
        if compiled:
            compile_layers(model)
        states.append(hidden_states(model, pack([encoded_row(row, tokenizer) for row in rows])))
    assert torch.allclose(*states, atol=1e-4)


def test_without_blocks_the_model_reads_on_from_a_cache_as_it_reads_the_whole(small):
    model, tokenizer = load_for_tuning(replace(small, bfloat16=False))
    tokens = tokenizer("Task: put the red block in the blue bowl\nRobot: pick up the red block\n", return_tensors="pt")
    ids, cache = tokens.input_ids, DynamicCache()
    with torch.no_grad():
        model(input_ids=ids[:, :9], past_key_values=cache, use_cache=True)
        on = model(input_ids=ids[:, 9:], past_key_values=cache, use_cache=True).logits
        whole = model(input_ids=ids).logits
    assert torch.allclose(on, whole[:, 9:], atol=1e-4)


def test_a_missing_adapter_is_named_before_the_model_is_loaded():
    with pytest.raises(StartError, match="no adapter to start from in nowhere"):
        load_for_tuning(PlannerTraining(model="no such model", start_from=("nowhere",)))
