import contextlib
import logging
import math
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fmrl_ros.language.answer_matching import NAMED, match_scores
from fmrl_ros.language.language_model import LanguageModelError, RequestRefusedError
from fmrl_ros.language.openai_server import OpenAILanguageModel

PEER = Path(__file__).parent / "openai_peer.py"
OPTIONS = [" pick up the red block\n", " pick up the green block\n", " done\n"]


@contextlib.contextmanager
def server(mode: str) -> Iterator[str]:
    """A server process on a free port; yields its URL."""
    process = subprocess.Popen([sys.executable, str(PEER), "0", mode], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def chooses_green(model: OpenAILanguageModel, prompt: str = "Robot:") -> bool:
    return int(np.argmax(model.score(prompt, OPTIONS))) == 1


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


@pytest.mark.parametrize("mode", ["page", "nothing", "error"])
def test_what_is_no_answer_is_an_error_that_a_fallback_understands(mode):
    with server(mode) as url:
        model = OpenAILanguageModel("peer", url, retries=0)
        for ask in (lambda: model.score("Robot:", OPTIONS), lambda: model.generate("Robot:")):
            with pytest.raises(LanguageModelError, match="no answer; does the URL end in /v1"):
                ask()


@pytest.mark.parametrize(("mode", "said"), [("half", "Expecting value"), ("nan", "no number")])
def test_a_broken_answer_is_one_too(mode, said):
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


def test_a_model_that_the_server_has_not_is_named_with_what_it_says():
    with server("unknown") as url:
        model = OpenAILanguageModel("peer", url)
        with pytest.raises(LanguageModelError, match=r"`peer` does not exist.*the model's name"):
            model.score("Robot:", OPTIONS)
    assert model.scores_exactly is None, "it may be there later"


def test_a_password_in_the_url_is_not_in_the_name():
    model = OpenAILanguageModel("peer", "http://alice:s3cret@localhost:9/v1?api-key=s3cret", retries=0)
    assert model.name == "peer at http://localhost:9/v1"


@pytest.mark.parametrize("mode", ["chat", "plain", "silent", "llama"])
def test_without_log_probabilities_the_answer_is_matched_to_an_option(mode):
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


def test_an_answer_in_parts_is_their_text_and_one_that_is_no_text_an_error():
    with server("parts") as url:
        model = OpenAILanguageModel("peer", url)
        assert chooses_green(model)
        assert model.generate("Robot:") == "I would say: Pick up the green block."
    with server("number") as url, pytest.raises(LanguageModelError, match=r"no answer .*int"):
        OpenAILanguageModel("peer", url).score("Robot:", OPTIONS)


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


def test_parameters_that_a_server_refuses_are_sent_otherwise_from_then_on(caplog):
    caplog.set_level(logging.INFO)
    with server("new") as url:
        model = OpenAILanguageModel("peer", url)
        assert all(chooses_green(model) for _ in range(2))
    assert caplog.text.count("/v1/chat/completions") == 4


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_request_that_is_refused_says_nothing_of_the_next(status):
    with server(str(status)) as url, pytest.raises(RequestRefusedError, match=rf"{status} \(too long\)$"):
        OpenAILanguageModel("peer", url).score("Robot:", OPTIONS)


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_request_that_the_server_does_not_know_is_no_such(status):
    with server(str(status)) as url, pytest.raises(LanguageModelError, match=f"status {status}") as error:
        OpenAILanguageModel("peer", url, retries=0).score("Robot:", OPTIONS)
    assert not isinstance(error.value, RequestRefusedError)
    assert ("the URL ends in /v1" in str(error.value)) == (status != 501)


def test_generate_stays_in_its_grammar():
    with server("echo") as url:
        assert OpenAILanguageModel("peer", url).generate("Robot:", grammar=OPTIONS) in OPTIONS
    with server("chat") as url:
        assert "green" in OpenAILanguageModel("peer", url).generate("Robot:", stop=("\n",), max_tokens=9)


def test_server_errors_are_retried_a_bounded_number_of_times():
    with server("flaky") as url:
        assert OpenAILanguageModel("peer", url, retries=2).score("Robot:", OPTIONS).shape == (3,)
    with server("broken") as url, pytest.raises(LanguageModelError, match="status 503"):
        OpenAILanguageModel("peer", url, retries=1).score("Robot:", OPTIONS)


def test_a_silent_server_ends_in_an_error_within_the_timeout():
    started = time.monotonic()
    with server("slow") as url, pytest.raises(LanguageModelError, match="did not answer in time"):
        OpenAILanguageModel("peer", url, timeout=0.5, retries=0).score("Robot:", OPTIONS)
    assert time.monotonic() - started < 10


def test_a_server_that_only_sends_blanks_is_waited_for_no_longer():
    started = time.monotonic()
    with server("drips") as url, pytest.raises(LanguageModelError, match="did not answer in time"):
        OpenAILanguageModel("peer", url, timeout=0.3).score("Robot:", OPTIONS)
    assert 4 * 0.3 < time.monotonic() - started < 8


def test_a_dying_and_an_absent_server_are_named():
    with server("dies") as url:
        with pytest.raises(LanguageModelError, match=f"peer at {url} cannot be reached"):
            OpenAILanguageModel("peer", url, retries=1).score("Robot:", OPTIONS)
        with pytest.raises(LanguageModelError, match="is the server running there"):
            OpenAILanguageModel("peer", url, retries=0).generate("Robot:")


def test_key_comes_from_the_environment_and_is_never_shown(monkeypatch, caplog):
    caplog.set_level(logging.WARNING)
    with server("locked") as url:
        monkeypatch.setenv("OPENAI_API_KEY", "secret")
        assert OpenAILanguageModel("peer", url).score("Robot:", OPTIONS).shape == (3,)
        monkeypatch.setenv("OPENAI_API_KEY", "my-wrong-key")
        with pytest.raises(LanguageModelError, match="refuses the key; set OPENAI_API_KEY") as error:
            OpenAILanguageModel("peer", url).score("Robot:", OPTIONS)
    with server("talks") as url, pytest.raises(LanguageModelError, match=r"Bearer \*\*\*") as told:
        OpenAILanguageModel("peer", url).score("Robot:", OPTIONS)
    assert "my-wrong-key" not in str(error.value) + str(told.value) + caplog.text


def test_a_password_and_a_query_in_the_url_are_sent_but_not_logged(caplog):
    caplog.set_level(logging.INFO)
    with server("basic") as url:
        model = OpenAILanguageModel("peer", url.replace("//", "//alice:s3%20cret@") + "?api-key=K3Y")
        assert model.score("Robot:", OPTIONS).shape == (3,)
    assert f"POST {url}/completions" in caplog.text
    assert not any(secret in caplog.text for secret in ("alice", "s3", "K3Y"))


@pytest.mark.parametrize(("weights", "chosen"), [([0.9, 0.0, 1.0], 0), ([0.0, 0.0, 1.0], None)])
def test_an_option_that_is_ruled_out_gives_way_to_one_that_the_server_names_and_to_none_that_is_spelt_alike(
    weights, chosen
):
    with server("stubborn") as url:
        found = OpenAILanguageModel("peer", url).best("Robot:", OPTIONS, np.array(weights), 1)
    p = np.exp(found.log_p)
    assert int(np.argmax(p)) == 1
    assert [i for i in (0, 2) if p[i] > 1e-3] == ([] if chosen is None else [chosen])


def test_an_answer_is_matched_by_the_longest_option_in_it_or_else_the_likest():
    phrases = ["pick up the red block", "place it in the blue bowl", "done"]
    assert int(np.argmax(match_scores('- "Pick up the red block."', phrases))) == 0
    assert int(np.argmax(match_scores("put it into the blue bowl", phrases))) == 1
    assert match_scores("anything", ["done"]).tolist() == [0.0]
    assert int(np.argmax(match_scores("I have abandoned the red block, pick it up", phrases))) == 0
