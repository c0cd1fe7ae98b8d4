"""What a model writes before its answer, its thoughts, which is no part of it.

Models mark their thoughts in ways of their own: DeepSeek and Qwen (``<think>``), Mistral (``[THINK]``), Kimi, Seed,
Command, Gemma, and gpt-oss, whose channels follow the harmony format (https://github.com/openai/harmony).
"""

from __future__ import annotations

import re

MARKS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel>thought", "<channel|>"),
)
"""How thoughts begin and end, in capitals or not."""
CHANNEL, MESSAGE, FINAL = "<|channel|>", "<|message|>", "final"
"""Harmony: what is before a channel's name and before its text, and the channel of the answer."""
END_OF_MESSAGE = re.compile(r"<\|(?:end|return|call|start)\|>")
BARE_THOUGHTS, BARE_ANSWER = re.compile(r"analysis(?=[A-Z])"), "assistantfinal"
"""Harmony from a server that leaves out the marks, but not the words between them."""


def without_thoughts(text: str) -> str | None:
    """Return a text without its thoughts, None if it ends before they do.

    A chat template can begin the thoughts, so that only their end is in the text.
    """
    if CHANNEL in text:
        return _final_message(text)
    if BARE_THOUGHTS.match(text.lstrip()):
        _, ended, answer = text.rpartition(BARE_ANSWER)
        return answer if ended else None
    for begin, end in MARKS:
        opening, closing = re.escape(begin), re.escape(end)
        text = re.sub(f"{opening}.*?{closing}", "", text, flags=re.DOTALL | re.IGNORECASE)
        text = re.split(closing, text, flags=re.IGNORECASE)[-1]
        if re.search(opening, text, re.IGNORECASE):
            return None
    return text


def _final_message(text: str) -> str | None:
    """Return the answer in a text of the harmony format, None if there is none."""
    for part in reversed(text.split(CHANNEL)[1:]):
        named, _, message = (
            part.partition(MESSAGE) if MESSAGE in part else (part, "", part.lstrip().removeprefix(FINAL))
        )
        if named.lstrip().startswith(FINAL):
            return END_OF_MESSAGE.split(message)[0]
    return None
