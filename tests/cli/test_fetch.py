import pytest
from typer.testing import CliRunner

from fmrl_ros.cache import cache_folder
from fmrl_ros.cli.main import app


@pytest.fixture
def cached(monkeypatch, tmp_path):
    """The folder of a model that is in the cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = cache_folder("models/smollm2")
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    return folder


@pytest.mark.parametrize("arguments", [[], ["smollm2"]])
def test_weights_that_are_there_are_found_without_a_network(cached, arguments):
    result = CliRunner().invoke(app, ["fetch", *arguments])
    assert result.exit_code == 0
    assert result.stdout == f"smollm2 is in {cached}\n"


def test_an_unknown_model_gets_the_valid_ones(cached):
    result = CliRunner().invoke(app, ["fetch", "gpt"])
    assert result.exit_code == 2
    assert "unknown language model 'gpt'; valid: smollm2" in result.stderr
