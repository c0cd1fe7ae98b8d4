import numpy as np
import torch

from fmrl_ros.bench.score.timing import measure


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


def test_every_method_is_timed_with_every_number_of_options():
    timings, memory = measure(Scorer(), (10, 60), lambda text: None)
    assert [t.options for t in timings] == [10, 60] * 7 and memory > 0
    tokens = {(t.method, t.options): t.tokens for t in timings}
    assert tokens["best first", 60] == 5 and tokens["trie", 60] == 60 == tokens["naive", 60]
