import json
import urllib.error
import urllib.request

import pytest

from fmrl_ros.cli.chaos.chat_server import BODIES, HEALTHY, STATUSES, ChatServer


@pytest.fixture
def server():
    with ChatServer() as server:
        server.plan = ("pick up the red block", "place it in the blue bowl", "done")
        yield server


def ask(server):
    base = server.model_name.partition("@")[2]
    request = urllib.request.Request(f"{base}/chat/completions", b"{}", {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read().decode()


def text(server):
    return json.loads(ask(server))["choices"][0]["message"]["content"]


def test_a_healthy_server_says_the_step_that_is_due(server):
    assert text(server) == "pick up the red block"
    server.decided = lambda: 1
    assert text(server) == "place it in the blue bowl"
    server.decided = lambda: 9
    assert text(server) == "done"


@pytest.mark.parametrize("fault", STATUSES)
def test_a_status_is_sent_until_the_server_is_repaired(server, fault):
    server.break_down(fault)
    with pytest.raises(urllib.error.HTTPError, match=str(STATUSES[fault])):
        ask(server)
    server.break_down(HEALTHY)
    assert text(server) == "pick up the red block"


@pytest.mark.parametrize("fault", BODIES)
def test_something_else_is_sent_in_place_of_an_answer(server, fault):
    server.break_down(fault)
    assert ask(server) == BODIES[fault]


def test_thoughts_stand_before_or_in_place_of_the_answer(server):
    server.break_down("thoughts alone")
    assert text(server).endswith("</think>")
    server.break_down("an answer in thoughts and prose")
    assert text(server).endswith("My choice is: pick up the red block")


def test_a_loading_server_answers_once_it_has_loaded(server):
    server.break_down("'Loading model' for two seconds")
    with pytest.raises(urllib.error.HTTPError, match="503"):
        ask(server)
    server.since -= 3.0
    assert text(server) == "pick up the red block"


def test_the_same_option_is_said_whatever_was_decided(server):
    server.break_down("the same option again and again")
    server.decided = lambda: 2
    assert text(server) == "pick up the red block"


def test_an_answer_in_drops_is_whole_in_the_end(server):
    server.break_down("an answer in drops")
    assert text(server) == "pick up the red block"


def test_a_closed_connection_is_no_answer(server):
    server.break_down("the connection is closed")
    with pytest.raises((urllib.error.URLError, ConnectionError)):
        ask(server)
