from types import SimpleNamespace

import openai
import pytest

from fmrl_ros.language.openai_connection import httpx
from fmrl_ros.language.server_message import Failure, failure_inside, failure_of_status


def status_error(body, text="", kind="text/plain"):
    response = httpx.Response(500, text=text, headers={"content-type": kind}, request=httpx.Request("POST", "http://x"))
    return openai.APIStatusError("failed", response=response, body=body)


@pytest.mark.parametrize(
    "body",
    [
        {"message": "no\nmemory"},
        {"error": {"message": "no memory"}},
        {"error": "no memory"},
        {"detail": "no memory"},
        "no memory",
    ],
)
def test_a_servers_words_are_found_wherever_it_writes_them(body):
    assert failure_of_status(status_error(body), "") == Failure(500, "no memory")


def test_a_body_that_is_plain_text_is_the_message_and_a_page_is_none():
    assert failure_of_status(status_error(None, "no memory"), "").message == "no memory"
    assert failure_of_status(status_error(None, "<html>", "text/html"), "").message == ""


def test_the_key_is_not_repeated():
    assert failure_of_status(status_error("wrong key: s3cret"), "s3cret").message == "wrong key: ***"


def test_an_error_inside_an_answer_has_its_own_status_or_none():
    assert failure_inside(SimpleNamespace(choices=[]), "") is None
    assert failure_inside(SimpleNamespace(error={"message": "slow down", "code": 429}), "") == Failure(429, "slow down")
    assert failure_inside(SimpleNamespace(error={"message": "no", "code": "bad"}), "") == Failure(None, "no")
    assert failure_inside(SimpleNamespace(error="no"), "") == Failure(None, "no")


def test_a_failure_is_named_by_status_and_words():
    assert str(Failure(503, "overloaded")) == "status 503 (overloaded)"
    assert str(Failure(404, "")) == "status 404" and str(Failure(None, "no")) == "an error (no)"


@pytest.mark.parametrize(
    ("status", "message", "loading"),
    [
        (503, "Loading model", True),
        (None, "Model m is currently loading", True),
        (503, "overloaded", False),
        (500, "error loading model", False),
        (400, "loading images is not supported", False),
    ],
)
def test_a_server_is_loading_if_it_says_so(status, message, loading):
    assert Failure(status, message).loading is loading
