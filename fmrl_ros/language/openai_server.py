"""A language model behind an OpenAI-compatible server: vLLM, llama.cpp, Ollama, SGLang, or a hosted one.

Scoring asks ``/v1/completions`` to echo prompt and option with their token log-probabilities (vLLM and others
offer it). A server that does not is asked instead, once and for all options, to choose by ``/v1/chat/completions``;
its answer is matched to the nearest option. Those scores rank options but are no probabilities of the model:
the answer's option gets `CHOSEN` of the mass, the others share the rest by their likeness to the answer.
"""

from __future__ import annotations

import difflib
import logging
import os
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, TypeVar
from urllib.parse import urlsplit

import numpy as np
import openai
from numpy.typing import NDArray
from openai.types import Completion

from fmrl_ros.language.language_model import Grammar, LanguageModelError

logger = logging.getLogger(__name__)

CHOSEN = 0.9
"""Probability given to the option that a chat answer names, where the server has no log-probabilities."""

LONGEST_MESSAGE = 200
"""Letters of a server's message that are repeated."""

_Answer = TypeVar("_Answer")


class UnsupportedError(Exception):
    """The server does not offer what was asked, or not for this request.

    Attributes:
      always: True if it never will.
    """

    def __init__(self, message: str, always: bool) -> None:
        super().__init__(message)
        self.always = always


class Server:
    """A connection to an OpenAI-compatible server. The key is read from ``OPENAI_API_KEY`` and never logged.

    Args:
      model: The model's name at the server.
      base_url: For example ``http://localhost:8000/v1``. A password in it is sent, and never logged.
      timeout: Seconds in which nothing comes from the server.
      retries: Of a request that timed out, was refused or met a server error, with growing pauses.
    """

    def __init__(self, model: str, base_url: str, timeout: float, retries: int) -> None:
        url = urlsplit(base_url)
        self.model, self.name = model, f"{model} at {url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"
        key = os.environ.get("OPENAI_API_KEY") or "none"  # local servers want some key, any
        self.client = openai.OpenAI(base_url=base_url, api_key=key, timeout=timeout, max_retries=retries)

    def complete_chat(self, messages: Sequence[Any], **request: Any) -> Any:
        """Return the server's answer to a chat.

        Raises:
          LanguageModelError: If the server does not answer, or not to such a request.
        """
        create: Any = self.client.chat.completions.create
        try:
            return self.ask(lambda: create(model=self.model, messages=messages, **request))
        except UnsupportedError as error:
            raise LanguageModelError(
                f"{self.name} answers {error}; check the model's name, and that the URL ends in /v1"
            ) from error

    def ask(self, request: Callable[[], _Answer]) -> _Answer:
        """Send a request; say in our own words, and without the key, what went wrong.

        Raises:
          UnsupportedError: If the server knows no such request, or will not have this one.
          LanguageModelError: If it does not answer.
        """
        try:
            answer = request()
        except (openai.BadRequestError, openai.NotFoundError, openai.UnprocessableEntityError) as error:
            said = _said(error)
            always = error.status_code != 400 or any(word in said.lower() for word in ("echo", "logprob"))
            raise UnsupportedError(f"status {error.status_code}" + (f" ({said})" if said else ""), always) from None
        except openai.APITimeoutError:
            raise LanguageModelError(f"{self.name} did not answer in time; is it overloaded?") from None
        except openai.APIConnectionError:
            raise LanguageModelError(f"{self.name} cannot be reached; is the server running there?") from None
        except openai.AuthenticationError:
            raise LanguageModelError(f"{self.name} refuses the key; set OPENAI_API_KEY") from None
        except openai.APIStatusError as error:
            raise LanguageModelError(f"{self.name} failed with status {error.status_code}") from None
        except openai.APIError:
            raise LanguageModelError(f"{self.name} sent something that is no answer") from None
        if not getattr(answer, "choices", None):
            raise LanguageModelError(f"{self.name} sent something that is no answer; does the URL end in /v1?")
        return answer


def _said(error: openai.APIStatusError) -> str:
    """Return what the server says of an error, on one line."""
    body = error.body if isinstance(error.body, dict) else {}
    return " ".join(str(body.get("message") or "").split())[:LONGEST_MESSAGE]


