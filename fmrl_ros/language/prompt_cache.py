"""A causal model with the key-value cache of the last prompt, from which the next prompt goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from transformers import DynamicCache

from fmrl_ros.language.language_model import LanguageModelError, RequestRefusedError
from fmrl_ros.language.token_tree import Reading


class PromptCache:
    """Reads prompts and what may follow them, with a causal model of the transformers library.

    What was read stays in the cache: a new prompt reuses the longest common prefix, and the nodes of the last tree that
    it goes on with, for a prompt usually grows by the option that was chosen. Behind the prompt stand branches: tokens
    that attend to it and to their ancestors only, at the position that they have within their branch.

    Args:
      model: The model, in evaluation mode.
      tokenizer: Its tokenizer.
      chunk: Maximum number of prompt tokens that are evaluated at once (bounds memory).

    Attributes:
      context: Tokens that the model can see at most.
      branching: Whether branches are possible; a model with sliding windows has none.
      prefix: The tokens of the prompt that is in the cache.
      reading: The tree that was read last behind it, if nothing else was.
      evaluated: Tokens that the model has read so far, for tests and benchmarks.
      passes: Forward passes so far.
    """

    def __init__(self, model: Any, tokenizer: Any, chunk: int = 1024) -> None:
        self.model, self.tokenizer, self.chunk = model, tokenizer, chunk
        self.context = int(getattr(model.config, "max_position_embeddings", 0) or 1 << 30)
        layers = getattr(model.config, "layer_types", None) or ["full_attention"]
        self.branching = all(kind == "full_attention" for kind in layers) and not getattr(
            model.config, "sliding_window", None
        )
        self.prefix: list[int] = []
        self.reading: Reading | None = None
        self.evaluated = 0
        self.passes = 0
        self._cache = DynamicCache()

    @property
    def length(self) -> int:
        """Tokens in the cache, branches included."""
        return int(self._cache.get_seq_length())

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text, without any special ones: "<|im_end|>" in it is data, letter by letter."""
        return list(self.tokenizer(text, add_special_tokens=False, split_special_tokens=True).input_ids)

    def prompt(self, text: str, room: int) -> list[int]:
        """Return a prompt's tokens.

        Raises:
          RequestRefusedError: If they leave less than `room` in the model's context.
          ValueError: If there are none.
        """
        tokens = self.encode(text)
        if not tokens:
            raise ValueError("the prompt is empty")
        if len(tokens) > self.context - room:
            raise RequestRefusedError(
                f"the prompt has {len(tokens)} tokens, the language model takes {self.context - room}",
                "name fewer things, or take another model: --llm",
            )
        return tokens

    def prepare(self, tokens: list[int]) -> list[int]:
        """Bring the cache to a prompt but for its last tokens; return these, at least one and at most a chunk."""
        kept = 0
        if self.branching:
            self._reuse_reading(tokens)
            kept = min(len(self.prefix), len(tokens) - 1)
        self.forget(kept)
        while len(tokens) - kept > self.chunk:
            self._forward(tokens[kept : kept + self.chunk], None, None, 1)
            kept += self.chunk
            self.prefix = tokens[:kept]
        return tokens[kept:]

    def read(self, tokens: list[int]) -> torch.Tensor:
        """Bring the cache to a prompt; return the logits of what follows, shape [vocabulary]."""
        logits = self._forward(self.prepare(tokens), None, None, 1)[-1]
        self.prefix = list(tokens)
        return logits

    def extend(self, token: int) -> torch.Tensor:
        """Add a token to the prompt; return the logits of what follows, shape [vocabulary]."""
        logits = self._forward([token], None, None, 1)[-1]
        self.prefix = [*self.prefix, token]
        return logits

    def read_branches(
        self, prefix: int, rest: Sequence[int], branches: Sequence[tuple[int, Sequence[int]]]
    ) -> torch.Tensor:
        """Read the `rest` of a prompt and tokens of branches behind it in one pass.

        Args:
          prefix: Tokens of the prompt.
          rest: The last of them, as far as they are not in the cache.
          branches: Tokens, each with where its ancestors are in the cache and, last, where it will be itself.

        Returns:
          Logits after the prompt, if there is a rest, and after each token, shape [n, vocabulary].
        """
        start, own = self.length, len(rest)
        seen = torch.zeros((own + len(branches), start + own + len(branches)), dtype=torch.bool)
        seen[:own, : start + own] = torch.ones((own, start + own), dtype=torch.bool).tril(start)
        positions = list(range(start, start + own))
        for row, (_, slots) in enumerate(branches, start=own):
            seen[row, :prefix] = True
            seen[row, list(slots)] = True
            positions.append(prefix + len(slots) - 1)
        mask = torch.zeros(seen.shape, dtype=self.model.dtype).masked_fill(~seen, torch.finfo(self.model.dtype).min)
        ids = [*rest, *(token for token, _ in branches)]
        return self._forward(ids, positions, mask, len(branches) + bool(rest))

    def keep(self, prompt: Sequence[int], branch: Sequence[int], slots: Sequence[int]) -> None:
        """Leave nothing in the cache but a prompt and, as a part of it, a branch's tokens, which are at `slots`."""
        self._select([*range(len(prompt)), *slots])
        self.prefix = [*prompt, *branch]

    def forget(self, length: int) -> None:
        """Shorten the cache to its first `length` tokens."""
        if length == 0:
            self._cache = DynamicCache()
        elif (surplus := self.length - length) > 0:
            self._cache.crop(-surplus)
        self.prefix = self.prefix[:length]

    def _reuse_reading(self, prompt: list[int]) -> None:
        """If the prompt goes on with nodes of the tree that was read last, keep them as part of the prefix."""
        reading, known = self.reading, len(self.prefix)
        self.reading = None
        if reading is None or prompt[:known] != self.prefix:
            self.forget(common_prefix(self.prefix, prompt))
            return
        node = 0
        for token in prompt[known:]:
            following = reading.tree.children[node].get(token)
            if following is None or following not in reading.slots:
                break
            node = following
        slots = reading.slots[node]
        self.keep(prompt[:known], prompt[known : known + len(slots)], slots)

    def _select(self, slots: Sequence[int]) -> None:
        kept = torch.tensor(slots, device=self.model.device)
        for layer in self._cache.layers:
            layer.keys, layer.values = layer.keys.index_select(2, kept), layer.values.index_select(2, kept)

    def _forward(
        self, ids: Sequence[int], positions: list[int] | None, mask: torch.Tensor | None, keep: int
    ) -> torch.Tensor:
        """Return the logits of the last `keep` tokens, shape [keep, vocabulary]; the cache grows by the tokens."""
        device = self.model.device
        extra: dict[str, Any] = {}
        if positions is not None and mask is not None:
            extra["position_ids"] = torch.tensor([positions], device=device)
            extra["attention_mask"] = mask[None, None].to(device)
        try:
            logits: torch.Tensor = self.model(
                input_ids=torch.tensor([list(ids)], device=device),
                past_key_values=self._cache,
                use_cache=True,
                logits_to_keep=keep,
                **extra,
            ).logits[0]
            check_numbers(logits)
        except BaseException:  # some layers may have grown and others not, or hold no numbers
            self.reading, self.prefix, self._cache = None, [], DynamicCache()
            raise
        self.evaluated += len(ids)
        self.passes += 1
        return logits


def common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    """Return how many tokens two sequences have in common at their beginnings."""
    length = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        length += 1
    return length


def check_numbers(logits: torch.Tensor) -> None:
    """Raise LanguageModelError if logits, shape [n, vocabulary], give no probabilities."""
    if not bool(logits.amax(-1).isfinite().all()):
        raise LanguageModelError("the language model's scores are no numbers", "are its weights or adapter damaged?")


def log_softmax(logits: torch.Tensor) -> torch.Tensor:
    """Return log-probabilities in float32, shape as `logits`."""
    return torch.log_softmax(logits.float(), dim=-1)
