"""The loss that a planner's model is tuned by: cross-entropy of the planner's own tokens."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from fmrl_ros.learning.planner.rows import Batch


def evaluate(model: Any, batches: Sequence[Batch]) -> tuple[float, float]:
    """Return the mean loss in nats a token and the share of choice tokens that the model ranks first."""
    model.eval()
    if not batches:
        return math.nan, math.nan
    with torch.no_grad(), mixed_precision(model, model.dtype):
        losses, right = map(torch.cat, zip(*(own_losses(model, batch) for batch in batches), strict=True))
    return float(losses.mean()), float(right.float().mean())


@contextlib.contextmanager
def mixed_precision(model: Any, dtype: torch.dtype) -> Iterator[None]:
    """Multiply in `dtype` while the adapter's own parameters stay in float32."""
    from peft.helpers import disable_input_dtype_casting

    if dtype == torch.float32:
        yield
        return
    with disable_input_dtype_casting(model), torch.autocast(model.device.type, dtype=dtype):
        yield


def hidden_states(model: Any, batch: Batch) -> torch.Tensor:
    """Return the last layer's states, shape [1, length, width]."""
    states: torch.Tensor = (
        model.get_base_model()
        .model(input_ids=batch.tokens, position_ids=batch.positions, use_cache=False, blocks=batch.blocks)
        .last_hidden_state
    )
    return states


def own_losses(model: Any, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the cross-entropy of each token that is learned, in the batch's order, and whether it is the likeliest."""
    batch = batch.to(model.device)
    states, vocabulary = hidden_states(model, batch)[0, batch.learned], model.get_base_model().lm_head.weight
    return cross_entropy(states, vocabulary, batch.targets)


def cross_entropy(
    states: torch.Tensor, vocabulary: torch.Tensor, truth: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the cross-entropy of each token, and whether the token is the likeliest, both of shape [n].

    Computed for a few tokens at a time: a whole vocabulary's logits do not fit into a processor's cache. So is the
    derivative, along with the loss, before the logits are forgotten (as in Liger Kernel, Hsu et al. 2024,
    https://arxiv.org/abs/2410.10989).

    Args:
      states: The last layer's, before each token, shape [n, width].
      vocabulary: The output layer's weights, shape [tokens, width]; nothing is derived for them.
      truth: The tokens, shape [n].
    """
    losses, right = _CrossEntropy.apply(states, vocabulary, truth)
    return losses, right.detach()


class _CrossEntropy(torch.autograd.Function):
    PORTION = 64

    @staticmethod
    def forward(
        ctx: Any, states: torch.Tensor, vocabulary: torch.Tensor, truth: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        gradient = torch.empty_like(states)
        losses = states.new_zeros(len(states), dtype=torch.float32)
        right = torch.zeros_like(losses, dtype=torch.bool)
        for start in range(0, len(states), _CrossEntropy.PORTION):
            portion = slice(start, start + _CrossEntropy.PORTION)
            these, tokens = states[portion], truth[portion, None]
            logits = torch.mm(these, vocabulary.T).float()
            right[portion] = logits.argmax(-1) == tokens[:, 0]
            log_p = logits.log_softmax(-1)
            losses[portion] = -log_p.gather(1, tokens)[:, 0]
            error = log_p.exp_().scatter_add_(1, tokens, torch.full_like(losses[portion, None], -1.0))
            gradient[portion] = torch.mm(error.to(vocabulary.dtype), vocabulary).to(states.dtype)
        ctx.save_for_backward(gradient)
        return losses, right

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (gradient,) = ctx.saved_tensors
        return gradient * gradients[0][:, None].to(gradient.dtype), None, None
