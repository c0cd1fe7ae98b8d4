"""A language model behind an OpenAI-compatible server: vLLM, llama.cpp, Ollama, SGLang, or a hosted one.

Scoring asks ``/v1/completions`` to echo prompt and option with their token log-probabilities (vLLM and others
offer it). A server that does not is asked instead, once and for all options, to choose by ``/v1/chat/completions``;
its answer is matched to the nearest option. Those scores rank options but are no probabilities of the model:
an option that the answer names gets `NAMED` of the mass, one that it is only most like `CHOSEN`, and the others share
the rest by their likeness to the answer. Where the answer's option is ruled out, the server is asked to name one of the
others: none takes its place for being spelt alike. What a model thinks before its answer (``<think>...</think>``) is no
part of it.
"""

from __future__ import annotations

import base64
import difflib
import importlib
import logging
import math
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

import numpy as np
import openai
from numpy.typing import NDArray
from openai.types import Completion

from fmrl_ros.language.language_model import Found, Grammar, LanguageModelError, RequestRefusedError

logger = logging.getLogger(__name__)

httpx: Any = importlib.import_module(openai.DefaultHttpxClient.__base__.__module__.partition(".")[0])
"""The HTTP library that openai is built on: httpx, of late httpx2."""

NAMED, CHOSEN = 1 - 1e-5, 0.9
"""Probability given to the option that a chat answer names, and to one that it is only most like or that is ruled out,
where the server has no log-probabilities."""

ANSWER, THOUGHTS = 48, 1024
"""Tokens of a chat answer, and how many more one has of a model that was still thinking."""
PATIENCE = 4
"""An answer that trickles in is read for so many timeouts at most, then given up and not asked for again."""

REFUSED, UNKNOWN, NOT_OFFERED = (400, 413), (404, 405), (404, 405, 422, 501)
"""Statuses of a server that will not have a request, of one that knows no such address or model, and of one that offers
no such request."""
INVALID = 422
"""Status of a chat that is as wrong as one that is refused, where it says nothing of what the server offers."""
OTHERWISE = {"max_tokens": "max_completion_tokens", "temperature": None}
"""Parameters that some servers refuse, and what these call them; None for one that is left out."""
LONGEST_MESSAGE = 200
"""Letters of a server's message that are repeated."""

_Answer = TypeVar("_Answer")


class UnsupportedError(Exception):
    """The server does not offer what was asked, or not for this request.

    Attributes:
      always: True if it never will.
      status: The status of its answer, if that says so.
    """

    def __init__(self, message: str, always: bool, status: int | None = None) -> None:
        super().__init__(message)
        self.always, self.status = always, status


class _InTime(httpx.SyncByteStream):
    """The body of an answer, until patience ends: some servers send blanks for as long as they have nothing to say."""

    def __init__(self, answer: Any, seconds: float) -> None:
        self._stream, self._request, self._until = answer.stream, answer.request, time.monotonic() + seconds

    def __iter__(self) -> Iterator[bytes]:
        for part in self._stream:
            if time.monotonic() > self._until:
                raise openai.APITimeoutError(request=self._request)
            yield part

    def close(self) -> None:
        self._stream.close()


def _without_query(record: logging.LogRecord) -> bool:
    """Take the queries, in which keys may be, out of the URLs in a line of the HTTP library's log."""
    if isinstance(record.args, tuple):
        record.args = tuple(arg.copy_with(query=None) if isinstance(arg, httpx.URL) else arg for arg in record.args)
    return True


logging.getLogger(httpx.__name__).addFilter(_without_query)


