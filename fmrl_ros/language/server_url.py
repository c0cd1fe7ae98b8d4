"""URLs of language models' servers: whether one can be used, and what may be shown of it."""

from __future__ import annotations

import re
from urllib.parse import urlsplit


def check_url(url: str) -> None:
    """Raise ValueError, which names the defect, unless a server can stand at a URL."""
    split = urlsplit(url)
    if split.scheme not in ("http", "https") or not split.hostname:
        raise ValueError("a URL looks like http://localhost:8000/v1")
    _ = split.port  # raises for one that is no number


def without_secrets(name: str) -> str:
    """Return a language model's name, such as ``openai:MODEL@URL``, without the password and the query of its URL."""
    return re.sub(r"(https?://)(?:[^/@|]*@)?([^?#|\s]*)[^|\s]*", r"\1\2", name)
