"""The simulated OpenAI-compatible server (`openai_peer`) as a process of its own, and options to score with it."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

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
    """True if the model finds the second option the likeliest."""
    return int(np.argmax(model.score(prompt, OPTIONS))) == 1
