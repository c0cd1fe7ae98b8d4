import json
import tempfile
from pathlib import Path

from fmrl_ros.recording.disk import mount_point
from fmrl_ros.recording.film import Film
from fmrl_ros.recording.outputs import write_outputs
from fmrl_ros.recording.run_folder import RunFolder
from fmrl_ros.recording.whole_file import part_of


def test_a_run_leaves_every_file(run, film, tmp_path):
    folder = RunFolder.create(tmp_path / "run")
    assert write_outputs(run, film, folder) == []
    for path in (folder.result, folder.steps, folder.monologue, folder.scores, folder.video):
        assert path.stat().st_size > 0, path


def test_a_run_without_decisions_and_frames_leaves_what_it_can(run, tmp_path):
    run.steps.clear()
    run.lines.clear()
    run.success = None
    folder = RunFolder.create(tmp_path / "run")
    assert write_outputs(run, Film(), folder) == []
    assert json.loads(folder.result.read_text())["steps"] == []
    assert not folder.video.exists()


def test_one_file_that_fails_does_not_cost_the_others(run, film, tmp_path):
    folder = RunFolder.create(tmp_path / "run")
    folder.scores.mkdir()
    problems = write_outputs(run, film, folder)
    assert len(problems) == 1 and problems[0].startswith("scores.png")
    assert folder.video.stat().st_size > 0


def fill(folder):
    """Let every file of the folder lie on a disk that is full."""
    for path in folder.files:
        part_of(path).symlink_to("/dev/full")


def test_on_a_full_disk_the_result_is_written_elsewhere_and_the_message_says_where(run, film, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = RunFolder.create(tmp_path / "run")
    fill(folder)
    problems = write_outputs(run, film, folder)
    first, place = problems[0].split("; it is in ")
    assert first == f"result.json: the disk at {mount_point(tmp_path)} is full; make room there"
    assert json.loads(Path(place).read_text())["believed_outcome"]["success"] is True


def test_on_a_full_disk_no_file_is_left_that_is_not_whole(run, film, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = RunFolder.create(tmp_path / "run")
    fill(folder)
    problems = write_outputs(run, film, folder)
    written = (folder.result, folder.steps, folder.monologue, folder.scores, folder.video)
    assert not any(path.exists() for path in written)
    assert [problem.split(":")[0] for problem in problems[:5]] == [path.name for path in written]
    assert all("\n" not in problem for problem in problems)


def test_a_recording_that_was_cut_short_is_named(run, film, tmp_path):
    folder = RunFolder.create(tmp_path / "run")
    part_of(folder.recording).write_bytes(b"the beginning")
    assert write_outputs(run, film, folder) == [
        "recording.mcap: cut short; what there is lies in recording.part.mcap (mcap recover recording.part.mcap)"
    ]
    RunFolder.create(tmp_path / "run")
    assert not part_of(folder.recording).exists(), "the next run begins anew"
