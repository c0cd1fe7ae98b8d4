import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tiny_model
import torch
from safetensors.torch import load_file
from transformers import AutoTokenizer, DynamicCache

from fmrl_ros.language.local import LocalLanguageModel
from fmrl_ros.learning.planner.curriculum import KitchenCurriculum, curriculum
from fmrl_ros.learning.planner.rows import attend, encode, encoded_row, pack
from fmrl_ros.learning.planner.tuning import (
    PlannerTraining,
    compile_layers,
    cross_entropy,
    hidden_states,
    imitation_finished,
    load_for_tuning,
    train_planner,
)
from fmrl_ros.learning.unfinished import UnfinishedError
from fmrl_ros.meaning.grounding import Vocabulary
from fmrl_ros.worlds.world import load_world

SMALL = PlannerTraining(
    model="", episodes=(160,), batch=8, first_layer=0, rank=4, learning_rate=(1e-2,), dev_episodes=8, dev_every=10,
    threads=1, bfloat16=False,
)  # fmt: skip


@pytest.fixture
def small() -> PlannerTraining:
    return replace(SMALL, model=str(tiny_model.folder()))


def test_tuning_lowers_the_loss_and_writes_a_small_adapter_that_loads(small, tmp_path):
    losses = []
    record = train_planner(tmp_path, small, lambda step, steps, loss: losses.append((step, steps, loss)))
    assert [step for step, _, _ in losses] == list(range(1, 21)) and losses[0][1] == 20
    assert record["curve"][-1]["dev"] < 0.9 * losses[0][2]
    weights = load_file(tmp_path / "adapter_model.safetensors")
    assert all(w.dtype == torch.float16 for w in weights.values())
    written = json.loads((tmp_path / "training.json").read_text())
    assert written["config"]["seed"] == small.seed and written["tokens"] > 0
    assert "block" in Vocabulary.load(tmp_path).words
    tuned, plain = LocalLanguageModel(small.model, tmp_path), LocalLanguageModel(small.model)
    options = [" pick up the red block\n", " done\n"]
    assert not np.allclose(tuned.score("Task:", options), plain.score("Task:", options))


def test_same_seed_same_adapter_and_a_further_leg_goes_on_from_it(small, tmp_path):
    short = replace(small, episodes=(16,))
    for name in ("one", "two"):
        train_planner(tmp_path / name, short)
    one, two = (load_file(tmp_path / n / "adapter_model.safetensors") for n in ("one", "two"))
    assert all(torch.equal(one[k], two[k]) for k in one)
    record = train_planner(tmp_path / "three", replace(short, start_from=(str(tmp_path / "one"),), seed=1))
    assert record["curve"][-1]["dev"] < json.loads((tmp_path / "one" / "training.json").read_text())["curve"][-1]["dev"]


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


def test_an_adapter_grows_in_rank_and_layers_and_does_at_first_what_it_did(small, tmp_path):
    train_planner(tmp_path, replace(small, episodes=(16,), alpha=8, first_layer=1))
    rows = [encoded_row(row, AutoTokenizer.from_pretrained(small.model)) for row in _kitchen_rows(8)]
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


def test_a_second_leg_has_transcripts_and_a_warm_up_of_its_own(small, tmp_path):
    config = replace(small, episodes=(16, 24), learning_rate=(1e-2, 5e-3))
    steps = []
    record = train_planner(tmp_path, config, lambda step, of, loss: steps.append((step, of)))
    assert steps == [(i, 5) for i in range(1, 6)] and record["curve"][-1]["step"] == 5


def test_the_adapter_may_be_the_mean_of_the_last_legs(small, tmp_path):
    two = replace(small, episodes=(16, 24), learning_rate=(1e-2, 5e-3))
    train_planner(tmp_path / "one", replace(small, episodes=(16,), learning_rate=(1e-2,)))
    train_planner(tmp_path / "two", two)
    record = train_planner(tmp_path / "mean", replace(two, averaged=2))
    assert [point["step"] for point in record["curve"]] == [5, 5]  # the last leg's, and the mean's
    one, two, mean = (load_file(tmp_path / n / "adapter_model.safetensors") for n in ("one", "two", "mean"))
    assert not all(torch.allclose(one[k].float(), two[k].float(), atol=1e-3) for k in one)
    assert all(torch.allclose(mean[k].float(), (one[k].float() + two[k].float()) / 2, atol=1e-3) for k in one)


