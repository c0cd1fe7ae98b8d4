from dataclasses import replace

import numpy as np
import tiny_model
import torch
from transformers import AutoTokenizer

from fmrl_ros.learning.planner.adapter import load_for_tuning
from fmrl_ros.learning.planner.curriculum import KitchenCurriculum, curriculum
from fmrl_ros.learning.planner.loss import cross_entropy, hidden_states
from fmrl_ros.learning.planner.rows import attend, encode, encoded_row, grouped, pack
from fmrl_ros.worlds.world import load_world


def test_tokens_of_a_transcript_are_those_of_its_whole_text(small):
    tokenizer = AutoTokenizer.from_pretrained(small.model)
    rows = curriculum(load_world("tabletop"), small.mishaps).rows("train", 0, 40)
    for segments in (transcript for row in rows for transcript in row.transcripts):
        tokens, chosen = encode(segments, tokenizer)
        assert tokens == tokenizer("".join(s.text for s in segments)).input_ids
        learned = tokenizer.decode([t for t, c in zip(tokens, chosen, strict=True) if c])
        assert learned == "".join(s.text for s in segments if s.own)


def test_transcripts_of_a_row_share_their_kitchen_and_do_not_see_one_another():
    tokenizer = AutoTokenizer.from_pretrained(tiny_model.folder())
    rows = KitchenCurriculum(load_world("kitchen")).rows("train", 0, 60)
    assert rows == KitchenCurriculum(load_world("kitchen")).rows("train", 0, 60)
    row = max(rows, key=lambda r: len(r.transcripts))
    assert len(row.transcripts) > 2
    encoded = encoded_row(row, tokenizer)
    batch = pack([encoded])
    first = encoded.shared
    for transcript, length in zip(row.transcripts, encoded.lengths, strict=True):
        whole = tokenizer(row.before + "".join(s.text for s in transcript)).input_ids
        assert whole == encoded.tokens[: encoded.shared] + encoded.tokens[first : first + length]
        last = first + length - 1
        assert _seen(batch, last) == {*range(encoded.shared), *range(first, last + 1)}
        assert batch.positions[0, last] == encoded.shared + length - 1
        first += length


def _seen(batch, token):
    """Return the tokens that one attends to."""
    (block,) = [b for b in batch.blocks.each if b.own.start <= token < b.own.stop]
    columns = [*range(block.shared.start, block.shared.stop), *range(block.own.start, block.own.stop)]
    return {columns[i] for i in (block.hidden[token - block.own.start] == 0).nonzero().flatten()}


def test_a_batch_gives_the_states_that_each_transcript_has_by_itself(small):
    model, tokenizer = load_for_tuning(replace(small, bfloat16=False))
    rows = [encoded_row(row, tokenizer) for row in KitchenCurriculum(load_world("kitchen")).rows("train", 0, 30)[:3]]
    with torch.no_grad():
        together = hidden_states(model, pack(rows))[0]
        first = 0
        for row in rows:
            start = first + row.shared
            for length in row.lengths:
                alone = torch.tensor([row.tokens[: row.shared] + row.tokens[start - first : start - first + length]])
                states = model.get_base_model().model(alone).last_hidden_state[0]
                assert torch.allclose(together[start : start + length], states[row.shared :], atol=1e-4)
                start += length
            first += len(row.tokens)


def test_all_that_a_step_computes_with_lies_where_the_model_lies(small, kitchen_rows):
    rows = [encoded_row(row, AutoTokenizer.from_pretrained(small.model)) for row in kitchen_rows]
    batch = pack(rows).to(torch.device("meta"))  # holds no numbers, and refuses to be mixed with what does
    tensors = [batch.tokens, batch.positions, batch.learned, batch.targets, *(b.hidden for b in batch.blocks.each)]
    assert {tensor.device.type for tensor in tensors} == {"meta"}
    query, key, value = (torch.randn(1, h, batch.count, 8, device="meta", requires_grad=True) for h in (4, 2, 2))
    attended = attend(None, query, key, value, None, batch.blocks)[0]
    states = attended[0, batch.learned].flatten(1)
    losses, right = cross_entropy(states, torch.randn(50, 32, device="meta"), batch.targets)
    losses.mean().backward()
    assert {x.device.type for x in (losses, right, query.grad, key.grad, value.grad)} == {"meta"}


def test_groups_hold_every_row_once_and_are_drawn_by_the_generator_alone(kitchen_rows):
    groups, again = (grouped(kitchen_rows, 12, np.random.default_rng(0)) for _ in range(2))
    assert groups == again and sorted(id(row) for group in groups for row in group) == sorted(map(id, kitchen_rows))
    assert all(sum(len(row.transcripts) for row in group) >= 12 for group in groups[:-1])
    assert [row for group in grouped(kitchen_rows, 12) for row in group] == kitchen_rows
