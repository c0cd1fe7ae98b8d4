"""Whether the environment's variables let an HTTP client be made: proxies and certificates."""

from __future__ import annotations

import os
import ssl
from importlib.util import find_spec
from urllib.parse import urlsplit
from urllib.request import getproxies

CERTIFICATES = "SSL_CERT_FILE"
SOCKS = ("socks5", "socks5h")


def check_environment() -> None:
    """Raise ValueError, which names the variable and the next step, if no server can be asked from here.

    An HTTP client reads these variables when it is made, whatever the URL of its server.
    """
    proxies = getproxies()
    if proxies.get("no") != "*":
        for scheme in ("all", "http", "https"):
            _check_proxy(scheme, proxies.get(scheme, ""))
    if file := os.environ.get(CERTIFICATES):
        _check_certificates(file)


def _check_proxy(scheme: str, url: str) -> None:
    """Check the proxy of a scheme, without showing the password that its URL may have."""
    kind, marked, _ = url.partition("://")
    if not marked or kind in ("http", "https"):
        return
    variable = next((name for name in os.environ if name.lower() == f"{scheme}_proxy"), f"{scheme}_proxy")
    shown = f"{variable}={kind}://{urlsplit(url).netloc.rpartition('@')[2]}"
    if kind not in SOCKS:
        raise ValueError(
            f"{shown} is no proxy that can be used; valid: http, https, {', '.join(SOCKS)}; or unset {variable}"
        )
    if find_spec("socksio") is None:
        raise ValueError(f"{shown} needs the package socksio: pip install socksio, or unset {variable}")


def _check_certificates(file: str) -> None:
    try:
        ssl.create_default_context(cafile=file)
    except OSError as error:
        raise ValueError(
            f"{CERTIFICATES}={file} cannot be read ({error.strerror or error}); name a file of certificates, "
            f"or unset {CERTIFICATES}"
        ) from None