def test_an_interrupted_training_goes_on_to_the_same_adapter(small, tmp_path):
    config = replace(small, episodes=(40,), dev_every=2)

    def interrupt(step, steps, loss):
        if step == 4:
            raise KeyboardInterrupt

    whole = train_planner(tmp_path / "whole", config)
    with pytest.raises(KeyboardInterrupt):
        train_planner(tmp_path / "halved", config, interrupt)
    assert [file.name for file in (tmp_path / "halved").iterdir()] == ["unfinished.pt"]
    with pytest.raises(UnfinishedError, match="lies unfinished"):
        train_planner(tmp_path / "halved", replace(config, seed=1))
    steps = []
    record = train_planner(tmp_path / "halved", config, lambda step, steps_, loss: steps.append(step))
    assert steps == [3, 4, 5] and not (tmp_path / "halved" / "unfinished.pt").exists()
    assert record["tokens"] == whole["tokens"] and len(record["curve"]) == len(whole["curve"])
    one, two = (load_file(tmp_path / n / "adapter_model.safetensors") for n in ("whole", "halved"))
    assert all(torch.allclose(one[k].float(), two[k].float(), atol=1e-3) for k in one)


def test_a_written_card_survives_training_which_is_known_to_be_over(small, tmp_path):
    (tmp_path / "README.md").write_text("the card")
    config = replace(small, episodes=(8,))
    assert not imitation_finished(tmp_path, config)
    train_planner(tmp_path, config)
    assert (tmp_path / "README.md").read_text() == "the card"
    assert imitation_finished(tmp_path, replace(config, threads=2, device="cuda")) and not imitated(
        tmp_path, replace(config, seed=1)
    )
    record = json.loads((tmp_path / "training.json").read_text())
    (tmp_path / "training.json").write_text(json.dumps(record | {"reinforcement": {}}))
    assert not imitation_finished(tmp_path, config)


def test_tokens_of_a_transcript_are_those_of_its_whole_text(small):
    tokenizer = AutoTokenizer.from_pretrained(small.model)
    for row in curriculum(load_world("tabletop"), small.mishaps).rows("train", 0, 40):
        (segments,) = row.transcripts
        tokens, chosen = encode(segments, tokenizer)
        assert tokens == tokenizer("".join(s.text for s in segments)).input_ids
        learned = tokenizer.decode([t for t, c in zip(tokens, chosen, strict=True) if c])
        assert learned == "".join(s.text for s in segments if s.own)


def test_vocabulary_has_no_misspelt_words_and_none_only_known_from_refusals(small):
    words = curriculum(load_world("tabletop"), small.mishaps).vocabulary(0, 400)["words"]
    assert {"cube", "dish", "centre", "grab"} <= set(words)
    assert not {"drawer", "coffee", "paint", "purple"} & set(words)
    assert words == sorted(set(words))


def test_transcripts_of_a_row_share_their_kitchen_and_do_not_see_one_another():
    tokenizer = AutoTokenizer.from_pretrained(tiny_model.folder())
    rows = KitchenCurriculum(load_world("kitchen")).rows("train", 0, 60)
    assert rows == KitchenCurriculum(load_world("kitchen")).rows("train", 0, 60)
    row = max(rows, key=lambda r: len(r.transcripts))
    assert len(row.transcripts) > 2
    encoded = encoded_row(row, tokenizer)
    batch = pack([encoded])
    first = encoded.shared
    for transcript, length in zip(row.transcripts, encoded.lengths, strict=True):
        whole = tokenizer(row.before + "".join(s.text for s in transcript)).input_ids
        assert whole == encoded.tokens[: encoded.shared] + encoded.tokens[first : first + length]
        last = first + length - 1
        assert _seen(batch, last) == {*range(encoded.shared), *range(first, last + 1)}
        assert batch.positions[0, last] == encoded.shared + length - 1
        first += length


def _seen(batch, token):
    """Return the tokens that one attends to."""
    (block,) = [b for b in batch.blocks.each if b.own.start <= token < b.own.stop]
    columns = [*range(block.shared.start, block.shared.stop), *range(block.own.start, block.own.stop)]
    return {columns[i] for i in (block.hidden[token - block.own.start] == 0).nonzero().flatten()}


def test_a_batch_gives_the_states_that_each_transcript_has_by_itself(small):
    model, tokenizer = load_for_tuning(replace(small, bfloat16=False))
    rows = [encoded_row(row, tokenizer) for row in KitchenCurriculum(load_world("kitchen")).rows("train", 0, 30)[:3]]
    with torch.no_grad():
        together = hidden_states(model, pack(rows))[0]
        first = 0
        for row in rows:
            start = first + row.shared
            for length in row.lengths:
                alone = torch.tensor([row.tokens[: row.shared] + row.tokens[start - first : start - first + length]])
                states = model.get_base_model().model(alone).last_hidden_state[0]
                assert torch.allclose(together[start : start + length], states[row.shared :], atol=1e-4)
                start += length
            first += len(row.tokens)


