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

from fmrl_ros.language.answer_matching import CHOSEN, NAMED, scores_of, stated_option
from fmrl_ros.language.echoed_scores import option_scores
from fmrl_ros.language.language_model import Found, Grammar, LanguageModelError, RequestRefusedError
from fmrl_ros.language.offers import Offer, UnsupportedError
from fmrl_ros.language.openai_connection import Server, chat_answer, text_of

logger = logging.getLogger(__name__)

ANSWER_TOKENS, THOUGHT_TOKENS = 48, 1024
"""Tokens of a chat answer, and how many more one has of a model that was still thinking."""
QUOTED_LETTERS = 120
"""Letters of a server's answer that are repeated where it chooses nothing."""
SIMPLEST = "Robot:"
"""A prompt that no server refuses for what is in it."""
QUESTION = (
    "Continue the transcript with the robot's next action. Answer with exactly one of the actions listed, "
    "word for word, and nothing else.\n\nActions:\n"
)
SECOND_QUESTION = (
    "That is not exactly one of the actions listed. Answer with one of them, word for word, and nothing else; "
    "answer none if none of them comes next."
)


class OpenAILanguageModel:
    """A client of an OpenAI-compatible server. The key is read from ``OPENAI_API_KEY`` and never logged.

    Args:
      model: The model's name at the server.
      base_url: For example ``http://localhost:8000/v1``.
      timeout, retries, loading: See `Server`.
      batch: Options a request when scoring.

    Raises ValueError as `Server` does.
    """

    def __init__(
        self,
        model: str,
        base_url: str = "http://localhost:8000/v1",
        timeout: float = 30.0,
        retries: int = 2,
        batch: int = 64,
        loading: float = 120.0,
    ) -> None:
        self.model, self.batch = model, batch
        self._server = Server(model, base_url, timeout, retries, loading)
        self._echo_offer = Offer(lambda: self._echoed(SIMPLEST, [" done"]))
        self._completion_offer = Offer(lambda: self._completed(SIMPLEST, max_tokens=1))
        self._thinks = False

    @property
    def name(self) -> str:
        """Model and server."""
        return self._server.name

    @property
    def scores_exactly(self) -> bool | None:
        """True if the server offers log-probabilities, False if answers are matched, None before that is known."""
        return self._echo_offer.known

    def score(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        """Return ``log p(option | prompt)`` for each option, shape [n], nats.

        Of a server without log-probabilities (`scores_exactly` is False) they say which option its answer states.

        Raises:
          RequestRefusedError: If its answer states none; quotes it.
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
            second, _ = self._choice(prompt, others)
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
        if self._completion_offer.known is not False:
            try:
                text = self._completed(prompt, max_tokens=max_tokens, temperature=0.0, stop=list(stop) or None)
            except UnsupportedError as error:
                refusal = error
            else:
                self._completion_offer.accepted()
                return text
            said = self._chat([{"role": "user", "content": prompt}], max_tokens, stop)
            self._completion_offer.refused(refusal)
            return said
        return self._chat([{"role": "user", "content": prompt}], max_tokens, stop)

    def _completed(self, prompt: str, **request: Any) -> str:
        """Return a completion. Raises UnsupportedError if the server offers none, or not of this prompt."""
        create: Any = self._server.client.completions.create
        return self._server.ask(
            lambda: create(model=self.model, prompt=prompt, **request), lambda answer: text_of(answer.choices[0].text)
        )

    def _scored(self, prompt: str, options: Sequence[str]) -> tuple[NDArray[np.float64], bool]:
        """Return scores, and whether they are exact."""
        if not prompt:
            raise ValueError("the prompt is empty")
        if not options:
            return np.zeros(0), True
        if self._echo_offer.known is False:
            return self._stated(prompt, options), False
        try:
            scores = self._echoed(prompt, options)
        except UnsupportedError as error:
            refusal = error
        else:
            self._echo_offer.accepted()
            return scores, True
        logger.warning("%s: %s; it is asked to choose by chat instead", self.name, refusal)
        scores = self._stated(prompt, options)
        self._echo_offer.refused(refusal)
        return scores, False

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

    def _stated(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        """Return scores by what the server's chat answer states; raise RequestRefusedError if it states nothing."""
        stated, answer = self._choice(prompt, options)
        if stated is None:
            raise RequestRefusedError(f"{self.name} chose none of the options; it says: '{_quoted(answer)}'")
        return scores_of(stated, len(options))

    def _choice(self, prompt: str, options: Sequence[str]) -> tuple[int | None, str]:
        """Return which option comes next by chat, None if that stays unsaid when asked once more; and the answer."""
        question = QUESTION + "\n".join(f"- {option.strip()}" for option in options)
        messages = [{"role": "system", "content": question}, {"role": "user", "content": prompt}]
        answer = self._chat(messages, ANSWER_TOKENS, whole=True)
        if not answer.strip():
            raise LanguageModelError(f"{self.name} chose nothing: its chat answer is empty")
        stated = stated_option(answer, options)
        if stated is None:
            said = {"role": "assistant", "content": _quoted(answer)}
            again = [*messages, said, {"role": "user", "content": SECOND_QUESTION}]
            stated = stated_option(self._chat(again, ANSWER_TOKENS, whole=True), options)
        return stated, answer

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


def _quoted(answer: str) -> str:
    """Return the beginning of an answer on one line."""
    said = " ".join(answer.split())
    return said if len(said) <= QUOTED_LETTERS else said[: QUOTED_LETTERS - 3] + "..."
