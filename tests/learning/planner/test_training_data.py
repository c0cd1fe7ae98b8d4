import pytest

from fmrl_ros.learning.planner import training_data
from fmrl_ros.learning.planner.training_data import TrainingDataError, load_training_data, training_file


def test_a_file_of_training_data_is_read_once():
    frames = load_training_data("kitchen_frames.yaml")
    assert "fetch" in frames and load_training_data("kitchen_frames.yaml") is frames


def test_where_the_file_was_not_installed_the_error_says_which_why_and_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(training_data, "FOLDER", tmp_path)
    with pytest.raises(TrainingDataError) as raised:
        training_file("kitchen_words.yaml")
    message = str(raised.value)
    assert str(tmp_path / "kitchen_words.yaml") in message
    assert "not installed with the package" in message and "source checkout" in message and "make env" in message
