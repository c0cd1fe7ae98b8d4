"""Models behind a server, ``MODEL@URL``: whether a name can be used, and what may be shown of it."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from fmrl_ros.language.server_environment import check_environment


def model_at(name: str) -> tuple[str, str]:
    """Return model and URL of ``MODEL@URL``.

    Raises ValueError, which names the defect, if there cannot be such, or nothing can be asked from here
    (`check_environment`).
    """
    model, _, url = _parts(name)
    try:
        split = urlsplit(url)
        _ = split.port
    except ValueError:  # whose message quotes the URL
        raise ValueError("the URL of a server has a port from 0 to 65535, as http://localhost:8000/v1 has") from None
    if not model or split.scheme not in ("http", "https") or not split.hostname:
        raise ValueError("write openai:MODEL@URL, where a URL looks like http://localhost:8000/v1")
    check_environment()
    return model, url


def _parts(name: str) -> tuple[str, str, str]:
    """Return model, "@" and URL; the model may have an "@", too, if the URL begins with http:// or https://."""
    if found := re.match("((?:(?!://)[^?#])+?)@(?i:https?://)", name):
        return found[1], "@", name[found.end(1) + 1 :]
    return name.partition("@")


def without_secrets(name: str) -> str:
    """Return a language model's name without the password and the query of a server's URL (``openai:MODEL@URL``)."""
    return "|".join(map(_without_secrets, name.split("|")))


def _without_secrets(name: str) -> str:
    model, at, url = _parts(name)
    if not model.strip().startswith("openai:"):
        return name
    scheme = found[0] if (found := re.match(r"[\w+.-]+://", url)) else ""
    rest = url.removeprefix(scheme)
    place, *_ = re.split("[?#]", rest)
    if "@" not in place and "/" not in place:
        place = rest  # a question mark before the "@", or before any path, is a password's
    return f"{model}{at}{scheme}{re.split('[?#]', place.rpartition('@')[2])[0]}"
