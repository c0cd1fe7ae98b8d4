from itertools import pairwise

import numpy as np
import pytest
import torch
from block_options import NESTED, OPTIONS, PROMPT

from fmrl_ros.language import writing
from fmrl_ros.language.prompt_cache import common_prefix
from fmrl_ros.language.token_tree import TokenTree


def test_text_is_greedy_ends_before_a_stop_string_and_stays_in_a_grammar(model):
    whole = model.generate(PROMPT, stop=(), max_tokens=12)
    assert model.generate(PROMPT, stop=(), max_tokens=12) == whole
    stop = whole[4:6]
    assert model.generate(PROMPT, stop=(stop,), max_tokens=12) == whole[: whole.index(stop)]
    best = NESTED[int(np.argmax(model.score(PROMPT, NESTED)))]
    assert model.generate(PROMPT, grammar=NESTED) == best


def test_text_that_is_written_reads_the_prompt_once_and_leaves_scores_right(model):
    scorer, writer, cache = model.scorer, model.writer, model.cache
    model.score(PROMPT, OPTIONS)
    before = cache.evaluated
    text = writer.write(PROMPT, (), 12)
    assert cache.evaluated - before <= 13
    ids = torch.tensor([cache.encode(PROMPT)])
    mask = torch.ones_like(ids)
    known = model.model.generate(ids, attention_mask=mask, max_new_tokens=12, do_sample=False, pad_token_id=0)
    assert text == model.tokenizer.decode(known[0, ids.shape[1] :], skip_special_tokens=True)
    np.testing.assert_allclose(model.score(PROMPT, OPTIONS), scorer.score_naively(PROMPT, OPTIONS), atol=1e-3)
    with pytest.raises(ValueError, match="empty"):
        writer.write("", (), 12)


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
    greedy = model.writer.write(PROMPT, ("\n",), 40, OneOf(lines))
    found = [model.writer.likeliest(PROMPT, ("\n",), 40, OneOf(lines), beams) for beams in (1, 2, 8, 200)]
    assert found[0] == greedy
    assert worth[found[-1]] == max(worth.values()) > worth[greedy]
    assert model.generate(PROMPT, ("\n",), 40, OneOf(lines)) == model.writer.likeliest(
        PROMPT, ("\n",), 40, OneOf(lines)
    )


@pytest.mark.parametrize("name", ["茶碗", "ły", "a 😀", "ق"])
def test_letters_of_several_tokens_are_written(model, monkeypatch, name):
    cache, writer, grammar = model.cache, model.writer, OneOf([name, "tea"])
    prompt = f"Task: bring the {name}\nRobot:"
    after = dict(pairwise([cache.encode(prompt)[-1], *cache.encode(f"{name}\n")]))
    forward = cache._forward

    def copying(ids, *others):
        logits = forward(ids, *others)
        for row, token in zip(logits, list(ids)[-len(logits) :], strict=True):
            if token in after:
                row[after[token]] += 50.0
        return logits

    monkeypatch.setattr(cache, "_forward", copying)
    assert writer.write(prompt, ("\n",), 20, grammar) == name
    assert writer.likeliest(prompt, ("\n",), 20, grammar) == name
    (found,) = writer.candidates("Task:", [prompt.removeprefix("Task:")], ("\n",), 20, [grammar], 4, 9.0)
    assert next(iter(found)) == name
    cut = writer.likeliest(prompt, ("\n",), 2, grammar)
    assert name.startswith(cut)


def test_half_a_letter_is_no_end_and_must_be_of_a_letter_that_can_follow():
    grammar = writing._TokenGrammar(OneOf(["cup", "茶"]), "bring the 茶")
    assert grammar.viable("\ufffd", False) and grammar.viable("\ufffd" * 3, False) and grammar.viable("茶", True)
    assert not any(grammar.viable(*way) for way in (("\ufffd", True), ("\ufffd" * 4, False), ("cup\ufffd", False)))
    assert not writing._TokenGrammar(OneOf(["cup", "茶"]), "bring the cup").viable("\ufffd", False)


def test_after_a_search_the_text_found_is_in_the_cache_and_scores_stay_right(model):
    scorer, cache = model.scorer, model.cache
    lines = [o.removesuffix("\n") for o in OPTIONS]
    found = model.writer.likeliest(PROMPT, ("\n",), 40, OneOf(lines))
    cached = cache.prefix
    assert (PROMPT + found).startswith(cache.tokenizer.decode(cached)) and len(cached) > len(cache.encode(PROMPT))
    before = cache.evaluated
    longer = PROMPT + found + "\nRobot:"
    known = common_prefix(cached, cache.encode(longer))  # a text can be found in other tokens
    model.score(longer, NESTED)
    inner = len(TokenTree.of([cache.encode(o) for o in NESTED]).inner())
    assert cache.evaluated - before <= len(cache.encode(longer)) - known + inner
    for prompt in (longer, PROMPT):
        np.testing.assert_allclose(model.score(prompt, OPTIONS), scorer.score_naively(prompt, OPTIONS), atol=1e-3)


def test_candidates_of_several_prompts_are_those_that_a_search_after_each_finds(model):
    lines = [o.removesuffix("\n") for o in OPTIONS]
    grammars = [OneOf(lines), OneOf(lines[:5]), OneOf(lines[:1])]
    rests = [" put the red block in the blue bowl\nRobot:", " clear the table\nRobot:", " pick\nRobot:"]
    found = model.writer.candidates("Task:", rests, ("\n",), 40, grammars, 6, 50.0)
    for rest, grammar, texts in zip(rests, grammars, found, strict=True):
        assert next(iter(texts)) == model.writer.likeliest("Task:" + rest, ("\n",), 40, grammar, 6)
        assert list(texts.values()) == sorted(texts.values(), reverse=True) and set(texts) <= set(grammar.lines)
    assert len(found[2]) == 1
    np.testing.assert_allclose(model.score(PROMPT, OPTIONS), model.scorer.score_naively(PROMPT, OPTIONS), atol=1e-3)


def test_a_prompt_of_candidates_is_not_empty(model):
    with pytest.raises(ValueError, match="empty"):
        model.writer.candidates("Task:", [" go", ""], ("\n",), 4, [OneOf(["go"])] * 2, 2, 4.0)


def test_candidates_far_behind_the_likeliest_are_left_out(model):
    lines = [o.removesuffix("\n") for o in OPTIONS]
    (many,) = model.writer.candidates("Task:", [" go\nRobot:"], ("\n",), 40, [OneOf(lines)], 12, 50.0)
    (few,) = model.writer.candidates("Task:", [" go\nRobot:"], ("\n",), 40, [OneOf(lines)], 12, 4.0)
    assert 0 < len(few) < len(many) and min(few.values()) >= max(few.values()) - 4.0


def test_a_search_that_may_not_go_on_returns_the_likeliest_beginning(model):
    lines = [o.removesuffix("\n") for o in OPTIONS]
    cut = model.writer.likeliest(PROMPT, ("\n",), 3, OneOf(lines))
    assert cut and any(line.startswith(cut) for line in lines)
    with pytest.raises(ValueError, match="empty"):
        model.writer.likeliest("", (), 12, OneOf(lines))


def test_a_search_goes_on_where_every_way_is_unlikely(model, monkeypatch):
    lines = [o.removesuffix("\n") for o in OPTIONS]
    monkeypatch.setattr(writing, "MAX_TOKEN_COST", 0.0)
    assert model.writer.likeliest(PROMPT, ("\n",), 40, OneOf(lines)) == model.writer.write(
        PROMPT, ("\n",), 40, OneOf(lines)
    )
