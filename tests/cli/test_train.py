"""What a training cannot start from is said before anything is made; what it makes is listed in the manifest."""

import pytest
from typer.testing import CliRunner

from fmrl_ros.cli.main import app
from fmrl_ros.learning.planner import training_data
from fmrl_ros.learning.planner.dictionary import DictionaryError


def train(*arguments: str):
    return CliRunner().invoke(app, ["train", *arguments], env={"COLUMNS": "200"})


@pytest.mark.parametrize(
    "command, named",
    [
        (("planner", "--seed", "-1"), "Invalid value"),
        (("planner", "--device", "tpu"), "unknown device 'tpu'; valid: cpu, cuda"),
        (("planner", "--set", "pace=9"), "learning_rate=0.0008"),
        (("planner", "--set", "device=cuda"), "unknown hyperparameter 'device'"),
        (("planner", "--set", "rank=4", "--stage", "reinforcement", "--world", "kitchen"), "the first stage"),
        (("planner", "--set", "learning_rate=1e-4,fast"), "'1e-4,fast' is no tuple[float, ...]"),
        (("planner", "--set", "learning_rate=1e-4,1e-5"), "1 legs and learning_rate 2"),
        (("planner", "--set", "start_from=nowhere", "--out", "."), "no adapter to start from in nowhere"),
        (("skill", "pick", "--set", "steps=many"), "--set steps=many: 'many' is no int"),
        (("planner", "--stage", "third"), "unknown stage 'third'; valid: both, imitation, reinforcement"),
        (("planner", "--world", "tabletop", "--stage", "reinforcement"), "'tabletop'; valid: kitchen"),
        (("planner", "--world", "moon"), "unknown world 'moon'"),
        (("skill", "all", "--out", "somewhere"), "train one skill at a time"),
    ],
)
def test_what_a_training_cannot_start_from_is_named(command, named):
    result = train(*command)
    assert result.exit_code == 2 and named in " ".join(result.stderr.split())


def test_training_data_that_was_not_installed_is_named_with_the_next_step(monkeypatch, tmp_path):
    monkeypatch.setattr(training_data, "FOLDER", tmp_path)
    result = train("planner", "--world", "kitchen", "--out", str(tmp_path / "planner"))
    message = " ".join(result.stderr.split())
    assert result.exit_code == 2 and str(tmp_path / "kitchen_frames.yaml") in message
    assert "source checkout" in message and "make env" in message


def test_a_benchmark_that_needs_training_data_names_it(monkeypatch, tmp_path):
    monkeypatch.setattr(training_data, "FOLDER", tmp_path)
    result = CliRunner().invoke(app, ["bench", "plan", "--world", "kitchen"], env={"COLUMNS": "200"})
    assert result.exit_code == 2 and "kitchen_frames.yaml is missing" in " ".join(result.stderr.split())


def test_a_dictionary_that_training_needs_and_does_not_find_is_named(monkeypatch):
    def lacking():
        raise DictionaryError("no WordNet in /nowhere: install it with 'sudo apt-get install wordnet-base'")

    monkeypatch.setattr("fmrl_ros.learning.planner.dictionary.entries", lacking)
    result = train("planner", "--world", "kitchen", "--stage", "imitation")
    assert result.exit_code == 2 and "apt-get install wordnet-base" in result.stderr


def test_a_planner_cannot_be_written_where_a_file_is(tmp_path, monkeypatch):
    monkeypatch.setattr("fmrl_ros.cli.weights_progress.prefetch", lambda *_: None)
    (tmp_path / "file").write_text("")
    result = train("planner", "--out", str(tmp_path / "file"))
    assert result.exit_code == 2 and "is no folder" in result.stderr


def test_a_second_stage_without_a_first_says_how_to_make_it(tmp_path, monkeypatch):
    monkeypatch.setattr("fmrl_ros.cli.weights_progress.prefetch", lambda *_: None)
    result = train("planner", "--world", "kitchen", "--stage", "reinforcement", "--out", str(tmp_path))
    assert result.exit_code == 2
    assert "fmrl train planner --world kitchen --stage imitation" in " ".join(result.stderr.split())


def test_a_skill_in_miniature_is_trained_and_written_where_it_was_asked_for(tmp_path):
    small = {
        "demonstrations": 1, "cloning_steps": 1, "steps": 20, "evaluate_every": 20, "selection_episodes": 1,
        "evaluation_episodes": 2, "evaluation_steps": 1, "calibration_episodes": 2, "report_episodes": 1,
        "baseline_episodes": 1, "random_episodes": 1, "batch_size": 16,
    }  # fmt: skip
    settings = [part for name, value in small.items() for part in ("--set", f"{name}={value}")]
    result = train("skill", "press_button", "--out", str(tmp_path / "mine"), "--seed", "3", *settings)
    assert result.exit_code == 0, result.output
    assert f"written to {tmp_path / 'mine'}" in "".join(result.stdout.splitlines())
    assert {file.name for file in (tmp_path / "mine").iterdir()} == {"policy.npz", "README.md"}
    assert "| steps | 20 |" in (tmp_path / "mine" / "README.md").read_text()
