import math

import numpy as np
import pytest

from fmrl_ros.language.answer_matching import CHOSEN, NAMED, match_scores, named_option

PHRASES = ["pick up the red block", "place it in the blue bowl", "done"]


def test_an_answer_is_matched_to_the_longest_option_in_it_or_else_to_the_most_similar():
    assert int(np.argmax(match_scores('- "Pick up the red block."', PHRASES))) == 0
    assert int(np.argmax(match_scores("put it into the blue bowl", PHRASES))) == 1
    assert match_scores("anything", ["done"]).tolist() == [0.0]
    assert int(np.argmax(match_scores("I have abandoned the red block, pick it up", PHRASES))) == 0


@pytest.mark.parametrize(("answer", "share"), [("Done.", NAMED), ("put it into the blue bowl", CHOSEN)])
def test_an_option_that_is_named_gets_nearly_all_of_the_mass(answer, share):
    p = np.exp(match_scores(answer, PHRASES))
    assert p.max() == pytest.approx(share) and p.sum() == pytest.approx(1.0)


def test_an_option_is_named_by_whole_words_alone():
    assert named_option("I am done", PHRASES) == 2
    assert named_option("abandoned", PHRASES) is None


def test_one_option_is_certain():
    assert math.exp(match_scores("anything", ["done"])[0]) == 1.0
