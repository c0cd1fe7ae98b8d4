"""Any image-text-to-text model of the transformers library (SmolVLM, Qwen2.5-VL, ...) that looks at pictures.

Success is read from the probabilities of "yes" and "no", not from what the model happens to write, as in
"Vision-Language Models as Success Detectors" (Du et al. 2023, https://arxiv.org/abs/2303.07280). A model whose most
probable first token is neither does not judge.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import torch

from fmrl_ros.device import torch_device
from fmrl_ros.home import user_path
from fmrl_ros.language.thoughts import without_thoughts
from fmrl_ros.loading import explained
from fmrl_ros.perception.backends.backend import (
    GIVE,
    BackendError,
    Observation,
    check_transformers_model,
    pictures,
    with_weights,
)
from fmrl_ros.perception.backends.generative import GenerativeBackend
from fmrl_ros.perception.backends.wording import SUCCESS, neither_yes_nor_no, verdict_of
from fmrl_ros.perception.view import View
from fmrl_ros.worlds.scene import Verdict
from fmrl_ros.worlds.world import Skill, World


class VisionLanguageModel(GenerativeBackend):
    """A local vision-language model.

    Args:
      model: A folder in Hugging Face format, or a name of the hub.
      world: What there is to see.
      device: ``auto`` (a GPU if there is one), or a device of torch.
      longest: Tokens of an answer at most.

    Raises BackendError if the model cannot be loaded.
    """

    @classmethod
    def check(cls, model: str) -> None:
        """See `Backend`."""
        check_transformers_model("vlm", model)

    def __init__(self, model: str, world: World, device: str = "auto", longest: int = 512) -> None:
        super().__init__(model, world)
        from transformers import AutoModelForImageTextToText, AutoProcessor

        on, source = torch_device(device), str(user_path(model))
        dtype = torch.bfloat16 if on.type == "cuda" else torch.float32
        with explained(BackendError, f"the backend vlm:{model}", GIVE):
            self._processor: Any = AutoProcessor.from_pretrained(source)
            self._model: Any = with_weights(AutoModelForImageTextToText, source, dtype=dtype).to(on).eval()
        self._longest, self._lock = longest, threading.Lock()

    def judge(self, skill: Skill, before: Observation, after: Observation) -> Verdict:
        """See `Backend`; a model that would say neither yes nor no gives an unknown."""
        logits = self._first_logits(SUCCESS.format(phrase=skill.phrase), (*before.views, *after.views))
        if int(logits.argmax()) not in [token for answer in self._answers() for token in answer]:
            return neither_yes_nor_no(self.name, skill)
        return verdict_of(self._probability_of_yes(logits), skill)

    def probability(self, question: str, views: Sequence[View]) -> float:
        """Return the probability of "yes" against "no" as the answer to a question about pictures."""
        return self._probability_of_yes(self._first_logits(question, views))

    def _first_logits(self, question: str, views: Sequence[View]) -> torch.Tensor:
        """Return the logits of the first token of an answer, shape [vocabulary]."""
        with self._lock, torch.inference_mode():
            logits: torch.Tensor = self._model(**self._inputs(question, views)).logits[0, -1].float()
        return logits

    def _answers(self) -> list[list[int]]:
        """Return the tokens with which a yes and a no begin."""
        return [self._first_tokens(words) for words in (("yes", "Yes", " yes", " Yes"), ("no", "No", " no", " No"))]

    def _probability_of_yes(self, logits: torch.Tensor) -> float:
        yes, no = (torch.logsumexp(logits[tokens], 0) for tokens in self._answers())
        return float(torch.sigmoid(yes - no))

    def generate(self, prompt: str, views: Sequence[View]) -> str:
        """See `GenerativeBackend`; its most probable words, without its thoughts."""
        with self._lock, torch.inference_mode():
            inputs = self._inputs(prompt, views)
            tokens = self._model.generate(**inputs, max_new_tokens=self._longest, do_sample=False)
        texts = self._processor.batch_decode(tokens[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
        text = without_thoughts(str(texts[0]))
        if text is None:
            raise BackendError(f"{self.name} gave no answer: it was still thinking after {self._longest} tokens")
        return text.strip()

    def _inputs(self, text: str, views: Sequence[View]) -> Any:
        images = pictures(views)
        content = [*({"type": "image"} for _ in images), {"type": "text", "text": text}]
        prompt = self._processor.apply_chat_template([{"role": "user", "content": content}], add_generation_prompt=True)
        return self._processor(text=prompt, images=images, return_tensors="pt").to(
            self._model.device, self._model.dtype
        )

    def _first_tokens(self, words: Sequence[str]) -> list[int]:
        tokenizer = self._processor.tokenizer
        return sorted({tokenizer(word, add_special_tokens=False).input_ids[0] for word in words})