class Server:
    """A connection to an OpenAI-compatible server. The key is read from ``OPENAI_API_KEY`` and never logged.

    Args:
      model: The model's name at the server.
      base_url: For example ``http://localhost:8000/v1``. A password and a query in it are sent, and are in no message.
      timeout: Seconds in which nothing comes from the server. What comes is read for `PATIENCE` times as long.
      retries: Of a request that timed out, was refused or met a server error, with growing pauses, or such as the
        server asks for (``Retry-After``), of two minutes at most.
    """

    def __init__(self, model: str, base_url: str, timeout: float, retries: int) -> None:
        url = urlsplit(base_url)
        person, _, host = url.netloc.rpartition("@")
        self.model, self.name = model, f"{model} at {url.scheme}://{host}{url.path}"
        self._key = os.environ.get("OPENAI_API_KEY", "")
        self._unwanted: frozenset[str] = frozenset()
        self.client = openai.OpenAI(
            base_url=url._replace(netloc=host, query="", fragment="").geturl(),
            default_query=dict(parse_qsl(url.query)),
            default_headers={"Authorization": _basic(person)} if person else None,
            api_key=self._key or "none",  # local servers want some key, any
            timeout=timeout,
            max_retries=retries,
            http_client=openai.DefaultHttpxClient(timeout=timeout, event_hooks={"response": [self._hurry]}),
        )
        self._patience = PATIENCE * timeout

    def complete_chat(self, messages: Sequence[Any], read: Callable[[Any], _Answer], **request: Any) -> _Answer:
        """Return what `read` makes of the server's answer to a chat, its first choice.

        A parameter that the server refuses by name is sent `OTHERWISE` from then on.

        Raises:
          RequestRefusedError: If the server will not have this one.
          LanguageModelError: If it does not answer, or not to such a request.
        """
        create: Any = self.client.chat.completions.create
        unwanted = self._unwanted
        while True:
            chat = partial(create, model=self.model, messages=messages, **_otherwise(request, unwanted))
            try:
                answer = self.ask(chat, lambda answer: read(answer.choices[0]))
            except UnsupportedError as error:
                refused = error.status in (*REFUSED, INVALID)
                named = {name for name in request.keys() & OTHERWISE if name in str(error)} - unwanted
                if not refused or not named:
                    hint = "; check the model's name, and that the URL ends in /v1" if error.status in UNKNOWN else ""
                    kind = RequestRefusedError if refused else LanguageModelError
                    raise kind(f"{self.name} answers {error}{hint}") from error
                unwanted |= named
            else:
                self._unwanted = unwanted
                return answer

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
            if of_scores or status in NOT_OFFERED or status in REFUSED:
                always = of_scores or status not in REFUSED
                raise UnsupportedError(f"status {status}" + (f" ({said})" if said else ""), always, status) from None
            raise LanguageModelError(f"{self.name} failed with status {status}") from None
        except openai.APIError:
            raise LanguageModelError(f"{self.name} sent something that is no answer") from None
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            raise LanguageModelError(f"{self.name} sent something that is no answer ({error})") from error

    def _hurry(self, answer: Any) -> None:
        answer.stream = _InTime(answer, self._patience)

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
                lambda: create(model=self.model, prompt=prompt, **request), lambda answer: _text(answer.choices[0].text)
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
                partial(_sums_of_options, prompt=prompt, options=some),
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
        answer = self._chat(messages, ANSWER, whole=True)
        if not answer.strip():
            raise LanguageModelError(f"{self.name} chose nothing: its chat answer is empty")
        return answer

    def _chat(
        self, messages: list[dict[str, str]], max_tokens: int, stop: Sequence[str] = (), whole: bool = False
    ) -> str:
        """Return a chat answer without its thoughts.

        A model that is cut short while it thinks is given `THOUGHTS` more tokens, now and from then on; stop strings,
        which may be in its thoughts, are looked for in its answer then. So is one that is cut short at all where its
        answer is to be `whole`: what it says may be thoughts that its template has begun.
        """
        ask = partial(self._server.complete_chat, messages, temperature=0.0)
        if not self._thinks:
            read = partial(chat_answer, whole=whole)
            said = ask(read, max_tokens=max_tokens, **({"stop": list(stop)} if stop else {}))
            if said is not None:
                return said
            self._thinks = True
        said = ask(chat_answer, max_tokens=max_tokens + THOUGHTS)
        if said is None:
            raise LanguageModelError(
                f"{self.name} gave no answer: it was still thinking after {max_tokens + THOUGHTS} tokens"
            )
        said = said.lstrip()
        return said[: min((said.index(s) for s in stop if s in said), default=None)]


def _basic(person: str) -> str:
    """Return the header that a name and a password in a URL stand for."""
    name, _, password = person.partition(":")
    return f"Basic {base64.b64encode(f'{unquote(name)}:{unquote(password)}'.encode()).decode()}"


def _otherwise(request: dict[str, Any], unwanted: frozenset[str]) -> dict[str, Any]:
    """Return a request with other names for what a server does not want, or without it."""
    names = {name: OTHERWISE[name] if name in unwanted else name for name in request}
    return {new: request[name] for name, new in names.items() if new is not None}


def _text(content: Any) -> str:
    """Return a text, which can be in parts with other things between them; raise TypeError if it is none."""
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if part["type"] == "text")
    if not isinstance(content, str | None):
        raise TypeError(f"a text is a {type(content).__name__}")
    return content or ""


def chat_answer(choice: Any, whole: bool = False) -> str | None:
    """Return what a chat choice says besides its thoughts, None if it is cut short before that.

    A chat template can begin the thoughts, so that only their end is in the text.
    """
    said = re.sub("<think>.*?</think>", "", _text(choice.message.content), flags=re.DOTALL).rpartition("</think>")[2]
    cut = "<think>" in said or (choice.finish_reason == "length" and (whole or not said.strip()))
    return None if cut else said


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
      UnsupportedError: If the text has no log-probabilities, is not there (a server may take no notice of ``echo``), or
        the tokens do not spell it (of a letter that is several tokens some servers show none).
    """
    echoed = choice.logprobs
    if echoed is None or not echoed.tokens or not echoed.token_logprobs:
        raise UnsupportedError("no log-probabilities of a prompt", always=True)
    spelt = "".join(echoed.tokens)
    start = spelt.find(prompt + option)
    if start < 0 and len(spelt) < len(prompt + option) / 2:
        raise UnsupportedError("it does not echo the prompt", always=True)
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


def match_scores(answer: str, options: Sequence[str]) -> NDArray[np.float64]:
    """Return log scores, shape [n], of options by their likeness to a free answer (the documented fallback)."""
    if len(options) == 1:
        return np.zeros(1)
    said = _plain(answer)
    likeness = np.array([difflib.SequenceMatcher(None, said, _plain(option)).ratio() for option in options])
    named = named_option(answer, options)
    best, share = (int(np.argmax(likeness)), CHOSEN) if named is None else (named, NAMED)
    rest = likeness + 1e-3
    rest[best] = 0.0
    shares = (1 - share) * rest / rest.sum()
    shares[best] = share
    return np.asarray(np.log(shares))


def named_option(answer: str, options: Sequence[str]) -> int | None:
    """Return which option, the longest of several, stands word for word in an answer; None if none does."""
    said = _plain(answer)
    named = [(len(o), -i) for i, o in enumerate(options) if re.search(rf"(?<!\w){re.escape(_plain(o))}(?!\w)", said)]
    return -max(named)[1] if named else None


def _plain(text: str) -> str:
    return text.strip().strip("-*\"'`. ").lower()
