import json

from fmrl_ros.recording.film import Film
from fmrl_ros.recording.outputs import write_outputs
from fmrl_ros.recording.run_folder import RunFolder


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