def test_attention_in_blocks_has_the_derivative_of_the_whole(small):
    model, tokenizer = load_for_tuning(replace(small, bfloat16=False))
    row = max(_kitchen_rows(30), key=lambda row: len(row.transcripts))
    encoded = encoded_row(row, tokenizer)
    direction = torch.randn(model.config.hidden_size, generator=torch.Generator().manual_seed(0))
    (hidden_states(model, pack([encoded]))[0, encoded.shared :] @ direction).sum().backward()
    together = {name: p.grad.clone() for name, p in model.named_parameters() if p.requires_grad}
    model.zero_grad()
    first = encoded.shared
    for length in encoded.lengths:
        alone = torch.tensor([encoded.tokens[: encoded.shared] + encoded.tokens[first : first + length]])
        (model.get_base_model().model(alone).last_hidden_state[0, encoded.shared :] @ direction).sum().backward()
        first += length
    named = dict(model.named_parameters())
    for name, gradient in together.items():
        assert torch.allclose(gradient, named[name].grad, rtol=1e-2, atol=1e-2 * float(gradient.abs().max())), name


def test_compiled_layers_give_the_states_of_the_others(small):
    config = replace(small, bfloat16=False)
    rows = _kitchen_rows(12)
    states = []
    for compiled in (False, True):
        torch.manual_seed(0)
        model, tokenizer = load_for_tuning(config)
        if compiled:
            compile_layers(model)
        states.append(hidden_states(model, pack([encoded_row(row, tokenizer) for row in rows])))
    assert torch.allclose(*states, atol=1e-4)


def test_cross_entropy_in_portions_is_that_of_torch():
    torch.manual_seed(0)
    states, vocabulary = torch.randn(150, 8), torch.randn(30, 8)
    truth = torch.randint(30, (150,))
    one, other = states.clone().requires_grad_(), states.clone().requires_grad_()
    weights = torch.rand(150)
    losses, right = cross_entropy(one, vocabulary, truth)
    expected = torch.nn.functional.cross_entropy(other @ vocabulary.T, truth, reduction="none")
    (weights * losses).sum().backward()
    (weights * expected).sum().backward()
    assert torch.allclose(losses, expected, atol=1e-5) and torch.allclose(one.grad, other.grad, atol=1e-6)
    assert torch.equal(right, (states @ vocabulary.T).argmax(-1) == truth)


def test_all_that_a_step_computes_with_lies_where_the_model_lies(small):
    rows = [encoded_row(row, AutoTokenizer.from_pretrained(small.model)) for row in _kitchen_rows(12)]
    batch = pack(rows).to(torch.device("meta"))  # holds no numbers, and refuses to be mixed with what does
    tensors = [batch.tokens, batch.positions, batch.learned, batch.targets, *(b.hidden for b in batch.blocks.each)]
    assert {tensor.device.type for tensor in tensors} == {"meta"}
    query, key, value = (torch.randn(1, h, batch.count, 8, device="meta", requires_grad=True) for h in (4, 2, 2))
    attended = attend(None, query, key, value, None, batch.blocks)[0]
    states = attended[0, batch.learned].flatten(1)
    losses, right = cross_entropy(states, torch.randn(50, 32, device="meta"), batch.targets)
    losses.mean().backward()
    assert {x.device.type for x in (losses, right, query.grad, key.grad, value.grad)} == {"meta"}


def _kitchen_rows(transcripts):
    return KitchenCurriculum(load_world("kitchen")).rows("train", 0, transcripts)


def test_without_blocks_the_model_reads_on_from_a_cache_as_it_reads_the_whole(small):
    model, tokenizer = load_for_tuning(replace(small, bfloat16=False))
    tokens = tokenizer("Task: put the red block in the blue bowl\nRobot: pick up the red block\n", return_tensors="pt")
    ids, cache = tokens.input_ids, DynamicCache()
    with torch.no_grad():
        model(input_ids=ids[:, :9], past_key_values=cache, use_cache=True)
        on = model(input_ids=ids[:, 9:], past_key_values=cache, use_cache=True).logits
        whole = model(input_ids=ids).logits
    assert torch.allclose(on, whole[:, 9:], atol=1e-4)
