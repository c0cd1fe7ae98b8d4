"""Scores many options after one prompt: the prompt is evaluated once, the options as one token tree.

Options that start with the same tokens share them, and nodes of the tree are evaluated together, as branches behind the
prompt in the cache.

A log-probability is at most 0, so what is known of an option bounds the whole of it: `OptionScorer.best` reads the
tree best first, and ends as soon as no unread node can lead to a better product of probability and weight. A pass takes
much of its time for the weights, however little it reads: the search begins, in the pass that reads the prompt, with
the beginnings of what is possible, as far as there is no alternative or the next token was said of late, and goes on
with all that the best may need, in every further pass with twice as much.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from fmrl_ros.language.language_model import Found
from fmrl_ros.language.prompt_cache import PromptCache, check_numbers, log_softmax
from fmrl_ros.language.token_tree import Array, BestFirst, Reading, TokenTree

RECENT = 32
"""A search begins with the branches whose tokens are among this number of last ones of the prompt: the next skill is
mostly about things that were just named (as in prompt lookup decoding, Saxena 2023,
https://github.com/apoorvumang/prompt-lookup-decoding)."""
PASS_LIMIT = 256
"""Maximum number of nodes in one forward pass: each has a row of logits as long as the vocabulary."""


class OptionScorer:
    """Scores options by their probability after a prompt.

    Args:
      cache: The model, and what it has read.
    """

    def __init__(self, cache: PromptCache) -> None:
        self.cache = cache
        self._trees: dict[tuple[str, ...], TokenTree] = {}
        self._tokens: dict[str, list[int]] = {}

    def score(self, prompt: str, options: Sequence[str]) -> Array:
        """Return ``log p(option | prompt)`` in nats, shape [n]; an option is tokenised by itself.

        Raises:
          LanguageModelError: If the prompt leaves no room for the options in the model's context.
          ValueError: If it is empty.
        """
        return self.best(prompt, options, np.ones(len(options)), len(options)).log_p

    @torch.inference_mode()
    def best(self, prompt: str, options: Sequence[str], weights: Array, count: int) -> Found:
        """Find the options with the best products of probability and weight, reading no more than that takes.

        Args:
          prompt: What comes before.
          options: What may follow; each is tokenised by itself.
          weights: A factor for each option, at least 0, shape [n]; 0 rules it out.
          count: Number of best products to make exact; the most probable option's log-probability is exact, too.

        Raises:
          ValueError: As `score`.
        """
        if not options:
            return Found(np.zeros(0), np.zeros(0, bool))
        tree = self._tree(options)
        tokens = self.cache.prompt(prompt, tree.depth)
        if not self.cache.branching:
            naive = np.array([self._naive(tokens, self.cache.encode(option)) for option in options])
            return Found(naive, np.ones(len(options), bool))
        with np.errstate(divide="ignore"):
            log_weights = np.log(np.asarray(weights, np.float64))
        if count >= len(options):
            reading = self._begin(tokens, tree, tree.inner())
        else:
            searches = BestFirst(tree, np.zeros(len(options)), 1), BestFirst(tree, log_weights, count)
            reading = self._begin(tokens, tree, searches[1].first_nodes(set(tokens[-RECENT:])))
            while nodes := dict.fromkeys(node for search in searches for node in search.next_nodes(reading)):
                self._read_nodes(reading, list(nodes), [])
        return Found(reading.bounds()[tree.ends], ~np.isnan(reading.total[tree.ends]))

    @torch.inference_mode()
    def score_naively(self, prompt: str, options: Sequence[str]) -> Array:
        """Return the same numbers, one full evaluation of prompt and option after the other (the reference)."""
        tokens = self.cache.encode(prompt)
        return np.array([self._naive(tokens, self.cache.encode(option)) for option in options])

    def _tree(self, options: Sequence[str]) -> TokenTree:
        key = tuple(options)
        if key not in self._trees:
            if len(self._trees) > 8:
                self._trees.clear()
            self._trees[key] = TokenTree.of([self._encoded(option) for option in options])
        return self._trees[key]

    def _encoded(self, option: str) -> list[int]:
        """Return an option's tokens; which options there are differs from step to step, what they are does not."""
        if option not in self._tokens:
            if len(self._tokens) > 10_000:
                self._tokens.clear()
            self._tokens[option] = self.cache.encode(option)
        return self._tokens[option]

    def _naive(self, prompt: list[int], option: list[int]) -> float:
        model = self.cache.model
        ids = torch.tensor([prompt + option], device=model.device)
        self.cache.evaluated += ids.shape[1]
        logits = model(input_ids=ids, use_cache=False).logits[0, len(prompt) - 1 : -1]
        check_numbers(logits)
        wanted = torch.tensor(option, dtype=torch.long, device=model.device)
        return float(log_softmax(logits).gather(1, wanted[:, None]).sum())

    def _begin(self, prompt: list[int], tree: TokenTree, nodes: list[int]) -> Reading:
        """Bring the cache to `prompt`, and in the same pass read some of a tree."""
        rest = self.cache.prepare(prompt)
        reading = Reading(tree, len(prompt))
        self._read_nodes(reading, nodes, rest)
        self.cache.prefix, self.cache.reading = prompt, reading
        return reading

    def _read_nodes(self, reading: Reading, nodes: list[int], rest: list[int]) -> None:
        """Read nodes, each after its parent, and before them the `rest` of the prompt; not too many at a time."""
        self._read_some(reading, nodes[:PASS_LIMIT], rest)
        for start in range(PASS_LIMIT, len(nodes), PASS_LIMIT):
            self._read_some(reading, nodes[start : start + PASS_LIMIT], [])

    def _read_some(self, reading: Reading, nodes: list[int], rest: list[int]) -> None:
        tree = reading.tree
        start = self.cache.length + len(rest)
        slots: dict[int, list[int]] = {}
        for slot, node in enumerate(nodes, start=start):
            parent = tree.parents[node]
            above = slots.get(parent) or reading.slots[parent] if parent else []
            slots[node] = [*above, slot]
        logits = self.cache.read_branches(reading.prefix, rest, [(tree.tokens[node], slots[node]) for node in nodes])
        reading.slots |= slots
        log_p = log_softmax(logits)
        for row, node in enumerate([0, *nodes] if rest else nodes):
            below = tree.children[node]
            steps = log_p[row, list(below)].double().cpu().numpy()
            reading.total[list(below.values())] = reading.total[node] + steps
