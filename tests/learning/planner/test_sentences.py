import numpy as np

from fmrl_ros.learning.planner.sentences import typo


def test_a_typo_changes_one_longer_word_by_one_slip():
    rng, sentence = np.random.default_rng(0), "put the yellow block in it"
    for _ in range(50):
        changed = [(a, b) for a, b in zip(sentence.split(), typo(sentence, rng).split(), strict=True) if a != b]
        assert len(changed) <= 1 and all(len(a) >= 5 and abs(len(a) - len(b)) <= 1 for a, b in changed)


def test_short_words_have_none():
    assert typo("put it in the box", np.random.default_rng(0)) == "put it in the box"
