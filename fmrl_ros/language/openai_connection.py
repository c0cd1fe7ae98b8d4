"""A connection to an OpenAI-compatible server: requests, their errors, and the text of a chat answer.

What a model thinks before its answer (``<think>...</think>``) is no part of it.
"""

from __future__ import annotations

import base64
import importlib
import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

import openai

from fmrl_ros.language.language_model import LanguageModelError, RequestRefusedError

httpx: Any = importlib.import_module(openai.DefaultHttpxClient.__base__.__module__.partition(".")[0])
"""The HTTP library that openai is built on: httpx, of late httpx2."""

PATIENCE = 4
"""Maximum time in which an answer that trickles in is read, in timeouts; it is not asked for again."""

REFUSED, UNKNOWN, NOT_OFFERED = (400, 413), (404, 405), (404, 405, 422, 501)
"""Statuses of a server that will not have a request, of one that knows no such address or model, and of one that offers
no such request."""
INVALID = 422
"""Status of a chat that is as wrong as one that is refused, where it says nothing of what the server offers."""
ALTERNATIVES = {"max_tokens": "max_completion_tokens", "temperature": None}
"""Parameters that some servers refuse, and what these call them; None for one that is left out."""
MAX_MESSAGE_LETTERS = 200
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
            http_client=openai.DefaultHttpxClient(timeout=timeout, event_hooks={"response": [self._limit_time]}),
        )
        self._patience = PATIENCE * timeout

    def complete_chat(self, messages: Sequence[Any], read: Callable[[Any], _Answer], **request: Any) -> _Answer:
        """Return what `read` makes of the server's answer to a chat, its first choice.

        A parameter that the server refuses by name is renamed or left out (`ALTERNATIVES`) from then on.

        Raises:
          RequestRefusedError: If the server will not have this one.
          LanguageModelError: If it does not answer, or not to such a request.
        """
        create: Any = self.client.chat.completions.create
        unwanted = self._unwanted
        while True:
            chat = partial(create, model=self.model, messages=messages, **_with_alternatives(request, unwanted))
            try:
                answer = self.ask(chat, lambda answer: read(answer.choices[0]))
            except UnsupportedError as error:
                refused = error.status in (*REFUSED, INVALID)
                named = {name for name in request.keys() & ALTERNATIVES if name in str(error)} - unwanted
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
        except openai.APIStatusError as error:
            raise self._status_error(error) from None
        except openai.APIError as error:
            raise LanguageModelError(f"{self.name} {_failure(error)}") from None
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            raise LanguageModelError(f"{self.name} sent something that is no answer ({error})") from error

    def _status_error(self, error: openai.APIStatusError) -> UnsupportedError | LanguageModelError:
        """Return what a status says: that the server does not offer the request, or that it failed."""
        if isinstance(error, openai.AuthenticationError):
            return LanguageModelError(f"{self.name} refuses the key; set OPENAI_API_KEY")
        message, status = self._message(error), error.status_code
        of_scores = any(word in message.lower() for word in ("echo", "logprob"))
        if of_scores or status in NOT_OFFERED or status in REFUSED:
            always = of_scores or status not in REFUSED
            return UnsupportedError(f"status {status}" + (f" ({message})" if message else ""), always, status)
        return LanguageModelError(f"{self.name} failed with status {status}")

    def _limit_time(self, answer: Any) -> None:
        answer.stream = _TimeLimitedStream(answer, self._patience)

    def _message(self, error: openai.APIStatusError) -> str:
        """Return what the server says of an error, on one line, without the key."""
        body = error.body if isinstance(error.body, dict) else {}
        message = " ".join(str(body.get("message") or "").split())
        return (message.replace(self._key, "***") if self._key else message)[:MAX_MESSAGE_LETTERS]


def _failure(error: openai.APIError) -> str:
    """Return in words why there is no answer at all."""
    if isinstance(error, openai.APITimeoutError):
        return "did not answer in time; is it overloaded?"
    if isinstance(error, openai.APIConnectionError):
        return "cannot be reached; is the server running there?"
    return "sent something that is no answer"


def _basic(person: str) -> str:
    """Return the header that a name and a password in a URL stand for."""
    name, _, password = person.partition(":")
    return f"Basic {base64.b64encode(f'{unquote(name)}:{unquote(password)}'.encode()).decode()}"


def _with_alternatives(request: dict[str, Any], unwanted: frozenset[str]) -> dict[str, Any]:
    """Return a request with other names for what a server does not want, or without it."""
    names = {name: ALTERNATIVES[name] if name in unwanted else name for name in request}
    return {new: request[name] for name, new in names.items() if new is not None}


def text_of(content: Any) -> str:
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
    said = re.sub("<think>.*?</think>", "", text_of(choice.message.content), flags=re.DOTALL).rpartition("</think>")[2]
    cut = "<think>" in said or (choice.finish_reason == "length" and (whole or not said.strip()))
    return None if cut else said
