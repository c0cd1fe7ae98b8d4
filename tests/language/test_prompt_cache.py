import pytest
import torch
from block_options import PROMPT

from fmrl_ros.language.language_model import RequestRefusedError
from fmrl_ros.language.prompt_cache import PromptCache, common_prefix


@pytest.fixture
def cache(model) -> PromptCache:
    return model.cache


def naive(cache: PromptCache, tokens: list[int]) -> torch.Tensor:
    """Return the logits after a prompt that nothing is known of."""
    with torch.inference_mode():
        return cache.model(input_ids=torch.tensor([tokens]), use_cache=False).logits[0, -1]


@torch.inference_mode()
def test_a_prompt_that_grows_is_read_from_where_it_grew(cache):
    tokens = cache.encode(PROMPT)
    cache.read(tokens[:-3])
    before = cache.evaluated
    torch.testing.assert_close(cache.read(tokens), naive(cache, tokens), atol=1e-4, rtol=1e-4)
    assert cache.evaluated - before == 3 and cache.prefix == tokens and cache.length == len(tokens)


@torch.inference_mode()
def test_a_prompt_that_is_known_is_read_again_by_its_last_token_alone(cache):
    tokens = cache.encode(PROMPT)
    cache.read(tokens)
    before = cache.evaluated
    cache.read(tokens)
    assert cache.evaluated - before == 1


@torch.inference_mode()
def test_another_prompt_shares_the_common_beginning(cache):
    tokens = cache.encode(PROMPT)
    other = [*tokens[:5], *cache.encode(" something else")]
    cache.read(tokens)
    torch.testing.assert_close(cache.read(other), naive(cache, other), atol=1e-4, rtol=1e-4)


@torch.inference_mode()
def test_a_branch_sees_the_prompt_and_its_own_ancestors_only(cache):
    prompt, (a, b, c) = cache.encode(PROMPT), cache.encode("x y z")[:3]
    cache.read(prompt)
    start = cache.length
    rows = cache.read_branches(len(prompt), [], [(a, [start]), (b, [start + 1]), (c, [start, start + 2])])
    for row, branch in zip(rows, ([a], [b], [a, c]), strict=True):
        torch.testing.assert_close(row, naive(cache, [*prompt, *branch]), atol=1e-4, rtol=1e-4)


@torch.inference_mode()
def test_a_branch_that_is_kept_becomes_part_of_the_prompt(cache):
    prompt, (a, b) = cache.encode(PROMPT), cache.encode("x y z")[:2]
    cache.read(prompt)
    start = cache.length
    cache.read_branches(len(prompt), [], [(a, [start]), (b, [start + 1])])
    cache.keep(prompt, [b], [start + 1])
    assert cache.prefix == [*prompt, b] and cache.length == len(prompt) + 1
    torch.testing.assert_close(cache.extend(a), naive(cache, [*prompt, b, a]), atol=1e-4, rtol=1e-4)


def test_a_prompt_that_leaves_no_room_is_refused_and_an_empty_one_is_an_error(cache):
    with pytest.raises(RequestRefusedError, match="tokens, the language model takes"):
        cache.prompt(PROMPT, room=cache.context)
    with pytest.raises(ValueError, match="empty"):
        cache.prompt("", room=1)


def test_the_common_prefix_of_two_sequences_is_counted():
    assert common_prefix([1, 2, 3], [1, 2, 4, 5]) == 2
    assert common_prefix([], [1]) == 0 and common_prefix([1], [1]) == 1
