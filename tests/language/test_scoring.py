import numpy as np
import pytest
import tiny_model
import torch

from fmrl_ros.language import scoring
from fmrl_ros.language.local import LocalLanguageModel
from fmrl_ros.language.scoring import TokenTree
from fmrl_ros.planning.prompt import REFUSE, option_text
from fmrl_ros.worlds.world import load_world

PROMPT = "Task: put the red block in the blue bowl\nRobot:"
OPTIONS = [option_text(s) for s in (*load_world("tabletop").options, REFUSE)]
NESTED = [" pick", " pick up", " pick up the red block", " pick up the red block\n", " done", " done\n"]


@pytest.fixture
def model() -> LocalLanguageModel:
    return LocalLanguageModel(tiny_model.folder(), dtype="float32")


def test_tree_shares_beginnings_and_knows_where_each_option_ends():
    tree = TokenTree.of([[5, 6, 7], [5, 6], [5, 8], [9]])
    assert tree.tokens == [-1, 5, 6, 7, 8, 9]
    assert tree.parents == [-1, 0, 1, 2, 1, 0]
    assert tree.ends == [3, 2, 4, 5]
    assert tree.inner() == [1, 2]


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
    model.scorer.chunk = 7
    np.testing.assert_allclose(
        model.score(PROMPT, OPTIONS), model.scorer.score_naively(PROMPT, OPTIONS), rtol=0, atol=1e-3
    )


@pytest.mark.parametrize("addition", [" pick up the red block\nRobot:", " no such thing\nRobot:"])
def test_a_longer_prompt_costs_only_what_was_not_read_of_it_and_the_tree(model, addition):
    model.score(PROMPT, OPTIONS)
    tree = TokenTree.of([model.scorer.encode(o) for o in OPTIONS])
    before, known = model.scorer.evaluated, 0
    for token in model.scorer.encode(addition):
        known = tree.children[known].get(token, 0)
        if not known or not tree.children[known]:
            break
        before -= 1
    model.score(PROMPT + addition, OPTIONS)
    assert model.scorer.evaluated - before == len(model.scorer.encode(addition)) + len(tree.inner())


@pytest.mark.parametrize("possible", [0.3, 0.03])  # searched, and read in one pass
@pytest.mark.parametrize("seed", range(4))
def test_a_search_finds_the_best_products_and_reads_less(model, seed, possible):
    rng = np.random.default_rng(seed)
    options = [option_text(s) for s in load_world("kitchen").options][:: int(rng.integers(1, 4))]
    weights = rng.random(len(options)) * (rng.random(len(options)) < possible)
    prompt = PROMPT
    for _ in range(3):
        before = model.scorer.evaluated
        found = model.scorer.best(prompt, options, weights, 5)
        assert model.scorer.evaluated - before < len(TokenTree.of([model.scorer.encode(o) for o in options]).tokens)
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
    model.scorer.tree = False
    np.testing.assert_allclose(model.score(PROMPT, NESTED), model.scorer.score_naively(PROMPT, NESTED), atol=1e-5)


def test_too_long_and_empty_prompts_are_refused(model):
    with pytest.raises(ValueError, match="valid: 1 to"):
        model.score("red " * 2400, OPTIONS)
    with pytest.raises(ValueError, match="0 tokens"):
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


def test_text_is_greedy_ends_before_a_stop_string_and_stays_in_a_grammar(model):
    whole = model.generate(PROMPT, stop=(), max_tokens=12)
    assert model.generate(PROMPT, stop=(), max_tokens=12) == whole
    stop = whole[4:6]
    assert model.generate(PROMPT, stop=(stop,), max_tokens=12) == whole[: whole.index(stop)]
    best = NESTED[int(np.argmax(model.score(PROMPT, NESTED)))]
    assert model.generate(PROMPT, grammar=NESTED) == best


def test_text_that_is_written_reads_the_prompt_once_and_leaves_scores_right(model):
    scorer = model.scorer
    model.score(PROMPT, OPTIONS)
    before = scorer.evaluated
    text = scorer.write(PROMPT, (), 12)
    assert scorer.evaluated - before <= 13
    ids = torch.tensor([scorer.encode(PROMPT)])
    mask = torch.ones_like(ids)
    known = model.model.generate(ids, attention_mask=mask, max_new_tokens=12, do_sample=False, pad_token_id=0)
    assert text == model.tokenizer.decode(known[0, ids.shape[1] :], skip_special_tokens=True)
    np.testing.assert_allclose(model.score(PROMPT, OPTIONS), scorer.score_naively(PROMPT, OPTIONS), atol=1e-3)
    drawn = {scorer.write(PROMPT, (), 12, None, 2.0, np.random.default_rng(seed)) for seed in range(4)}
    assert len(drawn) == 4
    with pytest.raises(ValueError, match="0 tokens"):
        scorer.write("", (), 12)


