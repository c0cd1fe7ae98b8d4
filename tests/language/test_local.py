import numpy as np
import pytest
import tiny_model
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

from fmrl_ros.language.local import LocalLanguageModel, find_adapter
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


def test_unknown_model_and_adapter_are_named_with_the_valid_ones():
    with pytest.raises(UnknownNameError, match="smollm2"):
        LocalLanguageModel("gpt-17")
    with pytest.raises(FileNotFoundError, match="no adapter 'nope'"):
        find_adapter("nope")
