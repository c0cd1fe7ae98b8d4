"""A language model behind an OpenAI-compatible server: vLLM, llama.cpp, Ollama, SGLang, or a hosted one.

Scoring asks ``/v1/completions`` to echo prompt and option with their token log-probabilities (vLLM and others offer it;
`echoed_scores`). A server that does not is asked instead, once and for all options, to choose by
``/v1/chat/completions``; its answer is matched to the nearest option (`answer_matching`). Where the answer's option is
ruled out, the server is asked to name one of the others: none takes its place for being spelt alike.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from openai.types import Completion

from fmrl_ros.language.answer_matching import CHOSEN, NAMED, match_scores, named_option
from fmrl_ros.language.echoed_scores import option_scores
from fmrl_ros.language.language_model import Found, Grammar, LanguageModelError
from fmrl_ros.language.openai_connection import Server, UnsupportedError, chat_answer, text_of

logger = logging.getLogger(__name__)

ANSWER_TOKENS, THOUGHT_TOKENS = 48, 1024
"""Tokens of a chat answer, and how many more one has of a model that was still thinking."""


class OpenAILanguageModel:
    """A client of an OpenAI-compatible server. The key is read from ``OPENAI_API_KEY`` and never logged.

    Args:
      model: The model's name at the server.
      base_url: For example ``http://localhost:8000/v1``.
      timeout, retries: See `Server`.
      batch: Options a request when scoring.
    """

    def __init__(
        self,
        model: str,
        base_url: str = "http://localhost:8000/v1",
        timeout: float = 30.0,
        retries: int = 2,
        batch: int = 64,
    ) -> None:
        self.model, self.batch = model, batch
        self._server = Server(model, base_url, timeout, retries)
        self._echoes: bool | None = None
        self._thinks = False

    @property
    def name(self) -> str:
        """Model and server."""
        return self._server.name

    @property
    def scores_exactly(self) -> bool | None:
        """True if the server offers log-probabilities, False if answers are matched, None before the first call."""
        return self._echoes

    def score(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        """Return ``log p(option | prompt)`` for each option, shape [n], nats.

        Of a server without log-probabilities (`scores_exactly` is False) they are scores by likeness to its answer.

        Raises:
          LanguageModelError: If the server does not answer.
          ValueError: If the prompt is empty.
        """
        return self._scored(prompt, options)[0]

    def best(self, prompt: str, options: Sequence[str], weights: NDArray[np.float64], count: int) -> Found:
        """Score every option; where a chat answer chooses one of no weight, ask for one of the others.

        See `SearchingModel`. Raises as `score` does.
        """
        scores, exact = self._scored(prompt, options)
        possible = np.flatnonzero(weights > 0).tolist()
        if not exact and possible and weights[first := int(np.argmax(scores))] <= 0:
            others = [options[i] for i in possible]
            second = named_option(self._choice(prompt, others), others)
            scores = np.full(len(options), np.log(1 - NAMED))
            scores[first] = np.log(CHOSEN)
            if second is not None:
                scores[possible[second]] = np.log(1 - CHOSEN)
        return Found(scores, np.ones(len(options), bool))

    def generate(
        self,
        prompt: str,
        stop: Sequence[str] = ("\n",),
        max_tokens: int = 64,
        grammar: Sequence[str] | Grammar | None = None,
    ) -> str:
        """Return the model's continuation; with a grammar, the option that scores best.

        Raises:
          LanguageModelError: If the server does not answer.
        """
        if isinstance(grammar, Sequence):
            return grammar[int(np.argmax(self.score(prompt, grammar)))]
        create: Any = self._server.client.completions.create
        request = {"max_tokens": max_tokens, "temperature": 0.0, "stop": list(stop) or None}
        try:
            return self._server.ask(
                lambda: create(model=self.model, prompt=prompt, **request),
                lambda answer: text_of(answer.choices[0].text),
            )
        except UnsupportedError:
            return self._chat([{"role": "user", "content": prompt}], max_tokens, stop)

    def _scored(self, prompt: str, options: Sequence[str]) -> tuple[NDArray[np.float64], bool]:
        """Return scores, and whether they are exact."""
        if not prompt:
            raise ValueError("the prompt is empty")
        if not options:
            return np.zeros(0), True
        if self._echoes is False:
            return self._matched(prompt, options), False
        try:
            scores = self._echoed(prompt, options)
        except UnsupportedError as error:
            logger.warning("%s: %s; its chat answer is matched instead", self.name, error)
            scores = self._matched(prompt, options)
            if error.always:
                self._echoes = False
            return scores, False
        self._echoes = True
        return scores, True

    def _echoed(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        """Return exact scores.

        Raises UnsupportedError if the server does not echo log-probabilities, or not of this prompt.
        """
        scores: list[float] = []
        for start in range(0, len(options), self.batch):
            some = options[start : start + self.batch]
            scores += self._server.ask(
                partial(self._echo, [prompt + option for option in some]),
                partial(option_scores, prompt=prompt, options=some),
            )
        return np.array(scores)

    def _echo(self, texts: list[str]) -> Completion:
        return self._server.client.completions.create(
            model=self.model, prompt=texts, echo=True, logprobs=1, max_tokens=1, temperature=0.0
        )

    def _matched(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        return match_scores(self._choice(prompt, options), options)

    def _choice(self, prompt: str, options: Sequence[str]) -> str:
        """Return a chat answer to the question which option comes next."""
        question = (
            "Continue the transcript with the robot's next action. Answer with exactly one of the actions listed, "
            "word for word, and nothing else.\n\nActions:\n" + "\n".join(f"- {option.strip()}" for option in options)
        )
        messages = [{"role": "system", "content": question}, {"role": "user", "content": prompt}]
        answer = self._chat(messages, ANSWER_TOKENS, whole=True)
        if not answer.strip():
            raise LanguageModelError(f"{self.name} chose nothing: its chat answer is empty")
        return answer

    def _chat(
        self, messages: list[dict[str, str]], max_tokens: int, stop: Sequence[str] = (), whole: bool = False
    ) -> str:
        """Return a chat answer without its thoughts.

        A model that is cut short while it thinks is given `THOUGHT_TOKENS` more tokens, now and from then on; stop
        strings, which may be in its thoughts, are looked for in its answer then. So is one that is cut short at all
        where its answer is to be `whole`: what it says may be thoughts that its template has begun.
        """
        ask = partial(self._server.complete_chat, messages, temperature=0.0)
        if not self._thinks:
            read = partial(chat_answer, whole=whole)
            said = ask(read, max_tokens=max_tokens, **({"stop": list(stop)} if stop else {}))
            if said is not None:
                return said
            self._thinks = True
        said = ask(chat_answer, max_tokens=max_tokens + THOUGHT_TOKENS)
        if said is None:
            raise LanguageModelError(
                f"{self.name} gave no answer: it was still thinking after {max_tokens + THOUGHT_TOKENS} tokens"
            )
        said = said.lstrip()
        return said[: min((said.index(s) for s in stop if s in said), default=None)]
