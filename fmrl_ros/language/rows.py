"""Transcripts as batches of tokens: those with a common beginning lie in one row, and do not see one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from fmrl_ros.planning.curriculum import Row
from fmrl_ros.planning.prompt import Segment


@dataclass(frozen=True)
class Batch:
    """Rows of tokens, padded.

    Attributes:
      tokens: Token ids, shape [n, length].
      positions: Of each token within its own transcript, what its row shares included, shape [n, length].
      targets: For every token the next one if it is to be learned, else -100, shape [n, length].
      seen: Which tokens each token attends to: those before it in its transcript, and what its row shares, shape
        [n, 1, length, length].
      count: Tokens that are not padding.
    """

    tokens: torch.Tensor
    positions: torch.Tensor
    targets: torch.Tensor
    seen: torch.Tensor
    count: int


@dataclass(frozen=True)
class EncodedRow:
    """A row's tokens: first what its transcripts share, then each of them.

    Attributes:
      tokens, targets: As in `Batch`.
      shared: How many tokens the transcripts share.
      lengths: Tokens of each transcript after that.
    """

    tokens: list[int]
    targets: list[int]
    shared: int
    lengths: list[int]


def encode(segments: Sequence[Segment], tokenizer: Any) -> tuple[list[int], list[bool]]:
    """Return a transcript's tokens, and for each whether the planner itself said it."""
    tokens: list[int] = []
    chosen: list[bool] = []
    for segment in segments:
        piece = tokenizer(segment.text, add_special_tokens=False).input_ids
        tokens += piece
        chosen += [segment.own] * len(piece)
    return tokens, chosen


def encoded_row(row: Row, tokenizer: Any) -> EncodedRow:
    """Return a row's tokens."""
    tokens = list(tokenizer(row.before, add_special_tokens=False).input_ids) if row.before else []
    shared, targets, lengths = len(tokens), [-100] * len(tokens), []
    for transcript in row.transcripts:
        piece, chosen = encode(transcript, tokenizer)
        tokens += piece
        targets += [after if learned else -100 for after, learned in zip(piece[1:], chosen[1:], strict=True)] + [-100]
        lengths.append(len(piece))
    return EncodedRow(tokens, targets, shared, lengths)


def pack(rows: Sequence[EncodedRow], padding: int) -> Batch:
    """Return a batch in which the transcripts of a row do not see one another."""
    length = max(len(row.tokens) for row in rows)
    tokens = torch.full((len(rows), length), padding)
    targets = torch.full((len(rows), length), -100)
    positions = torch.zeros((len(rows), length), dtype=torch.long)
    seen = torch.eye(length, dtype=torch.bool).repeat(len(rows), 1, 1, 1)
    causal = torch.ones((length, length), dtype=torch.bool).tril()
    for i, row in enumerate(rows):
        shared, total = row.shared, len(row.tokens)
        tokens[i, :total] = torch.tensor(row.tokens)
        targets[i, :total] = torch.tensor(row.targets)
        positions[i, :shared] = torch.arange(shared)
        seen[i, 0, :shared, :shared] = causal[:shared, :shared]
        seen[i, 0, shared:total, :shared] = True
        first = shared
        for size in row.lengths:
            own = slice(first, first + size)
            seen[i, 0, own, own] = causal[:size, :size]
            positions[i, own] = torch.arange(shared, shared + size)
            first += size
    return Batch(tokens, positions, targets, seen, sum(len(row.tokens) for row in rows))


def batches(rows: Sequence[Row], tokenizer: Any, size: int, rng: np.random.Generator | None) -> Iterator[Batch]:
    """Yield batches of similar length (little padding), in random order if `rng` is given."""
    encoded = [encoded_row(row, tokenizer) for row in rows]
    order = sorted(range(len(encoded)), key=lambda i: (len(encoded[i].tokens), i))
    groups = [order[i : i + size] for i in range(0, len(order), size)]
    if rng is not None:
        groups = [groups[i] for i in rng.permutation(len(groups))]
    for group in groups:
        yield pack([encoded[i] for i in group], tokenizer.pad_token_id or 0)
