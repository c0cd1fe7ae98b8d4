from types import SimpleNamespace

import pytest

from fmrl_ros.language.echoed_scores import option_scores
from fmrl_ros.language.offers import UnsupportedError


def echo(tokens, log_p, index: int = 0) -> SimpleNamespace:
    return SimpleNamespace(index=index, logprobs=SimpleNamespace(tokens=tokens, token_logprobs=log_p))


def answer(*choices) -> SimpleNamespace:
    return SimpleNamespace(choices=list(choices))


def test_a_score_is_the_sum_over_the_tokens_of_the_option():
    echoed = answer(echo(["Ro", "bot:", " do", "ne", "\n", "more"], [None, -1.0, -0.5, -0.25, -0.125, -9.0]))
    assert option_scores(echoed, "Robot:", [" done\n"]) == [-0.875]


def test_a_token_across_the_end_of_the_prompt_belongs_to_the_option():
    assert option_scores(answer(echo(["Robot", ": do", "ne"], [None, -0.5, -0.25])), "Robot:", [" done"]) == [-0.75]


def test_a_token_that_the_server_puts_first_shifts_nothing():
    echoed = answer(echo(["<s>", "Robot:", " done"], [None, -1.0, -0.5]))
    assert option_scores(echoed, "Robot:", [" done"]) == [-0.5]


def test_choices_are_taken_in_the_order_of_their_index():
    second, first = echo(["R", " b"], [None, -2.0], index=1), echo(["R", " a"], [None, -1.0], index=0)
    assert option_scores(answer(second, first), "R", [" a", " b"]) == [-1.0, -2.0]


@pytest.mark.parametrize(
    ("tokens", "log_p", "always"),
    [
        (None, None, True),  # no log-probabilities at all
        (["x"], [-1.0], True),  # the prompt is not echoed
        (["Rob\ufffd\ufffd", " done"], [None, -1.0], False),  # the tokens do not spell it
        (["Robot:", " done"], [None, None], True),
    ],
)
def test_a_server_that_does_not_echo_scores_is_unsupported(tokens, log_p, always):
    with pytest.raises(UnsupportedError) as error:
        option_scores(answer(echo(tokens, log_p)), "Robot:", [" done"])
    assert error.value.always == always


def test_a_score_that_is_no_number_is_an_error():
    with pytest.raises(ValueError, match="no number"):
        option_scores(answer(echo(["R", " a"], [None, float("nan")])), "R", [" a"])