class OpenAILanguageModel:
    """A client of an OpenAI-compatible server. The key is read from ``OPENAI_API_KEY`` and never logged.

    Args:
      model: The model's name at the server.
      base_url: For example ``http://localhost:8000/v1``.
      timeout: Seconds in which nothing comes from the server.
      retries: Of a request that timed out, was refused or met a server error, with growing pauses.
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

    @property
    def name(self) -> str:
        """Model and server."""
        return self._server.name

    @property
    def scores_exactly(self) -> bool | None:
        """True if the server offers log-probabilities, False if answers are matched, None before the first call."""
        return self._echoes

    def score(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        """Return ``log p(option | prompt)`` for each option, shape [n].

        Raises:
          LanguageModelError: If the server does not answer.
        """
        if not options:
            return np.zeros(0)
        if self._echoes is not False:
            try:
                scores = self._echoed(prompt, options)
                self._echoes = True
                return scores
            except UnsupportedError as error:
                if error.always:
                    self._echoes = False
                logger.warning("%s: %s; its chat answer is matched instead", self.name, error)
        return self._matched(prompt, options)

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
        request = {"max_tokens": max_tokens, "temperature": 0.0, "stop": list(stop) or None}
        try:
            answer = self._server.ask(
                lambda: self._server.client.completions.create(model=self.model, prompt=prompt, **request)
            )
            return str(answer.choices[0].text)
        except UnsupportedError:
            messages = [{"role": "user", "content": prompt}]
            return str(self._chat(messages, **request))

    def _echoed(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        """Return exact scores.

        Raises UnsupportedError if the server does not echo log-probabilities, or not of this prompt.
        """
        scores: list[float] = []
        for start in range(0, len(options), self.batch):
            some = options[start : start + self.batch]
            answer = self._server.ask(partial(self._echo, [prompt + option for option in some]))
            choices = sorted(answer.choices, key=lambda choice: choice.index)
            for option, choice in zip(some, choices, strict=False):
                score = _sum_of_option(choice, prompt, option)
                if score is not None:
                    scores.append(score)
            if len(scores) != start + len(some):
                raise UnsupportedError("no log-probabilities of a prompt", always=True)
        return np.array(scores)

    def _echo(self, texts: list[str]) -> Completion:
        return self._server.client.completions.create(
            model=self.model, prompt=texts, echo=True, logprobs=1, max_tokens=1, temperature=0.0
        )

    def _matched(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        phrases = [option.strip() for option in options]
        question = (
            "Continue the transcript with the robot's next action. Answer with exactly one of the actions listed, "
            "word for word, and nothing else.\n\nActions:\n" + "\n".join(f"- {p}" for p in phrases)
        )
        messages = [{"role": "system", "content": question}, {"role": "user", "content": prompt}]
        answer = self._chat(messages, max_tokens=48, temperature=0.0)
        return match_scores(answer, phrases)

    def _chat(self, messages: list[dict[str, str]], **request: Any) -> str:
        answer = self._server.complete_chat(messages, **request)
        return str(answer.choices[0].message.content or "")


def _sum_of_option(choice: Any, prompt: str, option: str) -> float | None:
    """Return the log-probability of an option behind a prompt in an echoed text, None if it is not there.

    A token that begins before the option's end counts; one that straddles its start belongs to the option as well. The
    text begins where the tokens spell it: some servers put a token of their own before it, and count its letters.
    """
    echoed = choice.logprobs
    if echoed is None or not echoed.token_logprobs or not echoed.text_offset or not echoed.tokens:
        return None
    lead = "".join(echoed.tokens).find(prompt + option)
    offsets = echoed.text_offset if lead < 0 else accumulate(map(len, echoed.tokens), initial=-lead)
    total, found = 0.0, False
    for token, offset, log_p in zip(echoed.tokens, offsets, echoed.token_logprobs, strict=False):
        if offset < len(prompt) + len(option) and offset + len(token) > len(prompt):
            if log_p is None:
                return None
            total, found = total + float(log_p), True
    return total if found else None


def match_scores(answer: str, phrases: Sequence[str]) -> NDArray[np.float64]:
    """Return log scores, shape [n], of options by their likeness to a free answer (the documented fallback)."""
    said = answer.strip().strip("-*\"'`. ").lower()
    likeness = np.array([difflib.SequenceMatcher(None, said, phrase.lower()).ratio() for phrase in phrases])
    contained = np.array([len(p) if p.lower() in said else 0 for p in phrases])
    best = int(np.argmax(contained)) if contained.any() else int(np.argmax(likeness))
    if len(phrases) == 1:
        return np.zeros(1)
    rest = likeness + 1e-3
    rest[best] = 0.0
    shares = (1 - CHOSEN) * rest / rest.sum()
    shares[best] = CHOSEN
    return np.asarray(np.log(shares))
