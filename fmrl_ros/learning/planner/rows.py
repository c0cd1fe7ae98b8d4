"""Transcripts as batches of tokens: those with a common beginning lie in one row, and do not see one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from fmrl_ros.learning.planner.curriculum import Row
from fmrl_ros.planning.prompt import Segment

ATTENTION = "rows"
"""The name under which transformers knows `attend`."""
BLOCK = 128
"""Tokens of the transcripts that attend in one go, about: what they see of one another is computed in vain."""


@dataclass(frozen=True)
class Block:
    """A stretch of tokens that attends to what its row shares and to itself.

    Attributes:
      shared: Where what the row shares lies; empty in the block that is shared.
      own: Where the block lies.
      hidden: 0 where a token of the block (rows) attends to one of `shared` and `own` (columns), else minus infinity,
        shape [own, shared + own].
    """

    shared: slice
    own: slice
    hidden: torch.Tensor


@dataclass(frozen=True)
class Blocks:
    """A batch's blocks, in an object of their own: torch.compile recompiles for every length of a tuple."""

    each: tuple[Block, ...]


@dataclass(frozen=True)
class Batch:
    """Rows of tokens, one behind the other.

    Attributes:
      tokens: Token ids, shape [1, length].
      positions: Of each token within its own transcript, what its row shares included, shape [1, length].
      learned: Before which tokens the model is to know what comes, as indices to `tokens`, shape [n].
      targets: What comes there, shape [n].
      blocks: Which tokens each token attends to: those before it in its transcript, and what its row shares.
    """

    tokens: torch.Tensor
    positions: torch.Tensor
    learned: torch.Tensor
    targets: torch.Tensor
    blocks: Blocks

    @property
    def count(self) -> int:
        """The number of tokens."""
        return self.tokens.numel()

    def to(self, device: torch.device) -> Batch:
        """Return the batch on a device."""
        blocks = Blocks(tuple(replace(block, hidden=block.hidden.to(device)) for block in self.blocks.each))
        tokens, positions = self.tokens.to(device), self.positions.to(device)
        return Batch(tokens, positions, self.learned.to(device), self.targets.to(device), blocks)


@dataclass(frozen=True)
class EncodedRow:
    """A row's tokens: first what its transcripts share, then each of them.

    Attributes:
      tokens: Token ids.
      targets: For every token the next one if it is to be learned, else -100.
      shared: How many tokens the transcripts share.
      lengths: Tokens of each transcript after that.
    """

    tokens: list[int]
    targets: list[int]
    shared: int
    lengths: list[int]


def encode(segments: Sequence[Segment], tokenizer: Any) -> tuple[list[int], list[bool]]:
    """Return a transcript's tokens, and for each whether it is the planner's own."""
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


def pack(rows: Sequence[EncodedRow]) -> Batch:
    """Return a batch in which rows, and the transcripts of a row, do not see one another."""
    blocks: list[Block] = []
    positions: list[int] = []
    first = 0
    for row in rows:
        shared = slice(first, first + row.shared)
        first += row.shared
        positions += range(row.shared)
        if row.shared:
            blocks.append(_block(slice(first, first), shared.start, [row.shared]))
        for lengths in _portions(row.lengths):
            blocks.append(_block(shared, first, lengths))
            first += sum(lengths)
            positions += (row.shared + i for length in lengths for i in range(length))
    tokens = torch.tensor([[token for row in rows for token in row.tokens]])
    targets = torch.tensor([token for row in rows for token in row.targets])
    learned = (targets >= 0).nonzero()[:, 0]
    return Batch(tokens, torch.tensor([positions]), learned, targets[learned], Blocks(tuple(blocks)))


