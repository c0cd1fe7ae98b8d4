import numpy as np

from fmrl_ros.language.language_model import Found, SearchingModel, best_options


class Scoring:
    """Scores every option."""

    def score(self, prompt, options):
        return -np.arange(len(options), dtype=float)


class Searching(Scoring):
    """Scores the first option alone."""

    def best(self, prompt, options, weights, count):
        log_p = self.score(prompt, options)
        return Found(log_p, np.arange(len(options)) < count)


def test_a_model_that_cannot_search_scores_every_option():
    found = best_options(Scoring(), "Robot:", ["a", "b"], np.ones(2), 1)
    assert found.log_p.tolist() == [0.0, -1.0] and found.exact.all()


def test_a_model_that_can_search_is_asked_to():
    assert isinstance(Searching(), SearchingModel) and not isinstance(Scoring(), SearchingModel)
    assert best_options(Searching(), "Robot:", ["a", "b"], np.ones(2), 1).exact.tolist() == [True, False]
