"""What a server says in its own words where it does not answer: the message in the body of an error."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import openai

MAX_LETTERS = 200
"""Letters of a server's message that are repeated."""
ERROR_STATUSES = range(400, 600)
BUSY_STATUSES = (None, 500, 503)
"""Statuses of a server that is loading its model: some send none."""


@dataclass(frozen=True)
class Failure:
    """An answer that is none.

    Attributes:
      status: Its HTTP status; None if it was 200, with an error inside that has no status.
      message: What the server says, on one line; may be empty.
    """

    status: int | None
    message: str

    def __str__(self) -> str:
        """Say both."""
        status = "an error" if self.status is None else f"status {self.status}"
        return status + (f" ({self.message})" if self.message else "")

    @property
    def loading(self) -> bool:
        """True if the server says that it is loading its model, so that it will answer later."""
        said = self.message.lower()
        failed = re.search(r"\b(error|fail\w*|cannot|unable)\b", said)
        return self.status in BUSY_STATUSES and not failed and re.search(r"\bloading\b", said) is not None


def failure_of_status(error: openai.APIStatusError, key: str) -> Failure:
    """Return what an error status says, without the key."""
    body = error.body
    if body is None and "html" not in error.response.headers.get("content-type", ""):
        body = error.response.text
    return Failure(error.status_code, _message(body, key))


def failure_inside(answer: Any, key: str) -> Failure | None:
    """Return the error in an answer of status 200, without the key; None if there is none."""
    body = getattr(answer, "error", None)
    if not body:
        return None
    code = body.get("code") if isinstance(body, dict) else None
    status = code if isinstance(code, int) and code in ERROR_STATUSES else None
    return Failure(status, _message(body, key))


def _message(body: Any, key: str) -> str:
    """Return the message in the body of an error, on one line, without the key."""
    if isinstance(body, dict):
        body = next((body[name] for name in ("message", "error", "detail") if body.get(name)), "")
    if isinstance(body, dict):
        body = body.get("message") or ""
    message = " ".join(str(body or "").split())
    return (message.replace(key, "***") if key else message)[:MAX_LETTERS]
