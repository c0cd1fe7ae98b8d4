"""The client of a vision server: against a small peer over HTTP, a real server with a tiny model, and none."""

import base64
import io
import json
import math
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
import tiny_vision
from PIL import Image
from transformers_server import served
from worlds_seen import WORLD, scene

from fmrl_ros.perception.backends.backend import BackendError, Observation, load_backend
from fmrl_ros.perception.view import View

PICK = WORLD.skill("pick up the red block")


@pytest.fixture
def seen():
    return Observation(scene(), (View(np.random.default_rng(0).integers(0, 255, (48, 64, 3), np.uint8)),))


class Peer(BaseHTTPRequestHandler):
    """Says what its server's `says` is, with the log-probabilities in `likely`, and keeps what it was asked.

    With a status in `refuses` it gives no log-probabilities.
    """

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        if self.server.refuses and "logprobs" in asked:
            return self.answer(self.server.refuses, {"error": {"message": "not here"}})
        top = [{"token": token, "logprob": math.log(p), "bytes": None} for token, p in self.server.likely.items()]
        worth = {"content": [{"token": "a", "logprob": -1.0, "bytes": None, "top_logprobs": top}], "refusal": None}
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": self.server.says},
            "finish_reason": self.server.ends,
            "logprobs": worth if top else None,
        }
        return self.answer(
            200, {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
        )

    def answer(self, status, content):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, *arguments):
        pass


@pytest.fixture
def peer():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Peer)
    server.says, server.likely, server.ends, server.asked = "hm", {}, "stop", []
    server.refuses = None
    server.name = f"openai:eyes@http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def ask(peer, **settings):
    return load_backend(peer.name, WORLD, timeout=20.0, retries=0, **settings)


def test_a_verdict_is_the_probability_of_yes_against_no_however_they_are_written(peer, seen):
    peer.likely = {"Yes": 0.5, " yes": 0.1, "No": 0.15, "Well": 0.2}
    verdict = ask(peer).judge(PICK, seen, seen)
    assert verdict.value is True and verdict.confidence == pytest.approx(0.6 / 0.75)
    peer.likely = {"no": 0.9, "yes": 0.1}
    assert ask(peer).judge(PICK, seen, seen).value is False


@pytest.mark.parametrize(
    ("says", "value"),
    [
        ("Yes, it has.", True),
        ("**No**", False),
        ("no", False),
        ("Perhaps.", None),
        ("Nothing is held.", None),
        ("Yesterday", None),
        ("[THINK]Yes?[/THINK]No.", False),
    ],
)
def test_without_log_probabilities_its_word_counts(peer, seen, says, value):
    peer.says = says
    assert ask(peer).judge(PICK, seen, seen).value is value


def test_neither_yes_nor_no_is_unknown_and_says_who_said_so(peer, seen):
    peer.likely = {"Perhaps": 0.9}
    verdict = ask(peer).judge(PICK, seen, seen)
    assert (verdict.value, verdict.confidence) == (None, 0.0)
    assert "eyes" in verdict.reason and "neither yes nor no" in verdict.reason


@pytest.mark.parametrize("first", ["The", "<think>", "Not", "yesterday"])
def test_a_judge_whose_first_token_is_neither_does_not_judge_however_yes_and_no_compare(peer, seen, first):
    peer.says, peer.likely = first, {first: 0.9, "Yes": 0.05, "No": 0.001}
    assert ask(peer).judge(PICK, seen, seen).value is None


@pytest.mark.parametrize("status", [400, 404, 500, 200])
def test_a_server_without_log_probabilities_is_asked_for_its_word_and_for_nothing_else_from_then_on(peer, seen, status):
    peer.refuses, peer.says = status, "Yes."
    judge = ask(peer)
    assert [judge.judge(PICK, seen, seen).value for _ in range(2)] == [True, True]
    assert ["logprobs" in asked for asked in peer.asked] == [True, False, False]


def test_a_password_in_the_url_is_not_in_the_name():
    assert load_backend("openai:m@http://alice:s3cret@host/v1?key=k", WORLD).name == "OpenAIVision m@http://host/v1"


def test_it_is_shown_the_pictures_before_and_after_and_then_asked(peer, seen):
    later = Observation(scene(stamp=2.0), (View(np.full((48, 64, 3), 77, np.uint8)),))
    ask(peer).judge(PICK, seen, later)
    *shown, question = peer.asked[0]["messages"][0]["content"]
    assert "pick up the red block" in question["text"]
    for picture, view in zip(shown, (*seen.views, *later.views), strict=True):
        encoded = picture["image_url"]["url"].removeprefix("data:image/png;base64,")
        assert np.array_equal(np.asarray(Image.open(io.BytesIO(base64.b64decode(encoded)))), view.color)


def test_an_answer_is_what_it_says_besides_its_thoughts(peer, seen):
    peer.says = "<think>I see red.</think> The red block. "
    answer = ask(peer).answer("what is in the blue bowl?", seen)
    assert (answer.text, answer.known) == ("The red block.", True)


def test_a_model_that_thinks_without_end_is_an_error_that_says_so(peer, seen):
    peer.says, peer.ends = "<think>I see red, or", "length"
    with pytest.raises(BackendError, match="still thinking after 12 tokens"):
        ask(peer, longest=12).answer("what is in the blue bowl?", seen)
    assert peer.asked[0]["max_tokens"] == 12


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_real_server_sees_judges_and_may_die(seen, tmp_path):
    pytest.importorskip("fastapi")
    pytest.importorskip("uvicorn")
    with served(tiny_vision.smolvlm(), tmp_path / "serve.log") as (process, url):
        backend = load_backend(f"openai:{tiny_vision.smolvlm()}@{url}", WORLD, timeout=60.0, retries=0, longest=12)
        verdict = backend.judge(PICK, seen, seen)
        assert verdict.value in (True, False, None) and verdict.reason
        answer = backend.answer("what is in the blue bowl?", seen)
        assert isinstance(answer.text, str) and 0 <= answer.confidence <= 1
        assert backend.record(seen.views) is None, "random weights write no JSON"
        process.kill()
        process.wait()
        with pytest.raises(BackendError, match="cannot be reached"):
            backend.answer("what is in the blue bowl?", seen)


def test_a_server_that_is_not_there_is_named(seen):
    backend = load_backend("openai:some-model@http://127.0.0.1:9/v1", WORLD, timeout=2.0, retries=0)
    with pytest.raises(BackendError, match=r"some-model at http://127\.0\.0\.1:9/v1 cannot be reached"):
        backend.judge(PICK, seen, seen)


@pytest.mark.parametrize("name", ["openai:", "openai:some-model", "openai:@http://localhost/v1"])
def test_a_name_without_model_or_server_is_refused_with_the_form(name):
    with pytest.raises(BackendError, match="write openai:MODEL@URL"):
        load_backend(name, WORLD)
