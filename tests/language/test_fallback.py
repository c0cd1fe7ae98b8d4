import numpy as np
import pytest

from fmrl_ros.language.fallback import WithFallback
from fmrl_ros.language.language_model import LanguageModelError, RequestRefusedError, best_options


class Model:
    def __init__(self, name: str, alive: bool = True) -> None:
        self.name, self.alive, self.prompts = name, alive, []
        self.error = LanguageModelError

    def score(self, prompt, options):
        self.prompts.append(prompt)
        if not self.alive:
            raise self.error(f"{self.name} cannot be reached")
        return np.arange(len(options), dtype=float)

    def generate(self, prompt, stop, max_tokens, grammar=None):
        self.score(prompt, [])
        return self.name


@pytest.fixture
def pair():
    time = [0.0]
    server, local = Model("server"), Model("local")
    both = WithFallback(server, local, "Hints. ", "", pause=10.0, clock=lambda: time[0])
    return both, server, local, time


def test_the_first_answers_as_long_as_it_can(pair):
    both, _, local, _ = pair
    assert both.generate("Hints. Task", (), 5) == "server" and both.name == "server, else local"
    assert len(both.score("Hints. Task", ["a", "b"])) == 2 and not local.prompts and not both.open


def test_the_second_answers_without_the_firsts_hints_and_the_first_is_left_alone_for_a_while(pair, caplog):
    both, server, local, time = pair
    server.alive = False
    assert both.generate("Hints. Task", (), 5) == "local" and local.prompts == ["Task"]
    assert "server cannot be reached" in caplog.text and both.failures == 1
    found = best_options(both, "Hints. Task", ["a", "b"], np.ones(2), 1)
    assert found.exact.all() and len(server.prompts) == 1 and both.open
    server.alive, time[0] = True, 11.0
    assert both.generate("Hints. Task", (), 5) == "server" and not both.open


def test_after_a_question_that_it_refuses_the_first_is_asked_the_next(pair):
    both, server, local, _ = pair
    server.alive, server.error = False, RequestRefusedError
    assert both.generate("Hints. Long", (), 5) == "local" and local.prompts == ["Long"]
    assert both.failures == 1 and not both.open
    server.alive = True
    assert both.generate("Hints. Short", (), 5) == "server"


def test_when_neither_answers_the_error_is_the_seconds(pair):
    both, server, local, _ = pair
    server.alive = local.alive = False
    with pytest.raises(LanguageModelError, match="local"):
        both.score("Hints. Task", ["a"])
