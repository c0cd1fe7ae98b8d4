"""The client of a vision server against a real one with a tiny model, and against none."""

import numpy as np
import pytest
import tiny_vision
from transformers_server import served
from worlds_seen import WORLD, scene

from fmrl_ros.perception.backends.backend import BackendError, Observation, load_backend
from fmrl_ros.perception.view import View

PICK = WORLD.skill("pick up the red block")


@pytest.fixture
def seen():
    return Observation(scene(), (View(np.random.default_rng(0).integers(0, 255, (48, 64, 3), np.uint8)),))


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
