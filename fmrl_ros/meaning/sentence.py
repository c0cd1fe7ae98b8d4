"""Whether what a person says can be read at all: it has a word, and is no text that was pasted by mistake."""

from __future__ import annotations

import re

from fmrl_ros.refusal import RefusalError

MOST_LETTERS = 500
"""Of a sentence: what is longer fills the prompt of a small language model."""
INSTRUCTION, QUESTION = "instruction", "question"
EXAMPLES = {
    INSTRUCTION: 'say what to do, for example "pick up the red block"',
    QUESTION: 'ask, for example "what is in the blue bowl?"',
}


class SentenceError(RefusalError, ValueError):
    """A sentence that cannot be read."""


def check_sentence(sentence: str, kind: str = INSTRUCTION) -> None:
    """Raise SentenceError if an instruction or a question has no word, or more than `MOST_LETTERS` letters."""
    if not re.search(r"[^\W_]", sentence):
        raise SentenceError(*_no_word(sentence, kind))
    if len(sentence) > MOST_LETTERS:
        raise SentenceError(
            f"the {kind} has {len(sentence)} letters, and at most {MOST_LETTERS} are read", "say it in one sentence"
        )


def _no_word(sentence: str, kind: str) -> tuple[str, str]:
    return f"the {kind} {'has no word' if sentence.strip() else 'is empty'}", EXAMPLES[kind]
