import logging
import math

import numpy as np
import pytest
from peer_process import OPTIONS, chooses_green, server

from fmrl_ros.language.answer_matching import NAMED
from fmrl_ros.language.language_model import LanguageModelError, RequestRefusedError
from fmrl_ros.language.openai_server import OpenAILanguageModel
from fmrl_ros.planning.by_name import PlannerModel, make_planner
from fmrl_ros.planning.symbolic_embodiment import SymbolicEmbodiment
from fmrl_ros.refusal import MOST_LETTERS
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.world import load_world

STATUSES = (400, 404, 500, 200)
"""Of a server that lacks something; 200 has an error inside."""


def test_scores_are_sums_over_the_options_tokens_alone():
    with server("echo") as url:
        model = OpenAILanguageModel("peer", url, batch=2)
        scores = model.score("Robot:", OPTIONS)
    near_red = 5  # characters whose neighbourhood holds "red"
    assert scores[1] == pytest.approx(-0.1 * len(OPTIONS[1]))
    assert scores[0] > scores[1] and scores[0] < -0.01 * near_red
    assert scores[2] == pytest.approx(-0.1 * len(OPTIONS[2]))
    assert model.scores_exactly is True


def test_a_token_that_the_server_puts_before_the_prompt_shifts_nothing():
    with server("bos") as url:
        shifted = OpenAILanguageModel("peer", url).score("Robot:", OPTIONS)
    with server("echo") as url:
        np.testing.assert_allclose(shifted, OpenAILanguageModel("peer", url).score("Robot:", OPTIONS))


@pytest.mark.parametrize(("mode", "said"), [("half", "Expecting value"), ("nan", "no number")])
def test_a_broken_answer_is_an_error(mode, said):
    with server(mode) as url, pytest.raises(LanguageModelError, match=f"no answer .*{said}"):
        OpenAILanguageModel("peer", url, retries=0).score("Robot:", OPTIONS)


def test_an_empty_choice_is_no_choice():
    with server("mute") as url, pytest.raises(LanguageModelError, match="chose nothing"):
        OpenAILanguageModel("peer", url).score("Robot:", OPTIONS)


def test_letters_that_are_several_tokens_are_not_scored_and_do_not_end_exact_scoring():
    with server("split") as url:
        model = OpenAILanguageModel("peer", url)
        assert math.exp(model.score("Task: a \u2615\nRobot:", OPTIONS).max()) == pytest.approx(NAMED)
        assert model.scores_exactly is None
        assert model.score("Robot:", OPTIONS)[2] == pytest.approx(-0.1 * len(OPTIONS[2]))
        assert model.scores_exactly is True


def test_an_empty_prompt_is_named():
    with pytest.raises(ValueError, match="prompt is empty"):
        OpenAILanguageModel("peer").score("", OPTIONS)


def test_a_request_that_is_too_long_does_not_end_exact_scoring():
    with server("short") as url:
        model = OpenAILanguageModel("peer", url)
        model.score("Robot:" * 20, OPTIONS)
        assert model.scores_exactly is None
        model.score("Robot:", OPTIONS[2:])
        assert model.scores_exactly is True


@pytest.mark.parametrize("mode", ["chat", "plain", "silent", "llama"])
def test_without_log_probabilities_the_option_is_taken_that_a_chat_answer_states(mode):
    with server(mode) as url:
        model = OpenAILanguageModel("peer", url)
        scores = model.score("Robot:", OPTIONS)
    assert int(np.argmax(scores)) == 1
    assert math.exp(scores[1]) == pytest.approx(NAMED)
    assert np.exp(scores).sum() == pytest.approx(1.0)
    assert model.scores_exactly is False


def test_a_server_that_takes_no_notice_of_echo_is_asked_for_it_once(caplog):
    caplog.set_level(logging.INFO)
    with server("deaf") as url:
        model = OpenAILanguageModel("peer", url)
        assert all(chooses_green(model, "Task: clear the table\nRobot:") for _ in range(3))
    assert model.scores_exactly is False and caplog.text.count("/v1/completions") == 1