def test_text_stays_in_a_grammar(model):
    class Letters:
        def viable(self, text, ended):
            return text.replace(" ", "").isalpha() and text.islower()

    class Nothing:
        def viable(self, text, ended):
            return False

    free = model.generate(PROMPT, (), 8)
    assert not Letters().viable(free, False) and Letters().viable(model.generate(PROMPT, (), 8, Letters()), False)
    assert model.generate(PROMPT, (), 8, Nothing()) == free


class OneOf:
    """A grammar of a few lines."""

    def __init__(self, lines):
        self.lines = lines

    def viable(self, text, ended):
        return text in self.lines if ended else any(line.startswith(text) for line in self.lines)


def test_the_likeliest_text_of_a_grammar_is_found_where_one_token_after_the_other_leads_astray(model):
    lines = [o.removesuffix("\n") for o in OPTIONS]
    worth = dict(zip(lines, model.score(PROMPT, OPTIONS), strict=True))
    greedy = model.scorer.write(PROMPT, ("\n",), 40, OneOf(lines))
    found = [model.scorer.likeliest(PROMPT, ("\n",), 40, OneOf(lines), beams) for beams in (1, 2, 8, 200)]
    assert found[0] == greedy
    assert worth[found[-1]] == max(worth.values()) > worth[greedy]
    assert model.generate(PROMPT, ("\n",), 40, OneOf(lines)) == model.scorer.likeliest(
        PROMPT, ("\n",), 40, OneOf(lines)
    )


def test_after_a_search_the_text_found_is_in_the_cache_and_scores_stay_right(model):
    scorer = model.scorer
    lines = [o.removesuffix("\n") for o in OPTIONS]
    found = scorer.likeliest(PROMPT, ("\n",), 40, OneOf(lines))
    cached = scorer._prefix
    assert (PROMPT + found).startswith(scorer.tokenizer.decode(cached)) and len(cached) > len(scorer.encode(PROMPT))
    before = scorer.evaluated
    longer = PROMPT + found + "\nRobot:"
    known = scoring._common_prefix(cached, scorer.encode(longer))  # a text can be found in other tokens
    model.score(longer, NESTED)
    inner = len(TokenTree.of([scorer.encode(o) for o in NESTED]).inner())
    assert scorer.evaluated - before <= len(scorer.encode(longer)) - known + inner
    for prompt in (longer, PROMPT):
        np.testing.assert_allclose(model.score(prompt, OPTIONS), scorer.score_naively(prompt, OPTIONS), atol=1e-3)


def test_candidates_of_several_prompts_are_those_that_a_search_after_each_finds(model):
    lines = [o.removesuffix("\n") for o in OPTIONS]
    grammars = [OneOf(lines), OneOf(lines[:5]), OneOf(lines[:1])]
    rests = [" put the red block in the blue bowl\nRobot:", " clear the table\nRobot:", " pick\nRobot:"]
    found = model.scorer.candidates("Task:", rests, ("\n",), 40, grammars, 6, 50.0)
    for rest, grammar, texts in zip(rests, grammars, found, strict=True):
        assert next(iter(texts)) == model.scorer.likeliest("Task:" + rest, ("\n",), 40, grammar, 6)
        assert list(texts.values()) == sorted(texts.values(), reverse=True) and set(texts) <= set(grammar.lines)
    assert len(found[2]) == 1
    np.testing.assert_allclose(model.score(PROMPT, OPTIONS), model.scorer.score_naively(PROMPT, OPTIONS), atol=1e-3)


def test_candidates_far_behind_the_likeliest_are_left_out(model):
    lines = [o.removesuffix("\n") for o in OPTIONS]
    (many,) = model.scorer.candidates("Task:", [" go\nRobot:"], ("\n",), 40, [OneOf(lines)], 12, 50.0)
    (few,) = model.scorer.candidates("Task:", [" go\nRobot:"], ("\n",), 40, [OneOf(lines)], 12, 4.0)
    assert 0 < len(few) < len(many) and min(few.values()) >= max(few.values()) - 4.0


def test_a_search_that_may_not_go_on_returns_the_likeliest_beginning(model):
    lines = [o.removesuffix("\n") for o in OPTIONS]
    cut = model.scorer.likeliest(PROMPT, ("\n",), 3, OneOf(lines))
    assert cut and any(line.startswith(cut) for line in lines)
    with pytest.raises(ValueError, match="0 tokens"):
        model.scorer.likeliest("", (), 12, OneOf(lines))


def test_a_search_goes_on_where_every_way_is_unlikely(model, monkeypatch):
    lines = [o.removesuffix("\n") for o in OPTIONS]
    monkeypatch.setattr(scoring, "HOPELESS", 0.0)
    assert model.scorer.likeliest(PROMPT, ("\n",), 40, OneOf(lines)) == model.scorer.write(
        PROMPT, ("\n",), 40, OneOf(lines)
    )


def test_no_gradients_are_kept(model):
    model.score(PROMPT, OPTIONS)
    assert not any(p.requires_grad for p in model.model.parameters())
