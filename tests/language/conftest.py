import pytest
import tiny_model

from fmrl_ros.language.local import LocalLanguageModel


@pytest.fixture
def model() -> LocalLanguageModel:
    """The random model, with an empty cache."""
    return LocalLanguageModel(tiny_model.folder(), dtype="float32")
