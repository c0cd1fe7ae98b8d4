"""A connection to an OpenAI-compatible server: requests, their errors, and the text of a chat answer.

What a model thinks before its answer is no part of it (`thoughts`). A server that lacks something is asked without it
(`chat_request`), and one that is loading its model is waited for.
"""

from __future__ import annotations

import base64
import importlib
import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

import openai

from fmrl_ros.language.chat_request import to_give_up, without
from fmrl_ros.language.language_model import LanguageModelError, RequestRefusedError
from fmrl_ros.language.offers import UnsupportedError
from fmrl_ros.language.server_environment import check_environment
from fmrl_ros.language.server_message import Failure, failure_inside, failure_of_status
from fmrl_ros.language.thoughts import without_thoughts

logger = logging.getLogger(__name__)

httpx: Any = importlib.import_module(openai.DefaultHttpxClient.__base__.__module__.partition(".")[0])
"""The HTTP library that openai is built on: httpx, of late httpx2."""

PATIENCE = 4
"""Maximum time in which an answer that trickles in is read, in timeouts; it is not asked for again."""

LOADING_PAUSE = 1.0
"""Seconds between two requests to a server that is loading its model."""

WRONG_KEY, TOO_LONG, OUT_OF_ORDER = 401, 413, 500
REFUSED, UNKNOWN, NOT_OFFERED = (400, 413, 422), (404, 405), (404, 405, 422, 501)
"""Statuses of a server that will not have a request, of one that knows no such address or model, and of one that offers
no such request."""

_Answer = TypeVar("_Answer")


