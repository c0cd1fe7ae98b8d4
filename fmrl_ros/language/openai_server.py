"""A language model behind an OpenAI-compatible server: vLLM, llama.cpp, Ollama, SGLang, or a hosted one.

Scoring asks ``/v1/completions`` to echo prompt and option with their token log-probabilities (vLLM and others
offer it). A server that does not is asked instead, once and for all options, to choose by ``/v1/chat/completions``;
its answer is matched to the nearest option. Those scores rank options but are no probabilities of the model:
the answer's option gets `CHOSEN` of the mass, the others share the rest by their likeness to the answer.
"""

from __future__ import annotations

import difflib
import logging
import math
import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import openai
from numpy.typing import NDArray
from openai.types import Completion

from fmrl_ros.language.language_model import Grammar, LanguageModelError

logger = logging.getLogger(__name__)

CHOSEN = 0.9
"""Probability given to the option that a chat answer names, where the server has no log-probabilities."""

BAD_REQUEST, NOT_OFFERED = 400, (404, 405, 422, 501)
"""Statuses of a server that will not have a request, and of one that knows none such."""
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
      base_url: For example ``http://localhost:8000/v1``. A password and a query in it are sent, and are in no message.
      timeout: Seconds in which nothing comes from the server.
      retries: Of a request that timed out, was refused or met a server error, with growing pauses, or such as the
        server asks for (``Retry-After``), of two minutes at most.
    """

    def __init__(self, model: str, base_url: str, timeout: float, retries: int) -> None:
        url = urlsplit(base_url)
        self.model, self.name = model, f"{model} at {url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"
        self._key = os.environ.get("OPENAI_API_KEY", "")
        self.client = openai.OpenAI(
            base_url=url._replace(query="", fragment="").geturl(),
            default_query=dict(parse_qsl(url.query)),
            api_key=self._key or "none",  # local servers want some key, any
            timeout=timeout,
            max_retries=retries,
        )

    def complete_chat(self, messages: Sequence[Any], read: Callable[[Any], _Answer], **request: Any) -> _Answer:
        """Return what `read` makes of the server's answer to a chat, its first choice.

        Raises:
          LanguageModelError: If the server does not answer, or not to such a request.
        """
        create: Any = self.client.chat.completions.create
        try:
            return self.ask(
                lambda: create(model=self.model, messages=messages, **request), lambda answer: read(answer.choices[0])
            )
        except UnsupportedError as error:
            raise LanguageModelError(
                f"{self.name} answers {error}; check the model's name, and that the URL ends in /v1"
            ) from error

    def ask(self, request: Callable[[], Any], read: Callable[[Any], _Answer]) -> _Answer:
        """Send a request and return what `read` makes of its answer; say without the key what went wrong.

        Raises:
          UnsupportedError: If the server knows no such request, or will not have this one.
          LanguageModelError: If it does not answer, or `read` finds something else than it should.
        """
        try:
            answer = request()
            if not getattr(answer, "choices", None):
                raise LanguageModelError(f"{self.name} sent something that is no answer; does the URL end in /v1?")
            return read(answer)
        except openai.APITimeoutError:
            raise LanguageModelError(f"{self.name} did not answer in time; is it overloaded?") from None
        except openai.APIConnectionError:
            raise LanguageModelError(f"{self.name} cannot be reached; is the server running there?") from None
        except openai.AuthenticationError:
            raise LanguageModelError(f"{self.name} refuses the key; set OPENAI_API_KEY") from None
        except openai.APIStatusError as error:
            said, status = self._said(error), error.status_code
            of_scores = any(word in said.lower() for word in ("echo", "logprob"))
            if of_scores or status in NOT_OFFERED or status == BAD_REQUEST:
                always = of_scores or status != BAD_REQUEST
                raise UnsupportedError(f"status {status}" + (f" ({said})" if said else ""), always) from None
            raise LanguageModelError(f"{self.name} failed with status {status}") from None
        except openai.APIError:
            raise LanguageModelError(f"{self.name} sent something that is no answer") from None
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            raise LanguageModelError(f"{self.name} sent something that is no answer ({error})") from error

    def _said(self, error: openai.APIStatusError) -> str:
        """Return what the server says of an error, on one line, without the key."""
        body = error.body if isinstance(error.body, dict) else {}
        said = " ".join(str(body.get("message") or "").split())
        return (said.replace(self._key, "***") if self._key else said)[:LONGEST_MESSAGE]


class OpenAILanguageModel:
    """A client of an OpenAI-compatible server. The key is read from ``OPENAI_API_KEY`` and never logged.

    Args:
      model: The model's name at the server.
      base_url: For example ``http://localhost:8000/v1``.
      timeout: Seconds in which nothing comes from the server.
      retries: See `Server`.
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
        """Return ``log p(option | prompt)`` for each option, shape [n], nats.

        Of a server without log-probabilities (`scores_exactly` is False) they are scores by likeness to its answer.

        Raises:
          LanguageModelError: If the server does not answer.
          ValueError: If the prompt is empty.
        """
        if not prompt:
            raise ValueError("the prompt is empty")
        if not options:
            return np.zeros(0)
        if self._echoes is False:
            return self._matched(prompt, options)
        try:
            scores = self._echoed(prompt, options)
            self._echoes = True
        except UnsupportedError as error:
            logger.warning("%s: %s; its chat answer is matched instead", self.name, error)
            scores = self._matched(prompt, options)
            if error.always:
                self._echoes = False
        return scores

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
            create: Any = self._server.client.completions.create
            return self._server.ask(
                lambda: create(model=self.model, prompt=prompt, **request), lambda answer: answer.choices[0].text or ""
            )
        except UnsupportedError:
            return self._chat([{"role": "user", "content": prompt}], **request)

    def _echoed(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        """Return exact scores.

        Raises UnsupportedError if the server does not echo log-probabilities, or not of this prompt.
        """
        scores: list[float] = []
        for start in range(0, len(options), self.batch):
            some = options[start : start + self.batch]
            scores += self._server.ask(
                partial(self._echo, [prompt + option for option in some]),
                partial(_sums_of_options, prompt=prompt, options=some),
            )
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
        if not answer.strip():
            raise LanguageModelError(f"{self.name} chose nothing: its chat answer is empty")
        return match_scores(answer, phrases)

    def _chat(self, messages: list[dict[str, str]], **request: Any) -> str:
        return self._server.complete_chat(messages, lambda choice: choice.message.content or "", **request)


def _sums_of_options(answer: Completion, prompt: str, options: Sequence[str]) -> list[float]:
    """Return the log-probability of each option behind a prompt in echoed texts, nats.

    Raises:
      UnsupportedError: If a text has none.
      ValueError: If there are not as many texts, or a sum is no number.
    """
    choices = sorted(answer.choices, key=lambda choice: choice.index)
    sums = [_sum_of_option(choice, prompt, option) for option, choice in zip(options, choices, strict=True)]
    if any(map(math.isnan, sums)):
        raise ValueError("a log-probability is no number")
    return sums


def _sum_of_option(choice: Any, prompt: str, option: str) -> float:
    """Return the log-probability of an option behind a prompt in an echoed text, nats.

    A token that begins before the option's end counts; one that straddles its start belongs to the option as well. The
    text begins where the tokens spell it: some servers put a token of their own before it.

    Raises:
      UnsupportedError: If the text has no log-probabilities, or the tokens do not spell it (of a letter that is several
        tokens some servers show none).
    """
    echoed = choice.logprobs
    if echoed is None or not echoed.tokens or not echoed.token_logprobs:
        raise UnsupportedError("no log-probabilities of a prompt", always=True)
    start = "".join(echoed.tokens).find(prompt + option)
    if start < 0:
        raise UnsupportedError("its tokens do not spell the prompt", always=False)
    begins = accumulate(map(len, echoed.tokens), initial=-start)
    counted = [
        log_p
        for token, offset, log_p in zip(echoed.tokens, begins, echoed.token_logprobs, strict=False)
        if offset < len(prompt) + len(option) and offset + len(token) > len(prompt)
    ]
    if None in counted:
        raise UnsupportedError("no log-probabilities of a prompt", always=True)
    return float(sum(counted))


def match_scores(answer: str, phrases: Sequence[str]) -> NDArray[np.float64]:
    """Return log scores, shape [n], of options by their likeness to a free answer (the documented fallback)."""
    said = answer.strip().strip("-*\"'`. ").lower()
    likeness = np.array([difflib.SequenceMatcher(None, said, phrase.lower()).ratio() for phrase in phrases])
    contained = np.array([len(p) if re.search(rf"(?<!\w){re.escape(p.lower())}(?!\w)", said) else 0 for p in phrases])
    best = int(np.argmax(contained)) if contained.any() else int(np.argmax(likeness))
    if len(phrases) == 1:
        return np.zeros(1)
    rest = likeness + 1e-3
    rest[best] = 0.0
    shares = (1 - CHOSEN) * rest / rest.sum()
    shares[best] = CHOSEN
    return np.asarray(np.log(shares))