def _portions(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the lengths in groups of about `BLOCK` tokens."""
    group: list[int] = []
    for length in lengths:
        if group and sum(group) + length > BLOCK:
            yield group
            group = []
        group.append(length)
    if group:
        yield group


def _block(shared: slice, first: int, lengths: Sequence[int]) -> Block:
    """Return the block of sequences that begin at token `first` and do not see one another."""
    before, size = shared.stop - shared.start, sum(lengths)
    seen = torch.block_diag(*(torch.ones(length, length).tril() for length in lengths)).bool()
    seen = torch.cat([torch.ones(size, before, dtype=torch.bool), seen], dim=1)
    return Block(shared, slice(first, first + size), torch.zeros(seen.shape).masked_fill(~seen, -torch.inf))


def attend(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    blocks: Blocks | None = None,
    **others: Any,
) -> tuple[torch.Tensor, None]:
    """Attend as `blocks` say, or as scaled dot-product attention does if there are none.

    An attention function as transformers wants it: queries, keys and values of shape [1, heads, length, width], with
    fewer heads for keys and values than for queries.

    The products and their derivatives are written out: on a processor, torch's fused attention with a mask takes three
    times as long, and every slice that it differentiates by itself a tensor of zeros as large as the whole.

    Returns:
      Shape [1, length, heads, width].
    """
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    if blocks is None:
        return sdpa_attention_forward(module, query, key, value, attention_mask, **others)
    scale = others.get("scaling") or query.shape[-1] ** -0.5
    attended = _Attention.apply(query[0], key[0], value[0], blocks.each, scale)
    return attended.transpose(0, 1).unsqueeze(0), None


class _Attention(torch.autograd.Function):
    """Attention of queries [heads, length, width] to keys and values of fewer heads, block by block."""

    @staticmethod
    def forward(
        ctx: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, blocks: Sequence[Block], scale: float
    ) -> torch.Tensor:
        heads, _, width = query.shape
        attended = torch.empty_like(query)
        shares = []
        for block in blocks:
            keys, values = (_seen_by(block, x) for x in (key, value))
            queries = query[:, block.own].reshape(len(key), -1, width)
            hidden = block.hidden.to(query.dtype).repeat(heads // len(key), 1).expand(len(key), -1, -1)
            scores = torch.baddbmm(hidden, queries, keys.mT, alpha=scale)
            shares.append(scores.softmax(-1).to(query.dtype))  # autocast on a GPU makes it float32
            attended[:, block.own] = torch.bmm(shares[-1], values).view(heads, -1, width)
        ctx.save_for_backward(query, key, value, attended, *shares)
        ctx.blocks, ctx.scale = blocks, scale
        return attended

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        query, key, value, attended, *shares = ctx.saved_tensors
        heads, _, width = query.shape
        means = (gradients[0] * attended).sum(-1, keepdim=True)  # of a share's derivative, weighted with the shares
        for_query, for_key, for_value = torch.empty_like(query), torch.zeros_like(key), torch.zeros_like(value)
        for block, share in zip(ctx.blocks, shares, strict=True):
            keys, values = (_seen_by(block, x) for x in (key, value))
            queries, gradient = (x[:, block.own].reshape(len(key), -1, width) for x in (query, gradients[0]))
            for_score = torch.bmm(gradient, values.mT)
            for_score.sub_(means[:, block.own].reshape(len(key), -1, 1)).mul_(share).mul_(ctx.scale)
            for_query[:, block.own] = torch.bmm(for_score, keys).view(heads, -1, width)
            before = block.shared.stop - block.shared.start
            for total, part in (
                (for_key, torch.bmm(for_score.mT, queries)),
                (for_value, torch.bmm(share.mT, gradient)),
            ):
                total[:, block.shared] += part[:, :before]
                total[:, block.own] += part[:, before:]
        return for_query, for_key, for_value, None, None


def _seen_by(block: Block, states: torch.Tensor) -> torch.Tensor:
    """Return what a block attends to, of shape [heads, shared + own, width]."""
    return torch.cat([states[:, block.shared], states[:, block.own]], dim=1)


def grouped(rows: Sequence[Row], transcripts: int, rng: np.random.Generator | None = None) -> list[list[Row]]:
    """Return the rows in groups with at least so many transcripts each, in random order if `rng` is given."""
    groups: list[list[Row]] = [[]]
    for i in range(len(rows)) if rng is None else rng.permutation(len(rows)):
        if sum(len(row.transcripts) for row in groups[-1]) >= transcripts:
            groups.append([])
        groups[-1].append(rows[i])
    return groups


def encoded_batch(rows: Sequence[Row], tokenizer: Any) -> Batch:
    """Return the rows as a batch."""
    return pack([encoded_row(row, tokenizer) for row in rows])
