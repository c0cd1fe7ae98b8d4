import numpy as np
import pytest
import tiny_model
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

from fmrl_ros.language.language_model import LanguageModelError, RequestRefusedError
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
