"""What people have said that things are for: ConceptNet 4.

Havasi, Speer and Alonso describe the version before it ("ConceptNet 3", RANLP 2007).

A dictionary says what an umbrella is; that one wants it to keep dry is common sense, which it need not say. Volunteers
of the Open Mind Common Sense project typed in such sentences by the hundred thousand. Their words stand in the file
without endings and articles: "prevent person get wet". It comes out of a package on PyPI that is of Python 2, with
which pip itself fails.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path
from typing import Any

from fmrl_ros.cache import cache_folder, kept
from fmrl_ros.learning.planner.dictionary import Entry

_SDIST = "Divisi2-2.2.5.tar.gz"
_SHA256 = "0de34af7b53c092fb023470b2cf20cfbd9fb78d18f811775336281bc987d3273"
_MEMBER = "Divisi2-2.2.5/divisi2/data/graphs/conceptnet_en.graph.gz"
_CACHED = "conceptnet-4"
_ASSERTION = re.compile(
    r"(?P<concept>.+)\t(?P<text>.+)\t"
    r".*'freq': (?P<frequency>-?\d+), 'score': (?P<score>-?\d+), 'rel': u'(?P<relation>\w+)'"
)
_LEAST_FREQUENCY = 5
"""Below this an assertion is of what is not so, or seldom."""
_LONGEST = 7
"""Words of a use at most."""
_SHARED = 6
"""What is said of more things than this ("to eat") does not tell one from another."""
_AFTER_THE_VERB = {
    "up", "out", "off", "on", "in", "against", "together", "over", "down", "with", "from", "into", "away", "through",
}  # fmt: skip
_ARTICLES = ("", "the", "a", "my", "some")
_NOT_FOR_A_KITCHEN = re.compile(r"\b(sex|orgasm|kill|murder|suicide|rape|porn|naked|penis|masturbat|drug|fuck|shit)")


class ConceptNetError(RuntimeError):
    """ConceptNet cannot be had; the message says why, and where to put it instead."""


def assertions() -> Path:
    """Return the file of ConceptNet's assertions, fetched when it is first asked for.

    Raises:
      ConceptNetError: If it cannot be fetched, or is not what it should be.
    """
    return kept(_CACHED, _extract) / Path(_MEMBER).name


def _extract(folder: Path) -> None:
    """Fetch the package and write its file of assertions into `folder`."""
    try:
        package = _fetch()
    except (OSError, HTTPException, ValueError) as error:
        raise ConceptNetError(
            f"cannot fetch ConceptNet ({_SDIST} of the Python package index): {error}. Connect to the network once,"
            f" or copy the folder {cache_folder(_CACHED)} from a machine that has it"
        ) from error
    with tarfile.open(fileobj=io.BytesIO(package)) as archive:
        member = archive.extractfile(_MEMBER)
        if member is None:
            raise ConceptNetError(f"{_SDIST} holds no {_MEMBER}")
        (folder / Path(_MEMBER).name).write_bytes(member.read())


def _fetch() -> bytes:
    """Return the package's source distribution, from the index that pip uses (PEP 503).

    Raises:
      OSError: If the network fails.
      ValueError: If the file is not there, or is another.
    """
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    configured = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    index = os.environ.get("PIP_INDEX_URL") or configured or "https://pypi.org/simple"
    listing = f"{index.rstrip('/')}/divisi2/"
    with _open(listing) as answer:
        page = answer.read().decode()
    link = re.search(rf'href="([^"#]*{re.escape(_SDIST)})', page)
    if link is None:
        raise ValueError("the index does not list it")
    with _open(urllib.parse.urljoin(listing, link[1])) as answer:
        package = bytes(answer.read())
    if (found := hashlib.sha256(package).hexdigest()) != _SHA256:
        raise ValueError(f"its sha256 is {found}, expected {_SHA256}; something on the way changes or cuts the file")
    return package


def _open(url: str) -> Any:
    """Open a URL; a user and a password in it are sent as such."""
    parts = urllib.parse.urlsplit(url)
    request = urllib.request.Request(parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl())
    if parts.username:
        user, password = map(urllib.parse.unquote, (parts.username, parts.password or ""))
        request.add_unredirected_header(
            "Authorization", "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        )
    return urllib.request.urlopen(request, timeout=60)


def with_uses(things: Sequence[Entry], file: Path, verbs: Collection[str]) -> list[Entry]:
    """Return a dictionary's things with what people have said of their uses, where they have.

    Args:
      things: The dictionary's.
      file: ConceptNet's assertions, a line each: thing, what is said of it, and how, between tabs; gzipped.
      verbs: The words that can begin a use after "to".
    """
    found = _uses(file, verbs)
    uses = [_of_words(thing.words, found) for thing in things]
    common = Counter(use for several in uses for use in several)
    distinctive = [tuple(use for use in several if common[use] <= _SHARED) for several in uses]
    return [replace(thing, uses=several) for thing, several in zip(things, distinctive, strict=True)]


def _uses(file: Path, verbs: Collection[str]) -> dict[str, list[str]]:
    """Return how things complete "something": "to keep rain off", "for a picnic", "that can float"."""
    found: dict[str, list[str]] = defaultdict(list)
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for parsed in map(_ASSERTION.match, lines):
            if parsed is not None and _is_usable(parsed):
                several = found[parsed["concept"]]
                use = _use(parsed["relation"], parsed["text"], verbs)
                several += [_with_article(use, len(several))] if use else []
    return found


def _is_usable(assertion: re.Match[str]) -> bool:
    """True if people agree on an assertion, and it is in a few plain words that suit a kitchen."""
    agreed = int(assertion["frequency"]) >= _LEAST_FREQUENCY and int(assertion["score"]) >= 1
    text = assertion["text"]
    plain = re.fullmatch("[a-z' -]+", text) is not None and len(text.split()) <= _LONGEST
    return agreed and plain and _NOT_FOR_A_KITCHEN.search(text) is None


def _use(relation: str, text: str, verbs: Collection[str]) -> str:
    """Return an assertion as a use; empty if it is none."""
    begins_with_verb = text.split()[0] in verbs
    if relation == "UsedFor":
        return f"to {text}" if begins_with_verb else f"for {text}"
    return f"that can {text}" if relation == "CapableOf" and begins_with_verb else ""


def _of_words(words: Sequence[str], found: Mapping[str, list[str]]) -> tuple[str, ...]:
    """Return the uses of a thing by any of its names; ConceptNet has them in the singular."""
    spelled = (s for word in words for s in (word, word.removesuffix("s")))
    return tuple(dict.fromkeys(use for word in spelled for use in found.get(word, ())))


def _with_article(use: str, draw: int) -> str:
    """Put one of several articles, or none, before what is probably the first noun."""
    words = use.split()
    at = {"for": 1, "to": 2, "that": 3}[words[0]]
    while at < len(words) and words[at] in _AFTER_THE_VERB:
        at += 1
    article = _ARTICLES[draw % len(_ARTICLES)]
    return " ".join((*words[:at], article, *words[at:])) if at < len(words) and article else use