class _TimeLimitedStream(httpx.SyncByteStream):
    """The body of an answer, cut off after some seconds: a server may send blanks for as long as it has no answer."""

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
      loading: Seconds for which a server is waited for that says it is loading its model.

    Raises ValueError if the environment's variables let no server be asked; names the one that is wrong.
    """

    def __init__(self, model: str, base_url: str, timeout: float, retries: int, loading: float = 120.0) -> None:
        check_environment()
        url = urlsplit(base_url)
        person, _, host = url.netloc.rpartition("@")
        self.model, self.name = model, f"{model} at {url.scheme}://{host}{url.path}"
        self._key = os.environ.get("OPENAI_API_KEY", "")
        self._given_up: frozenset[str] = frozenset()
        self.client = openai.OpenAI(
            base_url=url._replace(netloc=host, query="", fragment="").geturl(),
            default_query=dict(parse_qsl(url.query)),
            default_headers={"Authorization": _basic(person)} if person else None,
            api_key=self._key or "none",  # local servers want some key, any
            timeout=timeout,
            max_retries=retries,
            http_client=openai.DefaultHttpxClient(timeout=timeout, event_hooks={"response": [self._limit_time]}),
        )
        self._patience, self._loading = PATIENCE * timeout, loading

    def complete_chat(self, messages: Sequence[Any], read: Callable[[Any], _Answer], **request: Any) -> _Answer:
        """Return what `read` makes of the server's answer to a chat, its first choice.

        What the server refuses is renamed or left out, from then on (`to_give_up`).

        Raises:
          RequestRefusedError: If the server will not have this one.
          LanguageModelError: If it does not answer, or not to such a request.
        """
        create: Any = self.client.chat.completions.create
        given_up, refusal = self._given_up, None
        while True:
            asked, parameters = without(given_up, messages, request)
            chat = partial(create, model=self.model, messages=asked, **parameters)
            try:
                answer = self.ask(chat, lambda answer: read(answer.choices[0]))
            except UnsupportedError as error:
                refusal = refusal or error
                more = to_give_up(messages, request, given_up, str(error))
                if not more or error.status == TOO_LONG:
                    raise self._chat_refusal(refusal) from error
                given_up |= more
            else:
                self._remember(given_up, refusal)
                return answer

    def _remember(self, given_up: frozenset[str], refusal: UnsupportedError | None) -> None:
        """Ask without what the server has refused from now on."""
        if refusal is not None:
            names = ", ".join(sorted(given_up - self._given_up))
            logger.warning("%s answers %s; it is asked without: %s", self.name, refusal, names)
        self._given_up |= given_up

    def _chat_refusal(self, refusal: UnsupportedError) -> LanguageModelError:
        hint = "; check the model's name, and that the URL ends in /v1" if refusal.status in UNKNOWN else ""
        kind = RequestRefusedError if refusal.status in REFUSED else LanguageModelError
        return kind(f"{self.name} answers {refusal}{hint}")

    def ask(self, request: Callable[[], Any], read: Callable[[Any], _Answer]) -> _Answer:
        """Send a request and return what `read` makes of its answer; say without the key what went wrong.

        Raises:
          UnsupportedError: If the server knows no such request, or will not have this one.
          LanguageModelError: If it does not answer, or `read` finds something else than it should.
        """
        try:
            answer = self._answer(request)
            if not getattr(answer, "choices", None):
                raise LanguageModelError(f"{self.name} sent something that is no answer", "does the URL end in /v1?")
            return read(answer)
        except openai.APIError as error:
            raise LanguageModelError(*_failure(self.name, error)) from None
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            raise LanguageModelError(f"{self.name} sent something that is no answer ({error})") from error

    def _answer(self, request: Callable[[], Any]) -> Any:
        """Return the server's answer, of a server that is loading its model once it has; see `ask`."""
        until, said = time.monotonic() + self._loading, ""
        while True:
            try:
                answer = request()
                failure = failure_inside(answer, self._key)
            except openai.APIStatusError as error:
                failure = failure_of_status(error, self._key)
            if failure is None:
                return answer
            if not failure.loading or time.monotonic() >= until:
                raise self._error(failure)
            if failure.message != said:
                said = failure.message
                logger.warning("%s says '%s'; waiting for at most %.0f s", self.name, said, self._loading)
            time.sleep(LOADING_PAUSE)

    def _error(self, failure: Failure) -> UnsupportedError | LanguageModelError:
        """Return what a failure says: that the server does not offer the request, or that it is out of order."""
        status = failure.status
        if status == WRONG_KEY:
            return LanguageModelError(f"{self.name} refuses the key", "set OPENAI_API_KEY")
        of_scores = any(word in failure.message.lower() for word in ("echo", "logprob"))
        refusing = (*REFUSED, *NOT_OFFERED, OUT_OF_ORDER, None)
        if of_scores or (status in refusing and not failure.loading):
            return UnsupportedError(str(failure), of_scores or status in NOT_OFFERED, status)
        return LanguageModelError(f"{self.name} failed with {failure}")

    def _limit_time(self, answer: Any) -> None:
        answer.stream = _TimeLimitedStream(answer, self._patience)


def _failure(name: str, error: openai.APIError) -> tuple[str, str]:
    """Return in words why a server gives no answer at all, and what to do next, if that is known."""
    if isinstance(error, openai.APITimeoutError):
        return f"{name} did not answer in time", "is it overloaded?"
    if isinstance(error, openai.APIConnectionError):
        return f"{name} cannot be reached", "is the server running there?"
    return f"{name} sent something that is no answer", ""


def _basic(person: str) -> str:
    """Return the header that a name and a password in a URL stand for."""
    name, _, password = person.partition(":")
    return f"Basic {base64.b64encode(f'{unquote(name)}:{unquote(password)}'.encode()).decode()}"


def text_of(content: Any) -> str:
    """Return a text, which can be in parts with other things between them; raise TypeError if it is none."""
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if part["type"] == "text")
    if not isinstance(content, str | None):
        raise TypeError(f"a text is a {type(content).__name__}")
    return content or ""


def chat_answer(choice: Any, whole: bool = False) -> str | None:
    """Return what a chat choice says besides its thoughts, None if it is cut short before that.

    Args:
      choice: A choice of a chat's answer.
      whole: True if an answer that is cut short anywhere is none.
    """
    said = without_thoughts(text_of(choice.message.content))
    cut = choice.finish_reason == "length" and (whole or not (said or "").strip())
    return None if cut else said
