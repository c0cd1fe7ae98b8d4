import numpy as np
import pytest

from fmrl_ros.language.answer_matching import NAMED, scores_of, stated_option

PHRASES = [" pick up the red block\n", " place it in the blue bowl\n", " done\n"]


@pytest.mark.parametrize(
    "answer",
    [
        "pick up the red block",
        '- "Pick up the red block."',
        "**Pick up the red block**",
        "1. pick up the red block",
        '{"action": "pick up the red block"}',
        "I would say: pick up the red block.",
        "Should I place it in the blue bowl? Nothing is held. So I pick something up.\n\nPick up the red block.",
        "Pick up the red block.\n\nIt is the nearest one.",
    ],
)
def test_an_option_is_stated_by_a_sentence_or_a_line_that_is_nothing_else(answer):
    assert stated_option(answer, PHRASES) == 0


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I need more information.",
        "Hello! How can I help you?",
        "pick up the purple block",
        "put it into the blue bowl",
        "I must not pick up the red block",
        "pick up the red block?",
        "Nothing more can be done.",
        "I have abandoned the red block, pick it up",
        "I could pick up the red block, or place it in the blue bowl",
        "Pick up the red block. Or rather place it in the blue bowl, as it is held",
    ],
)
def test_what_mentions_an_option_or_is_spelt_like_one_states_none(answer):
    assert stated_option(answer, PHRASES) is None
    assert stated_option(answer, PHRASES[:1]) is None or answer.startswith("Pick up the red block. Or")


@pytest.mark.parametrize("answer", ["- pick up the red block\n- done", "Robot: pick up the red block\nRobot: done"])
def test_a_list_of_options_states_none(answer):
    assert stated_option(answer, PHRASES) is None


def test_of_options_that_are_written_alike_the_first_is_stated():
    assert stated_option("Done.", ["done", " done\n"]) == 0


def test_the_option_that_is_stated_gets_nearly_all_of_the_mass():
    p = np.exp(scores_of(1, 3))
    assert p[1] == pytest.approx(NAMED) and p.sum() == pytest.approx(1.0)
    assert np.exp(scores_of(0, 1)).tolist() == [1.0]
