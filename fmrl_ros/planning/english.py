"""English noun phrases."""

from __future__ import annotations

import re

_PREPOSITION = re.compile(r" (?:of|to|for|that|with|against|in|on|from|like) ")


def article(name: str) -> str:
    """Return the indefinite article of a noun phrase."""
    return "an" if name[0] in "aeiou" else "a"


def plural(name: str) -> str:
    """Return the English plural of a noun phrase: of its head, which is last or before the first preposition."""
    end = _PREPOSITION.search(name)
    head, rest = (name[: end.start()], name[end.start() :]) if end else (name, "")
    rest = re.sub(r"^( that \w+?)(?:(i)es|(?<=[xh])es|s)\b", lambda verb: verb[1] + ("y" if verb[2] else ""), rest)
    if head.endswith("s"):
        return head + rest
    if head.endswith(("x", "sh", "ch")):
        head += "es"
    elif head.endswith("y") and head[-2] not in "aeiou":
        head = head[:-1] + "ies"
    else:
        head += "s"
    return head + rest
