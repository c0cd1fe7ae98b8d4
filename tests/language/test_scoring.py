import numpy as np
import pytest
from block_options import NESTED, OPTIONS, PROMPT

from fmrl_ros.language.language_model import LanguageModelError
from fmrl_ros.language.token_tree import TokenTree
from fmrl_ros.planning.prompt import option_text
from fmrl_ros.worlds.world import load_world


@pytest.mark.parametrize("options", [OPTIONS, NESTED, OPTIONS + NESTED, [" done"]])
def test_tree_scores_equal_naive_scores_even_for_options_that_are_prefixes_of_others(model, options):
    np.testing.assert_allclose(
        model.score(PROMPT, options), model.scorer.score_naively(PROMPT, options), rtol=0, atol=1e-3
    )


def test_scores_stay_right_while_prompts_grow_shrink_and_change(model):
    for prompt in (PROMPT, PROMPT + OPTIONS[0] + "Robot:", PROMPT, "Task: pick", "Robot: no task"):
        np.testing.assert_allclose(
            model.score(prompt, OPTIONS), model.scorer.score_naively(prompt, OPTIONS), rtol=0, atol=1e-3
        )


def test_long_prompt_is_read_in_chunks(model):
    model.cache.chunk = 7
    np.testing.assert_allclose(
        model.score(PROMPT, OPTIONS), model.scorer.score_naively(PROMPT, OPTIONS), rtol=0, atol=1e-3
    )


@pytest.mark.parametrize("addition", [" pick up the red block\nRobot:", " no such thing\nRobot:"])
def test_a_longer_prompt_costs_only_what_was_not_read_of_it_and_the_tree(model, addition):
    model.score(PROMPT, OPTIONS)
    tree = TokenTree.of([model.cache.encode(o) for o in OPTIONS])
    before, known = model.cache.evaluated, 0
    for token in model.cache.encode(addition):
        known = tree.children[known].get(token, 0)
        if not known or not tree.children[known]:
            break
        before -= 1
    model.score(PROMPT + addition, OPTIONS)
    assert model.cache.evaluated - before == len(model.cache.encode(addition)) + len(tree.inner())


@pytest.mark.parametrize("possible", [0.3, 0.03])
@pytest.mark.parametrize("seed", range(4))
def test_a_search_finds_the_best_products_and_reads_less(model, seed, possible):
    rng = np.random.default_rng(seed)
    options = [option_text(s) for s in load_world("kitchen").options][:: int(rng.integers(1, 4))]
    weights = rng.random(len(options)) * (rng.random(len(options)) < possible)
    prompt = PROMPT
    for _ in range(3):
        before = model.cache.evaluated
        found = model.scorer.best(prompt, options, weights, 5)
        assert model.cache.evaluated - before < len(TokenTree.of([model.cache.encode(o) for o in options]).tokens)
        naive = model.scorer.score_naively(prompt, options)
        np.testing.assert_allclose(found.log_p[found.exact], naive[found.exact], rtol=0, atol=1e-3)
        assert (naive <= found.log_p + 1e-3).all()
        products = np.exp(naive) * weights
        best = [i for i in np.argsort(-products)[:5] if products[i] > 0]
        assert found.exact[best].all() and found.exact[np.argmax(naive)]
        prompt += options[best[0]] + "Robot:"


def test_a_search_in_which_nothing_is_possible_still_says_what_is_most_probable(model):
    found = model.scorer.best(PROMPT, OPTIONS, np.zeros(len(OPTIONS)), 3)
    assert found.exact[np.argmax(model.scorer.score_naively(PROMPT, OPTIONS))]


def test_score_is_a_sum_of_log_probabilities_and_so_shrinks_with_every_token(model):
    scores = model.score(PROMPT, NESTED[:4])
    assert np.all(scores <= 0)
    assert np.all(np.diff(scores) < 0)


def test_a_model_with_a_sliding_window_is_scored_naively(model):
    model.cache.branching = False
    np.testing.assert_allclose(model.score(PROMPT, NESTED), model.scorer.score_naively(PROMPT, NESTED), atol=1e-5)


def test_too_long_and_empty_prompts_are_refused(model):
    with pytest.raises(LanguageModelError, match="2402 tokens, the language model takes 2026; name fewer things"):
        model.score("red " * 2400, OPTIONS)
    with pytest.raises(ValueError, match="empty"):
        model.score("", OPTIONS)
    assert model.score(PROMPT, []).shape == (0,)


def test_an_interrupted_forward_pass_leaves_the_next_score_right(model):
    expected = model.score(PROMPT, OPTIONS)
    forward = model.model.forward

    def fail(*args, **kwargs):
        forward(*args, **kwargs)
        raise KeyboardInterrupt

    model.model.forward = fail
    with pytest.raises(KeyboardInterrupt):
        model.score(PROMPT + " done\nRobot:", OPTIONS)
    model.model.forward = forward
    np.testing.assert_allclose(model.score(PROMPT, OPTIONS), expected, atol=1e-4)


def test_a_forward_pass_that_fails_in_a_layer_leaves_the_next_score_right(model):
    expected = model.score(PROMPT, OPTIONS)
    layer = model.model.model.layers[-1]
    forward = layer.forward

    def fail(*args, **kwargs):
        raise MemoryError

    layer.forward = fail
    with pytest.raises(MemoryError):
        model.score(PROMPT + " done\nRobot:", OPTIONS)
    layer.forward = forward
    np.testing.assert_allclose(model.score(PROMPT, OPTIONS), expected, atol=1e-4)


def test_scores_that_are_no_numbers_are_an_error(model):
    model.model.lm_head.weight.data[7] = float("nan")
    with pytest.raises(LanguageModelError, match="no numbers"):
        model.score(PROMPT, OPTIONS)


def test_what_looks_like_a_control_token_is_text(model):
    control = model.scorer.cache.tokenizer.all_special_tokens[0]
    tokens = model.scorer.cache.encode(f"bring me the {control}")
    assert not {*tokens} & {*model.scorer.cache.tokenizer.all_special_ids}


def test_no_gradients_are_kept(model):
    model.score(PROMPT, OPTIONS)
    assert not any(p.requires_grad for p in model.model.parameters())
