import json
import shutil

import numpy as np
import pytest
import tiny_model
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

from fmrl_ros.language.language_model import LanguageModelError, RequestRefusedError
from fmrl_ros.language.local import LocalLanguageModel, find_adapter
from fmrl_ros.language.weights import WeightsError
from fmrl_ros.plugins import UnknownNameError

PROMPT, OPTIONS = "Task: put the red block in the blue bowl\nRobot:", [" pick up the red block\n", " done\n"]


def test_adapter_is_merged_into_the_weights(tmp_path):
    base = AutoModelForCausalLM.from_pretrained(tiny_model.folder())
    tuned = get_peft_model(base, LoraConfig(r=2, target_modules=["q_proj", "v_proj"], init_lora_weights=False))
    tuned.save_pretrained(tmp_path)
    plain = LocalLanguageModel(tiny_model.folder(), dtype="float32")
    merged = LocalLanguageModel(tiny_model.folder(), tmp_path, dtype="float32")
    assert not hasattr(merged.model, "peft_config") or not any("lora" in n for n, _ in merged.model.named_parameters())
    tokens = torch.tensor([merged.cache.encode(PROMPT)])
    with torch.no_grad():
        torch.testing.assert_close(merged.model(tokens).logits, tuned(tokens).logits, atol=1e-4, rtol=1e-4)
    assert np.abs(plain.score(PROMPT, OPTIONS) - merged.score(PROMPT, OPTIONS)).max() > 1e-3
    assert merged.name.endswith(tmp_path.name)


def test_bfloat16_says_nearly_the_same_and_another_dtype_is_refused():
    exact = LocalLanguageModel(tiny_model.folder(), dtype="float32").score(PROMPT, OPTIONS)
    rounded = LocalLanguageModel(tiny_model.folder(), dtype="bfloat16").score(PROMPT, OPTIONS)
    assert 0 < np.abs(exact - rounded).max() < 1.0
    with pytest.raises(UnknownNameError, match="unknown dtype 'int8'; valid: auto"):
        LocalLanguageModel(tiny_model.folder(), dtype="int8")


def test_scores_that_are_no_numbers_are_an_error_and_leave_nothing_behind():
    model = LocalLanguageModel(tiny_model.folder(), dtype="float32")
    before = model.score(PROMPT, OPTIONS)
    weights = next(model.model.parameters())
    kept = weights.clone()
    weights[:] = float("nan")

    class Anything:
        def viable(self, text, ended):
            return True

    asked = (
        lambda: model.score(f"{PROMPT} ", OPTIONS),
        lambda: model.generate(PROMPT),
        lambda: model.generate(PROMPT, grammar=Anything()),
        lambda: model.scorer.score_naively(PROMPT, OPTIONS),
    )
    for ask in asked:
        with pytest.raises(LanguageModelError, match="no numbers"):
            ask()
    assert not model.cache.prefix and not model.cache.length
    weights[:] = kept
    np.testing.assert_allclose(model.score(PROMPT, OPTIONS), before, atol=1e-5)


def test_a_prompt_that_is_too_long_is_refused():
    with pytest.raises(RequestRefusedError, match="takes"):
        LocalLanguageModel(tiny_model.folder(), dtype="float32").score(PROMPT * 1000, OPTIONS)


def test_unknown_model_and_adapter_are_named_with_the_valid_ones():
    with pytest.raises(UnknownNameError, match="smollm2"):
        LocalLanguageModel("gpt-17")
    with pytest.raises(FileNotFoundError, match="no adapter 'nope'"):
        find_adapter("nope")


@pytest.fixture
def adapter(tmp_path):
    """A folder with an adapter of rank 2 for two of the tiny model's layers."""
    base = AutoModelForCausalLM.from_pretrained(tiny_model.folder())
    get_peft_model(base, LoraConfig(r=2, target_modules=["q_proj", "v_proj"])).save_pretrained(tmp_path / "adapter")
    return tmp_path / "adapter"


def change(file, **values):
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


def cut(file):
    file.write_bytes(file.read_bytes()[:-100])


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda folder: change(folder / "adapter_config.json", r=4), "size mismatch"),
        (lambda folder: change(folder / "adapter_config.json", target_modules=["o_proj"]), "missing adapter keys"),
        (lambda folder: change(folder / "adapter_config.json", target_modules=["other"]), "not found in the base"),
        (lambda folder: cut(folder / "adapter_model.safetensors"), "file not fully covered"),
        (lambda folder: (folder / "adapter_model.safetensors").unlink(), "it has no adapter_model.safetensors"),
    ],
    ids=["of another rank", "without the weights it names", "of another model", "cut", "empty"],
)
def test_an_adapter_that_does_not_fit_is_named_in_one_line_with_the_next_step(adapter, damage, said):
    damage(adapter)
    with pytest.raises(WeightsError) as refused:
        LocalLanguageModel(tiny_model.folder(), adapter)
    line = str(refused.value)
    assert line.startswith(f"the adapter {adapter} cannot be loaded: ") and said in line
    assert line.endswith(f"; take one that was made for {tiny_model.folder().name}, or copy it again")
    assert "\n" not in line and len(line) < 500


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda folder: cut(folder / "model.safetensors"), "file not fully covered"),
        (
            lambda folder: change(folder / "config.json", num_hidden_layers=3),
            "9 weights are missing or of",
        ),
        (lambda folder: change(folder / "config.json", hidden_size=64), "missing or of another size, first lm_head"),
        (lambda folder: cut(folder / "tokenizer.json"), "line"),
    ],
    ids=["cut", "without a layer", "of another size", "with a cut tokenizer"],
)
def test_a_model_that_is_not_whole_is_named_in_one_line_and_not_completed_at_random(tmp_path, capfd, damage, said):
    folder = tmp_path / "model"
    shutil.copytree(tiny_model.folder(), folder)
    damage(folder)
    capfd.readouterr()
    with pytest.raises(WeightsError) as refused:
        LocalLanguageModel(folder)
    line = str(refused.value)
    assert line.startswith(f"the model {folder} cannot be loaded: ") and said in line
    assert line.endswith("; copy it again from where it came") and "\n" not in line
    assert "LOAD REPORT" not in capfd.readouterr().err


def test_a_broken_model_of_the_cache_can_be_fetched_again(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "fmrl_ros" / "models" / "smollm2"
    shutil.copytree(tiny_model.folder(), folder)
    cut(folder / "model.safetensors")
    with pytest.raises(WeightsError, match="delete this folder and fetch it again: fmrl fetch"):
        LocalLanguageModel("smollm2")
