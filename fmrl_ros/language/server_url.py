"""Models behind a server, ``MODEL@URL``: whether a name can be used, and what may be shown of it."""

from __future__ import annotations

import re
from urllib.parse import urlsplit


def model_at(name: str) -> tuple[str, str]:
    """Return model and URL of ``MODEL@URL``; raise ValueError, which names the defect, if there cannot be such."""
    model, _, url = name.partition("@")
    split = urlsplit(url)
    if not model or split.scheme not in ("http", "https") or not split.hostname:
        raise ValueError("write openai:MODEL@URL, where a URL looks like http://localhost:8000/v1")
    _ = split.port  # raises for one that is no number
    return model, url


def without_secrets(name: str) -> str:
    """Return a language model's name, such as ``openai:MODEL@URL``, without the password and the query of its URL."""
    return "|".join(map(_without_secrets, name.split("|")))


def _without_secrets(name: str) -> str:
    model, at, url = name.partition("@")
    scheme, mark, rest = url.rpartition("://")
    return f"{model}{at}{scheme}{mark}{re.split('[?#]', rest.rpartition('@')[2])[0]}"
