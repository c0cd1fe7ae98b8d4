"""Whether a sentence is nothing but a command to stop: a closed vocabulary, since a robot must not guess here."""

from __future__ import annotations

import re

_COMMANDS = frozenset({
    "stop", "halt", "wait", "freeze", "hold", "pause", "whoa", "abort", "cancel", "enough", "quit", "stand still",
    "hold still", "keep still", "hold on", "stay", "stay there", "stop it", "stop that", "stop this", "stop moving",
    "do not move", "dont move", "cut it out", "no stop", "emergency stop", "stop everything", "stop working",
})  # fmt: skip
_COURTESY = frozenset({
    "please", "now", "robot", "hey", "ok", "okay", "right", "immediately", "at", "once", "quick", "quickly", "just",
    "and",
})  # fmt: skip


def is_stop_command(sentence: str) -> bool:
    """True if a sentence says to stop and nothing else: "stop", "Halt!", "please stop it now", "stop, stop"."""
    words = re.findall(r"[a-z]+", re.sub(r"['\u2019]", "", sentence.lower()))
    said = " ".join(word for word in words if word not in _COURTESY)
    return said in _COMMANDS or _without_repetition(said) in _COMMANDS


def _without_repetition(said: str) -> str:
    """Return "stop" for "stop stop stop"."""
    words = set(said.split())
    return words.pop() if len(words) == 1 else ""
