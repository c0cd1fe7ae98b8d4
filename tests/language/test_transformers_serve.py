"""The client against a real server: ``transformers serve`` with a tiny model, which dies in the middle of a request."""

import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import numpy as np
import pytest
import tiny_model

from fmrl_ros.language.fallback import WithFallback
from fmrl_ros.language.language_model import LanguageModelError
from fmrl_ros.language.local import LocalLanguageModel
from fmrl_ros.language.openai_server import OpenAILanguageModel

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

OPTIONS = [" pick up the red block\n", " done\n"]
PROMPT = "Task: put the red block in the blue bowl\nRobot:"


@pytest.fixture
def server(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = Path(sys.executable).with_name("transformers")
    arguments = ["serve", str(tiny_model.folder()), "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    log = (tmp_path / "serve.log").open("w")
    process = subprocess.Popen([command, *arguments], stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait(f"http://127.0.0.1:{port}/health", process)
        yield process, f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()
        log.close()


def _wait(url: str, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.5)
    raise TimeoutError(url)


@pytest.mark.timeout(400)
def test_a_real_server_scores_generates_and_may_die_in_the_middle_of_a_request(server):
    process, url = server
    client = OpenAILanguageModel(str(tiny_model.folder()), url, timeout=60.0, retries=0)
    scores = client.score(PROMPT, OPTIONS)
    assert scores.shape == (2,) and np.isfinite(scores).all() and (scores <= 0).all()
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
