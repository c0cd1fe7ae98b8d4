"""Scores many options after one prompt: the prompt is evaluated once, the options as one token tree.

The prompt's key-value cache is kept from call to call; a new prompt reuses the longest common prefix. Options
that start with the same tokens share them. All inner nodes of the tree are evaluated in one forward pass, in
which a node attends to the prompt and to its ancestors only, at the position it has within its option.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import DynamicCache


@dataclass
class TokenTree:
    """Options merged by common beginnings.

    Node 0 is the end of the prompt. Every other node is a token after its parent.

    Attributes:
      tokens: Token of each node; the root's is meaningless (-1).
      parents: Index of each node's parent, smaller than its own; -1 for the root.
      ends: For each option the node where it ends.
    """

    tokens: list[int] = field(default_factory=lambda: [-1])
    parents: list[int] = field(default_factory=lambda: [-1])
    ends: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, options: Sequence[Sequence[int]]) -> TokenTree:
        """Merge options, each a sequence of tokens."""
        tree = cls()
        children: dict[tuple[int, int], int] = {}
        for option in options:
            node = 0
            for token in option:
                if (node, token) not in children:
                    children[node, token] = len(tree.tokens)
                    tree.tokens.append(token)
                    tree.parents.append(node)
                node = children[node, token]
            tree.ends.append(node)
        return tree

    def inner(self) -> list[int]:
        """Return the nodes, without the root, that something follows: those the model must read."""
        return sorted(set(self.parents) - {-1, 0})


class OptionScorer:
    """Scores options with a causal model of the transformers library.

    Args:
      model: The model, in evaluation mode.
      tokenizer: Its tokenizer.
      chunk: At most so many prompt tokens are evaluated at once (bounds memory).
    """

    def __init__(self, model: Any, tokenizer: Any, chunk: int = 1024) -> None:
        self.model, self.tokenizer, self.chunk = model, tokenizer, chunk
        self.context = int(getattr(model.config, "max_position_embeddings", 0) or 1 << 30)
        layers = getattr(model.config, "layer_types", None) or ["full_attention"]
        self.tree = all(kind == "full_attention" for kind in layers) and not getattr(
            model.config, "sliding_window", None
        )
        self._prefix: list[int] = []
        self._cache = DynamicCache()
        self.evaluated = 0
        """Tokens that the model has read so far, for tests and benchmarks."""

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text, without any special ones."""
        return list(self.tokenizer(text, add_special_tokens=False).input_ids)

    @torch.inference_mode()
    def score(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        """Return ``log p(option | prompt)`` in nats, shape [n]; an option is tokenised by itself.

        Raises:
          ValueError: If the prompt is empty or leaves no room for the options in the model's context.
        """
        if not options:
            return np.zeros(0)
        tokens, encoded = self.encode(prompt), [self.encode(option) for option in options]
        room = self.context - max(len(option) for option in encoded)
        if not 0 < len(tokens) <= room:
            raise ValueError(f"the prompt has {len(tokens)} tokens; valid: 1 to {room}")
        if not self.tree:
            return np.array([self._naive(tokens, option) for option in encoded])
        return self._score_tree(tokens, TokenTree.of(encoded))

    @torch.inference_mode()
    def score_naively(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        """Return the same numbers, one full evaluation of prompt and option after the other (the reference)."""
        tokens = self.encode(prompt)
        return np.array([self._naive(tokens, self.encode(option)) for option in options])

    def _naive(self, prompt: list[int], option: list[int]) -> float:
        ids = torch.tensor([prompt + option], device=self.model.device)
        self.evaluated += ids.shape[1]
        logits = self.model(input_ids=ids, use_cache=False).logits[0, len(prompt) - 1 : -1]
        wanted = torch.tensor(option, device=self.model.device)
        return float(_log_softmax(logits).gather(1, wanted[:, None]).sum())

    def _score_tree(self, prompt: list[int], tree: TokenTree) -> NDArray[np.float64]:
        inner = tree.inner()
        row = {0: 0, **{node: i + 1 for i, node in enumerate(inner)}}
        logits = [self._read_prompt(prompt)]
        if inner:
            logits.append(self._read_tree(len(prompt), tree, inner))
        log_p = _log_softmax(torch.cat(logits))
        rows = torch.tensor([row[parent] for parent in tree.parents[1:]], device=log_p.device)
        tokens = torch.tensor(tree.tokens[1:], device=log_p.device)
        steps = log_p[rows, tokens].tolist() if len(tree.tokens) > 1 else []
        total = [0.0]
        for parent, step in zip(tree.parents[1:], steps, strict=True):
            total.append(total[parent] + step)
        return np.array([total[end] for end in tree.ends])

    def _read_prompt(self, prompt: list[int]) -> torch.Tensor:
        """Bring the cache to `prompt`; return the logits after its last token, shape [1, vocabulary]."""
        kept = min(_common_prefix(self._prefix, prompt), len(prompt) - 1)
        self._forget(kept)
        logits = None
        while kept < len(prompt):
            ids = torch.tensor([prompt[kept : kept + self.chunk]], device=self.model.device)
            logits = self.model(input_ids=ids, past_key_values=self._cache, use_cache=True, logits_to_keep=1).logits
            kept += ids.shape[1]
            self.evaluated += ids.shape[1]
            self._prefix = prompt[:kept]
        if logits is None:
            raise ValueError("an empty prompt has no continuation to score")
        return logits[0]

    def _read_tree(self, prefix: int, tree: TokenTree, inner: list[int]) -> torch.Tensor:
        """Return the logits after every inner node, shape [inner, vocabulary]; the cache is left as it was."""
        device, index = self.model.device, {node: i for i, node in enumerate(inner)}
        ancestors = torch.zeros((len(inner), len(inner)), dtype=torch.bool)
        depths = []
        for i, node in enumerate(inner):
            parent = tree.parents[node]
            if parent:
                ancestors[i] = ancestors[index[parent]]
            ancestors[i, i] = True
            depths.append(int(ancestors[i].sum()) - 1)
        seen = torch.cat([torch.ones((len(inner), prefix), dtype=torch.bool), ancestors], dim=1)
        mask = torch.zeros(seen.shape, dtype=self.model.dtype).masked_fill(~seen, torch.finfo(self.model.dtype).min)
        self.evaluated += len(inner)
        try:
            return self.model(
                input_ids=torch.tensor([[tree.tokens[node] for node in inner]], device=device),
                position_ids=torch.tensor([depths], device=device) + prefix,
                attention_mask=mask[None, None].to(device),
                past_key_values=self._cache,
                use_cache=True,
            ).logits[0]
        finally:
            self._forget(prefix)

    def _forget(self, length: int) -> None:
        """Shorten the cache to its first `length` tokens."""
        if length == 0:
            self._cache = DynamicCache()
        elif (surplus := self._cache.get_seq_length() - length) > 0:
            self._cache.crop(-surplus)
        self._prefix = self._prefix[:length]


def _common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    length = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        length += 1
    return length


def _log_softmax(logits: torch.Tensor) -> torch.Tensor:
    return torch.log_softmax(logits.float(), dim=-1)
