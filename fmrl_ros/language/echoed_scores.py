"""Option scores out of a server's echo: the log-probabilities of a prompt's and an option's tokens."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from openai.types import Completion

from fmrl_ros.language.offers import UnsupportedError


def option_scores(answer: Completion, prompt: str, options: Sequence[str]) -> list[float]:
    """Return the log-probability of each option behind a prompt in echoed texts, nats.

    Raises:
      UnsupportedError: If a text has none.
      ValueError: If there are not as many texts, or a sum is no number.
    """
    choices = sorted(answer.choices, key=lambda choice: choice.index)
    sums = [_option_score(choice, prompt, option) for option, choice in zip(options, choices, strict=True)]
    if any(map(math.isnan, sums)):
        raise ValueError("a log-probability is no number")
    return sums


def _option_score(choice: Any, prompt: str, option: str) -> float:
    """Return the log-probability of an option behind a prompt in an echoed text, nats.

    A token that begins before the option's end counts; one that straddles its start belongs to the option as well. The
    text begins where the tokens spell it: some servers put a token of their own before it.

    Raises:
      UnsupportedError: If the text has no log-probabilities, is not there (a server may take no notice of ``echo``), or
        the tokens do not spell it (of a letter that is several tokens some servers show none).
    """
    echoed = choice.logprobs
    if echoed is None or not echoed.tokens or not echoed.token_logprobs:
        raise UnsupportedError("no log-probabilities of a prompt", always=True)
    spelt = "".join(echoed.tokens)
    start = spelt.find(prompt + option)
    if start < 0 and len(spelt) < len(prompt + option) / 2:
        raise UnsupportedError("it does not echo the prompt", always=True)
    if start < 0:
        raise UnsupportedError("its tokens do not spell the prompt", always=False)
    begins = accumulate(map(len, echoed.tokens), initial=-start)
    counted = [
        log_p
        for token, offset, log_p in zip(echoed.tokens, begins, echoed.token_logprobs, strict=False)
        if offset < len(prompt) + len(option) and offset + len(token) > len(prompt)
    ]
    if None in counted:
        raise UnsupportedError("no log-probabilities of a prompt", always=True)
    return float(sum(counted))
