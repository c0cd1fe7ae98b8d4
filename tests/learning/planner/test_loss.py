from dataclasses import replace

import pytest
import torch

from fmrl_ros.learning.planner.adapter import load_for_tuning
from fmrl_ros.learning.planner.loss import cross_entropy, evaluate, hidden_states, mixed_precision, own_losses
from fmrl_ros.learning.planner.rows import encoded_batch, encoded_row, pack


def test_cross_entropy_in_portions_is_that_of_torch():
    torch.manual_seed(0)
    states, vocabulary = torch.randn(150, 8), torch.randn(30, 8)
    truth = torch.randint(30, (150,))
    one, other = states.clone().requires_grad_(), states.clone().requires_grad_()
    weights = torch.rand(150)
    losses, right = cross_entropy(one, vocabulary, truth)
    expected = torch.nn.functional.cross_entropy(other @ vocabulary.T, truth, reduction="none")
    (weights * losses).sum().backward()
    (weights * expected).sum().backward()
    assert torch.allclose(losses, expected, atol=1e-5) and torch.allclose(one.grad, other.grad, atol=1e-6)
    assert torch.equal(right, (states @ vocabulary.T).argmax(-1) == truth)


def test_attention_in_blocks_has_the_derivative_of_the_whole(small, kitchen_rows):
    model, tokenizer = load_for_tuning(replace(small, bfloat16=False))
    row = max(kitchen_rows, key=lambda row: len(row.transcripts))
    encoded = encoded_row(row, tokenizer)
    direction = torch.randn(model.config.hidden_size, generator=torch.Generator().manual_seed(0))
    (hidden_states(model, pack([encoded]))[0, encoded.shared :] @ direction).sum().backward()
    together = {name: p.grad.clone() for name, p in model.named_parameters() if p.requires_grad}
    model.zero_grad()
    first = encoded.shared
    for length in encoded.lengths:
        alone = torch.tensor([encoded.tokens[: encoded.shared] + encoded.tokens[first : first + length]])
        (model.get_base_model().model(alone).last_hidden_state[0, encoded.shared :] @ direction).sum().backward()
        first += length
    named = dict(model.named_parameters())
    for name, gradient in together.items():
        assert torch.allclose(gradient, named[name].grad, rtol=1e-2, atol=1e-2 * float(gradient.abs().max())), name


def test_evaluation_is_the_mean_over_the_tokens_that_are_learned(small, kitchen_rows):
    model, tokenizer = load_for_tuning(small)
    one, other = ([row] for row in kitchen_rows[:2])
    batches = [encoded_batch(rows, tokenizer) for rows in (one, other)]
    loss, accuracy = evaluate(model, batches)
    with torch.no_grad():
        losses, right = map(torch.cat, zip(*(own_losses(model, batch) for batch in batches), strict=True))
    assert loss == pytest.approx(float(losses.mean())) and accuracy == pytest.approx(float(right.float().mean()))
    assert all(figure != figure for figure in evaluate(model, []))  # NaN


def test_in_mixed_precision_the_adapter_stays_in_float32(small, kitchen_rows):
    model, tokenizer = load_for_tuning(replace(small, bfloat16=True))
    with mixed_precision(model, model.dtype):
        losses, _ = own_losses(model, encoded_batch(kitchen_rows, tokenizer))
    losses.mean().backward()
    adapter = [p for p in model.parameters() if p.requires_grad]
    assert model.dtype == torch.bfloat16 and adapter
    assert all(p.dtype == p.grad.dtype == torch.float32 for p in adapter)
