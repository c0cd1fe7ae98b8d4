"""What a planner needs from a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class LanguageModelError(RuntimeError):
    """The model or its server did not answer. The message names it and the next step, never a key."""


class LanguageModel(Protocol):
    """A language model that can judge given continuations and write its own."""

    @property
    def name(self) -> str:
        """What to call it in results, for example ``smollm2 + planner-tabletop``."""

    def score(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        """Return ``log p(option | prompt)`` for each option, shape [n], in nats.

        The sum over the option's tokens, its terminator included if it has one, without length
        normalisation (SayCan, Ahn et al. 2022).
        """

    def generate(self, prompt: str, stop: Sequence[str], max_tokens: int, grammar: Sequence[str] | None = None) -> str:
        """Return the most likely continuation, cut before the first `stop` string.

        Args:
          prompt: The text to continue.
          stop: Strings that end it.
          max_tokens: At most so many tokens.
          grammar: If given, the finite language to stay in: one of these strings is returned.
        """
