"""A chat request as a server takes it: some lack the role ``system`` or log-probabilities, or rename parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

SYSTEM, LOGPROBS = "system", "logprobs"
RENAMED = {"max_tokens": "max_completion_tokens", "temperature": None}
"""Parameters that some servers refuse by name, and what these call them; None for one that is left out."""
DISPENSABLE = (SYSTEM, LOGPROBS)
"""What a request can do without. It is given up in this order where a server does not say what it refuses."""

Messages = Sequence[Mapping[str, Any]]


def to_give_up(
    messages: Messages, request: Mapping[str, Any], given_up: frozenset[str], refusal: str
) -> frozenset[str]:
    """Return what else to give up of a request that was refused: what the refusal names, or else the first there is.

    Args:
      messages: What was asked, before anything was given up.
      request: Its parameters.
      given_up: What already is.
      refusal: The server's words.
    """
    present = {SYSTEM} if any(message["role"] == SYSTEM for message in messages) else set()
    present |= {name for name in (LOGPROBS, *RENAMED) if name in request}
    left = present - given_up
    named = {name for name in left if name in refusal.lower()}
    return frozenset(named) or frozenset([name for name in DISPENSABLE if name in left][:1])


def without(
    given_up: frozenset[str], messages: Messages, request: Mapping[str, Any]
) -> tuple[Messages, dict[str, Any]]:
    """Return messages and parameters without what is given up, or with what takes its place."""
    dropped = {LOGPROBS, "top_logprobs"} if LOGPROBS in given_up else set()
    names = {name: RENAMED[name] if name in RENAMED and name in given_up else name for name in request}
    plainer = {new: request[name] for name, new in names.items() if new is not None and name not in dropped}
    return _without_system(messages) if SYSTEM in given_up else messages, plainer


def _without_system(messages: Messages) -> Messages:
    """Return messages in which what the system says begins the first message of the user."""
    system = "\n\n".join(str(message["content"]) for message in messages if message["role"] == SYSTEM)
    first, *rest = [message for message in messages if message["role"] != SYSTEM]
    if not system:
        return messages
    said = first["content"]
    content = f"{system}\n\n{said}" if isinstance(said, str) else [{"type": "text", "text": system}, *said]
    return [{**first, "content": content}, *rest]
