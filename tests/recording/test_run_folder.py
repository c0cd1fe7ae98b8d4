import re

import pytest

from fmrl_ros.recording.run_folder import RunFolder


def test_default_run_folders_have_the_time_as_their_name_and_never_collide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    paths = [RunFolder.create().path for _ in range(3)]
    assert len(set(paths)) == 3
    for path in paths:
        assert path.parent == tmp_path / "runs" and path.is_dir()
        assert re.fullmatch(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d(_\d)?", path.name)


def test_every_file_lies_in_the_folder_under_a_name_of_its_own(tmp_path):
    folder = RunFolder.create(tmp_path / "a" / "run")
    assert len(set(folder.files)) == 7
    assert {path.parent for path in (*folder.files, folder.logs)} == {folder.path}


def test_what_an_earlier_run_left_is_removed_and_nothing_else(tmp_path):
    folder = RunFolder.create(tmp_path / "run")
    folder.logs.mkdir()
    mine, log, other_log = folder.path / "notes.txt", folder.logs / "planner.log", folder.logs / "notes.txt"
    for path in (*folder.files, mine, log, other_log):
        path.write_text("old")
    again = RunFolder.create(tmp_path / "run")
    assert not any(path.exists() for path in (*again.files, log))
    assert mine.exists() and other_log.exists()


def test_a_folder_that_cannot_be_made_is_an_os_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        RunFolder.create(tmp_path / "file" / "run")


def test_a_run_that_was_never_begun_leaves_nothing_of_its_own(tmp_path):
    folder = RunFolder.create(tmp_path / "runs" / "today")
    folder.logs.mkdir()
    for path in (*folder.files, folder.logs / "planner.log", folder.logs / "planner.parameters.yaml"):
        path.write_text("new")
    folder.discard()
    assert not any(tmp_path.iterdir())


def test_the_logs_of_a_start_that_failed_are_kept(tmp_path):
    folder = RunFolder.create(tmp_path / "run")
    folder.logs.mkdir()
    for path in (folder.result, folder.logs / "planner.log"):
        path.write_text("new")
    folder.discard(keep_logs=True)
    assert [path.name for path in folder.path.rglob("*")] == ["logs", "planner.log"]


def test_a_folder_that_was_there_stays_with_what_somebody_else_has_put_into_it(tmp_path):
    (tmp_path / "mine" / "logs").mkdir(parents=True)
    (tmp_path / "mine" / "logs" / "mine.log.gz").write_text("mine")
    folder = RunFolder.create(tmp_path / "mine")
    folder.discard()
    assert (tmp_path / "mine" / "logs" / "mine.log.gz").exists()
