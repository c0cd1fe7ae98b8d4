"""English noun phrases."""

from __future__ import annotations

import re

_PREPOSITION = re.compile(
    r" (?:of|to|for|that|with|without|against|in|on|over|under|between|behind|from|like|full|which|who) "
)
_AN = re.compile(r"(?:hour|honest|heir|x-|[AEFHILMNORSX](?:[A-Z]|\b))")
"""What "an" stands before, beside vowels: a silent h, and letters that are spelt out: "an LED"."""
_A = re.compile(r"(?:U[A-Z]|[Ee]u|ewe|[Uu](?:ten|ku|ni(?!n)|s(?:e|ual))|one\b|once)")
"""What begins with a vowel and sounds as if it did not."""
_VES = ("knife", "loaf", "leaf", "shelf", "half", "scarf", "wolf", "calf")
_OES = ("tomato", "potato", "mango", "hero")


def article(name: str) -> str:
    """Return the indefinite article of a noun phrase."""
    if _A.match(name):
        return "a"
    return "an" if _AN.match(name) or name[:1].lower() in "aeiou" else "a"


def plural(name: str) -> str:
    """Return the English plural of a noun phrase: of its head, which is last or before the first preposition."""
    end = _PREPOSITION.search(name)
    head, rest = (name[: end.start()], name[end.start() :]) if end else (name, "")
    rest = re.sub(r"^( that \w+?)(?:(i)es|(?<=[xh])es|s)\b", lambda verb: verb[1] + ("y" if verb[2] else ""), rest)
    if head.endswith(_VES):
        head = re.sub("fe?$", "ves", head)
    elif head.endswith(("x", "sh", "ch", "ss", "us", *_OES)):
        head += "es"
    elif head.endswith("s"):
        pass
    elif head.endswith("y") and head[-2:-1] not in "aeiou":
        head = head[:-1] + "ies"
    else:
        head += "s"
    return head + rest
