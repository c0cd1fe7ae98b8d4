"""A vision-language model behind an OpenAI-compatible server that takes ``image_url``: vLLM, SGLang, a hosted one."""

from __future__ import annotations

import base64
import io
import math
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from fmrl_ros.language.language_model import LanguageModelError
from fmrl_ros.language.openai_connection import Server, chat_answer
from fmrl_ros.language.server_url import model_at, without_secrets
from fmrl_ros.perception.backends.backend import BackendError, Observation, pictures
from fmrl_ros.perception.backends.generative import GenerativeBackend
from fmrl_ros.perception.backends.wording import SUCCESS, neither_yes_nor_no, verdict_of
from fmrl_ros.perception.view import View
from fmrl_ros.worlds.scene import Verdict
from fmrl_ros.worlds.world import Skill, World

_T = TypeVar("_T")

PROBABILITY_OF_WORD = 0.9
"""Probability given to a "yes" or "no" of a server that offers no log-probabilities."""
YES, NO = "yes", "no"


class OpenAIVision(GenerativeBackend):
    """A client. The key is read from ``OPENAI_API_KEY`` and never logged.

    Args:
      model: ``MODEL@URL``, for example ``Qwen/Qwen2.5-VL-7B-Instruct@http://localhost:8000/v1``.
      world: What there is to see.
      timeout: Of one request, in seconds.
      retries, loading: See `Server`.
      longest: Tokens of an answer at most.

    Raises BackendError if `model` has another form.
    """

    def __init__(
        self,
        model: str,
        world: World,
        timeout: float = 30.0,
        retries: int = 2,
        longest: int = 512,
        loading: float = 30.0,
    ) -> None:
        super().__init__(model, world)
        self.check(model)
        name, url = model_at(model)
        self._server, self._longest = Server(name, url, timeout, retries, loading), longest

    @classmethod
    def check(cls, model: str) -> None:
        """See `Backend`; whether the server answers is not asked."""
        try:
            model_at(model)
        except ValueError as error:
            raise BackendError(f"cannot use the model '{without_secrets(f'openai:{model}')}': {error}") from None

    @property
    def name(self) -> str:
        """See `Backend`; without a password or a query of the server's URL."""
        return f"{type(self).__name__} {without_secrets(f'openai:{self.model}').removeprefix('openai:')}"

    def judge(self, skill: Skill, before: Observation, after: Observation) -> Verdict:
        """See `Backend`; a server that says neither yes nor no gives an unknown."""
        question = SUCCESS.format(phrase=skill.phrase)
        views = (*before.views, *after.views)
        probability = self._ask(question, views, _probability_of_yes, max_tokens=4, logprobs=True, top_logprobs=10)
        if probability is None:
            return neither_yes_nor_no(self._server.name, skill)
        return verdict_of(probability, skill)

    def generate(self, prompt: str, views: Sequence[View]) -> str:
        """See `GenerativeBackend`."""
        text = self._ask(prompt, views, chat_answer, max_tokens=self._longest)
        if text is None:
            raise BackendError(
                f"{self._server.name} gave no answer: it was still thinking after {self._longest} tokens"
            )
        return text.strip()

    def _ask(self, text: str, views: Sequence[View], read: Callable[[Any], _T], **request: Any) -> _T:
        content = [
            *({"type": "image_url", "image_url": {"url": _data_url(image)}} for image in pictures(views)),
            {"type": "text", "text": text},
        ]
        try:
            messages = [{"role": "user", "content": content}]
            return self._server.complete_chat(messages, read, temperature=0.0, **request)
        except LanguageModelError as error:
            raise BackendError(str(error)) from error


def _data_url(image: Any) -> str:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def _probability_of_yes(choice: Any) -> float | None:
    """Return the probability of yes against no in a chat choice; None if its first word is neither."""
    likely = _likely_first_words(choice)
    if likely:
        yes, no = (sum(p for word, p in likely if word == answer) for answer in (YES, NO))
        first, _ = max(likely, key=lambda each: each[1])
        return yes / (yes + no) if first in (YES, NO) else None
    word = re.match(r"\W*(\w+)", (chat_answer(choice) or "").lower())
    return {YES: PROBABILITY_OF_WORD, NO: 1 - PROBABILITY_OF_WORD}.get(word[1] if word else "")


def _likely_first_words(choice: Any) -> list[tuple[str, float]]:
    """Return the tokens that a chat choice may begin with, in small letters alone, and their probabilities.

    Tokens of blanks and punctuation before the first word are passed over.
    """
    for token in (choice.logprobs.content or []) if choice.logprobs else []:
        likely = [(re.sub(r"\W", "", t.token).lower(), math.exp(t.logprob)) for t in token.top_logprobs]
        if likely and max(likely, key=lambda each: each[1])[0]:
            return likely
    return []
