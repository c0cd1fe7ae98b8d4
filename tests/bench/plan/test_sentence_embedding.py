import numpy as np
import pytest

from fmrl_ros.bench.plan.sentence_embedding import SentenceEmbedding
from fmrl_ros.language.weights import WeightsError


@pytest.mark.slow
def test_sentences_of_one_meaning_lie_close_together():
    try:
        vectors = SentenceEmbedding()(["open the drawer", "pull the drawer out", "what a lovely day"])
    except WeightsError as error:
        pytest.skip(str(error))
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert vectors[0] @ vectors[1] > 0.6 > 0.3 > vectors[0] @ vectors[2]
