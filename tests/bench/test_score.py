import json

import numpy as np
import pytest
import torch

from fmrl_ros.bench.score import STEPS, as_json, as_table, draw, measure, options_of
from fmrl_ros.planning.prompt import option_text
from fmrl_ros.worlds.world import load_world


class Cache:
    """Counts what is read, and takes no time."""

    def __init__(self) -> None:
        self.evaluated = 0

        class Model:
            device = "cpu"

            def __call__(self, input_ids, **_):
                class Out:
                    logits = torch.zeros((*input_ids.shape, 300))

                return Out

        self.model = Model()

    def encode(self, text):
        return list(text.encode())


class Scorer:
    """Scores nothing, at once."""

    def __init__(self) -> None:
        self.cache = Cache()

    def best(self, prompt, options, weights, count):
        self.cache.evaluated += 5
        assert len(weights) == len(options) and (weights > 0).any()

    def score(self, prompt, options):
        self.cache.evaluated += len(options)
        return np.zeros(len(options))

    score_naively = score


def test_every_way_is_timed_with_every_number_of_options(tmp_path):
    timings, memory = measure(Scorer(), (10, 60), lambda text: None)
    assert [t.options for t in timings] == [10, 60] * 7 and memory > 0
    tokens = {(t.way, t.options): t.tokens for t in timings}
    assert tokens["best first", 60] == 5 and tokens["trie", 60] == 60 == tokens["naive", 60]
    written = json.loads(json.dumps(as_json(timings, memory, "none")))
    assert written["benchmark"] == "score" and len(written["timings"]) == 14
    assert as_table(timings).row_count == 2
    draw(timings, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 5000


@pytest.mark.parametrize("count", [10, 551, 2000])
def test_options_are_as_many_as_asked_for_and_hold_the_plan(count):
    skills = options_of(load_world("kitchen"), count)
    assert len({option_text(s) for s in skills}) == len(skills) == count
    assert set(STEPS) <= {s.phrase for s in skills}


@pytest.mark.parametrize("count", [5, 10**6 + 1])
def test_too_few_and_too_many_options_are_refused(count):
    with pytest.raises(ValueError, match=f"7 to .* options can be scored, not {count}"):
        options_of(load_world("kitchen"), count)
