import logging
import time
from types import SimpleNamespace

import pytest
from peer_process import OPTIONS, chooses_green, server

from fmrl_ros.language import openai_connection
from fmrl_ros.language.language_model import LanguageModelError, RequestRefusedError
from fmrl_ros.language.offers import UnsupportedError
from fmrl_ros.language.openai_connection import Server, chat_answer
from fmrl_ros.language.openai_server import OpenAILanguageModel


@pytest.mark.parametrize("mode", ["page", "nothing"])
def test_what_is_no_answer_is_an_error_that_a_fallback_understands(mode):
    with server(mode) as url:
        model = OpenAILanguageModel("peer", url, retries=0)
        for ask in (lambda: model.score("Robot:", OPTIONS), lambda: model.generate("Robot:")):
            with pytest.raises(LanguageModelError, match="no answer; does the URL end in /v1"):
                ask()


def test_a_model_that_the_server_does_not_have_is_named_with_the_servers_message():
    with server("unknown") as url:
        model = OpenAILanguageModel("peer", url)
        with pytest.raises(LanguageModelError, match=r"`peer` does not exist.*the model's name"):
            model.score("Robot:", OPTIONS)
    assert model.scores_exactly is None, "it may be there later"


def test_a_password_in_the_url_is_not_in_the_name():
    model = OpenAILanguageModel("peer", "http://alice:s3cret@localhost:9/v1?api-key=s3cret", retries=0)
    assert model.name == "peer at http://localhost:9/v1"


def test_an_answer_in_parts_is_their_text_and_one_that_is_no_text_an_error():
    with server("parts") as url:
        model = OpenAILanguageModel("peer", url)
        assert chooses_green(model)
        assert model.generate("Robot:") == "I would say: Pick up the green block."
    with server("number") as url, pytest.raises(LanguageModelError, match=r"no answer .*int"):
        OpenAILanguageModel("peer", url).score("Robot:", OPTIONS)


def test_a_parameter_that_a_server_refuses_is_renamed_or_left_out_from_then_on(caplog):
    caplog.set_level(logging.INFO)
    with server("new") as url:
        model = OpenAILanguageModel("peer", url)
        assert all(chooses_green(model) for _ in range(2))
    assert caplog.text.count("/v1/chat/completions") == 4
    assert "is not supported with this model.); it is asked without: max_tokens, temperature" in caplog.text


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_request_is_an_error_of_its_own(status):
    with server(str(status)) as url, pytest.raises(RequestRefusedError, match=rf"{status} \(too long\)$"):
        OpenAILanguageModel("peer", url).score("Robot:", OPTIONS)


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_request_that_the_server_does_not_know_is_no_refused_one(status):
    with server(str(status)) as url, pytest.raises(LanguageModelError, match=f"status {status}") as error:
        OpenAILanguageModel("peer", url, retries=0).score("Robot:", OPTIONS)
    assert not isinstance(error.value, RequestRefusedError)
    assert ("the URL ends in /v1" in str(error.value)) == (status != 501)


def test_server_errors_are_retried_a_bounded_number_of_times():
    with server("flaky") as url:
        assert OpenAILanguageModel("peer", url, retries=2).score("Robot:", OPTIONS).shape == (3,)
    with server("broken") as url, pytest.raises(LanguageModelError, match=r"status 503 \(overloaded\)"):
        OpenAILanguageModel("peer", url, retries=1).score("Robot:", OPTIONS)


def test_a_server_that_loads_its_model_is_waited_for_up_to_a_limit(monkeypatch, caplog):
    monkeypatch.setattr(openai_connection, "LOADING_PAUSE", 0.05)
    with server("loads") as url:
        assert chooses_green(OpenAILanguageModel("peer", url, retries=0))
    assert caplog.text.count("says 'Loading model'; waiting for at most 120 s") == 1
    with server("loading") as url, pytest.raises(LanguageModelError, match=r"status 503 \(Loading model\)"):
        OpenAILanguageModel("peer", url, retries=0, loading=0.2).score("Robot:", OPTIONS)


def test_a_silent_server_ends_in_an_error_within_the_timeout():
    started = time.monotonic()
    with server("slow") as url, pytest.raises(LanguageModelError, match="did not answer in time"):
        OpenAILanguageModel("peer", url, timeout=0.5, retries=0).score("Robot:", OPTIONS)
    assert time.monotonic() - started < 10


def test_an_answer_that_trickles_in_is_given_up():
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


def choice(content, finish_reason: str = "stop") -> SimpleNamespace:
    return SimpleNamespace(message=SimpleNamespace(content=content), finish_reason=finish_reason)


@pytest.mark.parametrize(
    "content, answer",
    [
        ("done", "done"),
        ("<think>the red one?</think>done", "done"),
        ("the red one?</think>done", "done"),
        ([{"type": "text", "text": "do"}, {"type": "image"}, {"type": "text", "text": "ne"}], "done"),
        (None, ""),
    ],
)
def test_a_chat_answer_is_its_text_without_thoughts(content, answer):
    assert chat_answer(choice(content)) == answer


def test_an_answer_that_is_cut_short_in_its_thoughts_is_none():
    assert chat_answer(choice("<think>the red one", "length")) is None
    assert chat_answer(choice("", "length")) is None
    assert chat_answer(choice("do", "length")) == "do"
    assert chat_answer(choice("do", "length"), whole=True) is None


def test_a_request_that_the_server_does_not_offer_is_unsupported():
    with server("chat") as url:
        connection = Server("peer", url, timeout=5.0, retries=0)
        complete = connection.client.completions.create
        with pytest.raises(UnsupportedError) as error:
            connection.ask(
                lambda: complete(model="peer", prompt="Robot:", echo=True, logprobs=1), lambda answer: answer
            )
    assert error.value.always
