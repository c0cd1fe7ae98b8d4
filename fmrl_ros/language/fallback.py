"""A language model behind a circuit breaker: another one answers while it does not."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.language.language_model import (
    Found,
    Grammar,
    LanguageModel,
    LanguageModelError,
    RequestRefusedError,
    best_options,
)

logger = logging.getLogger(__name__)

_T = TypeVar("_T")


class WithFallback:
    """Asks the first model, and the second one when that fails.

    After a failure the first is left alone for `pause` seconds (the circuit is open), then tried again with the next
    question. It is not after a failure that concerns one question only (`RequestRefusedError`).

    Args:
      first: The model that should answer, for example a server.
      second: The one that can always answer, for example a local model.
      first_preamble, second_preamble: What prompts for each begin with; the first's is exchanged for the second's.
      pause: Seconds.
    """

    def __init__(
        self,
        first: LanguageModel,
        second: LanguageModel,
        first_preamble: str = "",
        second_preamble: str = "",
        pause: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._first, self._second = first, second
        self._preambles = first_preamble, second_preamble
        self._pause, self._clock = pause, clock
        self._until = float("-inf")
        self.failures = 0
        """Questions that the first model did not answer."""

    @property
    def name(self) -> str:
        """Both models."""
        return f"{self._first.name}, else {self._second.name}"

    @property
    def open(self) -> bool:
        """True while the first model is left alone."""
        return self._clock() < self._until

    def score(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        """See `LanguageModel`."""
        return self._ask(prompt, lambda model, text: model.score(text, options))

    def best(self, prompt: str, options: Sequence[str], weights: NDArray[np.float64], count: int) -> Found:
        """See `SearchingModel`."""
        return self._ask(prompt, lambda model, text: best_options(model, text, options, weights, count))

    def generate(
        self, prompt: str, stop: Sequence[str], max_tokens: int, grammar: Sequence[str] | Grammar | None = None
    ) -> str:
        """See `LanguageModel`."""
        return self._ask(prompt, lambda model, text: model.generate(text, stop, max_tokens, grammar))

    def _ask(self, prompt: str, question: Callable[[LanguageModel, str], _T]) -> _T:
        if not self.open:
            try:
                return question(self._first, prompt)
            except RequestRefusedError as error:
                self.failures += 1
                logger.warning("%s; %s answers instead", error, self._second.name)
            except LanguageModelError as error:
                self.failures += 1
                self._until = self._clock() + self._pause
                logger.warning("%s; %s answers for %.0f s", error, self._second.name, self._pause)
        before, after = self._preambles
        return question(self._second, after + prompt.removeprefix(before))
