"""What a planner needs from a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.refusal import RefusalError


class LanguageModelError(RefusalError):
    """The model or its server did not answer. The message names it and the next step, never a key."""

    STEP = "see the planner's log"


class RequestRefusedError(LanguageModelError):
    """The model does not answer this request, for example because it is too long; it may answer the next one."""


class Grammar(Protocol):
    """A language that a text must stay in."""

    def viable(self, text: str, ended: bool) -> bool:
        """True if a text is of the language (`ended`), or the beginning of one that is."""


class LanguageModel(Protocol):
    """A language model that can judge given continuations and write its own."""

    @property
    def name(self) -> str:
        """What to call it in results, for example ``smollm2 + planner``."""

    def score(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        """Return ``log p(option | prompt)`` for each option, shape [n], in nats.

        The sum over the option's tokens, its terminator included if it has one, without length
        normalisation (SayCan, Ahn et al. 2022).
        """

    def generate(
        self, prompt: str, stop: Sequence[str], max_tokens: int, grammar: Sequence[str] | Grammar | None = None
    ) -> str:
        """Return the most likely continuation, cut before the first `stop` string.

        Args:
          prompt: The text to continue.
          stop: Strings that end it.
          max_tokens: Maximum number of tokens.
          grammar: If given, the language to stay in: one of these strings is returned, or a text that the grammar
            finds viable. A server that cannot be held to a grammar is not.
        """


@dataclass(frozen=True)
class Found:
    """What a search for the best options knows of every option.

    Attributes:
      log_p: ``log p(option | prompt)``, or a bound that it does not exceed, shape [n], nats.
      exact: Whether it is the log-probability itself, shape [n].
    """

    log_p: NDArray[np.float64]
    exact: NDArray[np.bool_]


@runtime_checkable
class SearchingModel(Protocol):
    """A language model that finds the best options without scoring all of them."""

    def best(self, prompt: str, options: Sequence[str], weights: NDArray[np.float64], count: int) -> Found:
        """Find the options with the best products of probability and weight.

        Args:
          prompt: What comes before.
          options: What may follow; each is tokenised by itself.
          weights: A factor for each option, at least 0, shape [n]; 0 rules it out.
          count: Number of best products to make exact; the most probable option's log-probability is exact, too.
        """


def best_options(
    model: LanguageModel, prompt: str, options: Sequence[str], weights: NDArray[np.float64], count: int
) -> Found:
    """Search if the model can, else score every option; see `SearchingModel.best`."""
    if isinstance(model, SearchingModel):
        return model.best(prompt, options, weights, count)
    return Found(np.asarray(model.score(prompt, options)), np.ones(len(options), bool))
