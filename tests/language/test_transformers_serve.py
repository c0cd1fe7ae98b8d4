"""The client against a real server: ``transformers serve`` with a tiny model, which dies in the middle of a request."""

import threading
import time

import numpy as np
import pytest
import tiny_model
from transformers_server import served

from fmrl_ros.language.fallback import WithFallback
from fmrl_ros.language.language_model import LanguageModelError, RequestRefusedError
from fmrl_ros.language.local import LocalLanguageModel
from fmrl_ros.language.openai_server import OpenAILanguageModel

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

OPTIONS = [" pick up the red block\n", " done\n"]
PROMPT = "Task: put the red block in the blue bowl\nRobot:"


@pytest.fixture
def server(tmp_path):
    with served(tiny_model.folder(), tmp_path / "serve.log") as running:
        yield running


@pytest.mark.timeout(400)
def test_a_real_server_is_asked_generates_and_may_die_in_the_middle_of_a_request(server):
    process, url = server
    client = OpenAILanguageModel(str(tiny_model.folder()), url, timeout=60.0, retries=0)
    with pytest.raises(RequestRefusedError, match=r"chose none of the options; it says: '.+'"):
        client.score(PROMPT, OPTIONS)  # the model's weights are random: it states no option
    assert client.scores_exactly is not True
    assert isinstance(client.generate(PROMPT, ("\n",), 5), str)

    answers: list[object] = []

    def ask() -> None:
        try:
            answers.append(client.generate(PROMPT, (), 20_000))
        except LanguageModelError as error:
            answers.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    time.sleep(1.0)
    process.kill()
    asking.join(timeout=60)
    assert isinstance(answers[0], LanguageModelError) and "cannot be reached" in str(answers[0])

    both = WithFallback(client, LocalLanguageModel(tiny_model.folder()))
    assert np.isfinite(both.score(PROMPT, OPTIONS)).all() and both.open