@pytest.mark.parametrize("mode", ["thinks", "template", "hides"])
def test_thoughts_are_no_part_of_an_answer(mode):
    with server(mode) as url:
        model = OpenAILanguageModel("peer", url)
        assert chooses_green(model)
        assert model.generate("Robot:", (".",)).strip().startswith("I would say: Pick up the green block")
    with server(mode) as url:
        assert "green" in OpenAILanguageModel("peer", url).generate("Robot:", ("\n",))


def test_a_choice_that_is_cut_short_may_be_a_thought():
    with server("begins") as url:
        assert chooses_green(OpenAILanguageModel("peer", url))


def test_thoughts_without_end_are_no_answer():
    with server("ponders") as url, pytest.raises(LanguageModelError, match="still thinking after 1072 tokens"):
        OpenAILanguageModel("peer", url).score("Robot:", OPTIONS)


def test_generate_stays_in_its_grammar():
    with server("echo") as url:
        assert OpenAILanguageModel("peer", url).generate("Robot:", grammar=OPTIONS) in OPTIONS
    with server("chat") as url:
        assert "green" in OpenAILanguageModel("peer", url).generate("Robot:", stop=("\n",), max_tokens=9)


@pytest.mark.parametrize(("weights", "chosen"), [([0.9, 0.0, 1.0], 0), ([0.0, 0.0, 1.0], None)])
def test_an_option_that_is_ruled_out_gives_way_to_one_that_the_server_names_and_to_none_that_is_spelt_alike(
    weights, chosen
):
    with server("stubborn") as url:
        found = OpenAILanguageModel("peer", url).best("Robot:", OPTIONS, np.array(weights), 1)
    p = np.exp(found.log_p)
    assert int(np.argmax(p)) == 1
    assert [i for i in (0, 2) if p[i] > 1e-3] == ([] if chosen is None else [chosen])


@pytest.mark.parametrize("mode", ["channels", "marks", "prose"])
def test_an_option_that_is_named_in_thoughts_is_not_taken(mode):
    with server(mode) as url:
        assert int(np.argmax(OpenAILanguageModel("peer", url).score("Robot:", OPTIONS))) == 0


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("asks", "I need more information."),
        ("greets", "Hello! How can I help you?"),
        ("other", "pick up the purple block"),
        ("undecided", "Pick up the red block. Or pick up the green block."),
    ],
)
def test_an_answer_that_is_no_option_chooses_nothing_and_is_quoted(mode, said):
    with server(mode) as url, pytest.raises(RequestRefusedError) as error:
        OpenAILanguageModel("peer", url).score("Robot:", OPTIONS)
    assert f"it says: '{said}'" in str(error.value)


@pytest.mark.parametrize("planner", ["saycan", "inner_monologue"])
def test_a_monologue_ends_with_what_the_server_says_and_without_a_step(planner):
    state = start_state(load_world("kitchen"), {})
    with server("greets") as url:
        model = PlannerModel(OpenAILanguageModel("peer", url), "")
        run = make_planner(planner, model, state.world).run("bring me a water", SymbolicEmbodiment(state))
    assert not run.success and not run.steps
    assert any("Hello! How can I help you?" in line.text for line in run.monologue) and len(run.reason) <= MOST_LETTERS


def test_a_server_that_states_no_option_is_asked_once_more():
    with server("second") as url:
        assert chooses_green(OpenAILanguageModel("peer", url))


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("lacking", ["system", "logprobs", "echo", "completions"])
def test_a_server_is_asked_in_a_way_that_it_can_which_is_remembered(lacking, status, caplog):
    caplog.set_level(logging.INFO)
    with server(f"lacks-{lacking}-{status}") as url:
        model = OpenAILanguageModel("peer", url, retries=0)
        assert chooses_green(model)
        assert model.scores_exactly is False
        caplog.clear()
        assert chooses_green(model)
        assert caplog.text.count("HTTP Request") == 1
        assert "green" in model.generate("Robot:") or lacking in ("logprobs", "echo")
        caplog.clear()
        model.generate("Robot:")
        assert caplog.text.count("HTTP Request") == 1


def test_an_error_inside_an_answer_reaches_the_person():
    with server("error") as url, pytest.raises(LanguageModelError, match=r"peer at .* answers an error \(no\)"):
        OpenAILanguageModel("peer", url, retries=0).score("Robot:", OPTIONS)
