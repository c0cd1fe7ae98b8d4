"""Times ways to find the best option, side by side, against the number of options."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import torch
from numpy.typing import NDArray

from fmrl_ros.bench.score.problem import options_of, prompts
from fmrl_ros.language.prompt_cache import log_softmax
from fmrl_ros.language.scoring import OptionScorer
from fmrl_ros.planning.choice import EXACT_PRODUCTS
from fmrl_ros.planning.prompt import option_text
from fmrl_ros.worlds.world import Skill, World, load_world

Method = Callable[[str, list[str], NDArray[np.float64]], object]
"""Takes a prompt, options and their affordances."""
SampledMethod = Callable[[OptionScorer, str, list[str]], int]
"""Takes a model, a prompt and options; returns how many tokens were read."""

SEARCH, NAIVE = "best first", "naive"
"""The search that does what naive scoring does: without affordances it leaves no option out."""
AFFORDANCES = "best first, affordances"
"""The search as a planner uses it: what is hardly possible is not read."""
FULL = "best first, affordances, all there"
"""The same in a kitchen that has everything that the world has."""
SAMPLED = 4
"""Options that the two slowest methods are timed with; their time is scaled to all, which they take one by one."""


@dataclass(frozen=True)
class ScoreTiming:
    """One method with one number of options.

    Attributes:
      milliseconds: Median of a plan's steps but the first; of the methods that take one option after the other, of
        its third step.
      tokens: Tokens that the model read in such a step, mean.
      scaled: Whether it was timed on a few options, and scaled.
      steps: Number of steps that were timed.
    """

    method: str
    options: int
    milliseconds: float
    tokens: float
    scaled: bool
    steps: int


def measure(
    scorer: OptionScorer, counts: Sequence[int], progress: Callable[[str], None]
) -> tuple[list[ScoreTiming], float]:
    """Time every method with every number of options, on the same steps of one plan, warm.

    Args:
      scorer: The model.
      counts: Numbers of options.
      progress: Called with a line of text.

    Returns:
      The timings, and the most memory that the process took until it had searched and scored the tree, the model's
      loading included, MB.
    """
    world = load_world("kitchen")
    methods: dict[str, Method] = {
        AFFORDANCES: lambda prompt, options, weights: scorer.best(prompt, options, weights, EXACT_PRODUCTS),
        SEARCH: lambda prompt, options, weights: scorer.best(prompt, options, np.ones(len(options)), EXACT_PRODUCTS),
        "trie": lambda prompt, options, weights: scorer.score(prompt, options),
    }
    methods[FULL] = methods[AFFORDANCES]
    one_by_one = {"prefix": _prefix, "batched": _batched, NAIVE: _naive}
    timings = []
    for name, count in product(methods, counts):
        progress(f"{name}, {count} options")
        timings.append(_time(scorer, name, methods[name], options_of(world, count), world))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for name, count in product(one_by_one, counts):
        progress(f"{name}, {count} options")
        timings.append(_time_sample(scorer, name, one_by_one[name], options_of(world, count), world))
    return timings, memory


def _time(scorer: OptionScorer, method: str, call: Method, skills: list[Skill], world: World) -> ScoreTiming:
    options = [option_text(s) for s in skills]
    seconds, tokens = [], []
    for warm in (True, False):
        for prompt, state in prompts(world, everything=method == FULL):
            before = scorer.cache.evaluated
            weights = np.array([0.95 if state.defines(s) and state.feasible(s) else 0.0 for s in skills])
            begun = time.perf_counter()
            call(prompt, options, weights)
            if not warm:
                seconds.append(time.perf_counter() - begun)
                tokens.append(scorer.cache.evaluated - before)
    read = float(np.mean(tokens[1:]))  # the first step reads the prompt
    return ScoreTiming(method, len(skills), 1e3 * float(np.median(seconds[1:])), read, False, len(seconds) - 1)


def _time_sample(
    scorer: OptionScorer, method: str, call: SampledMethod, skills: list[Skill], world: World
) -> ScoreTiming:
    options = [option_text(s) for s in skills]
    sample = options[: 8 * SAMPLED] if method == "prefix" else options[:SAMPLED]
    prompt, _ = prompts(world, everything=False)[2]
    call(scorer, prompt, sample[:1])
    begun = time.perf_counter()
    read = call(scorer, prompt, sample)
    share = len(options) / len(sample)
    milliseconds = 1e3 * (time.perf_counter() - begun) * share
    return ScoreTiming(method, len(skills), milliseconds, read * share, len(sample) < len(options), 1)


def _naive(scorer: OptionScorer, prompt: str, options: list[str]) -> int:
    before = scorer.cache.evaluated
    scorer.score_naively(prompt, options)
    return scorer.cache.evaluated - before


@torch.inference_mode()
def _batched(scorer: OptionScorer, prompt: str, options: list[str]) -> int:
    """Score whole texts, several in a batch, padded; nothing is kept."""
    start = scorer.cache.encode(prompt)
    rows = [start + scorer.cache.encode(option) for option in options]
    length = max(map(len, rows))
    device = scorer.cache.model.device
    ids = torch.tensor([row + [0] * (length - len(row)) for row in rows], device=device)
    mask = torch.tensor([[1] * len(row) + [0] * (length - len(row)) for row in rows], device=device)
    logits = scorer.cache.model(input_ids=ids, attention_mask=mask, use_cache=False).logits
    for row, each, found in zip(rows, ids, logits, strict=True):
        log_softmax(found[len(start) - 1 : len(row) - 1]).gather(1, each[len(start) : len(row), None]).sum()
    return int(ids.numel())


def _prefix(scorer: OptionScorer, prompt: str, options: list[str]) -> int:
    """Score one option after the other on the prompt's cache."""
    before = scorer.cache.evaluated
    for option in options:
        scorer.score(prompt, [option])
    return scorer.cache.evaluated - before
