import json

import imageio.v2 as imageio
import numpy as np
from PIL import Image

from fmrl_ros.recording.captions import HEIGHT
from fmrl_ros.recording.film import Film
from fmrl_ros.recording.outputs import write_outputs
from fmrl_ros.recording.run_folder import RunFolder


def test_a_run_leaves_every_file(run, film, tmp_path):
    folder = RunFolder.create(tmp_path / "run")
    assert write_outputs(run, film, folder) == []
    for path in (folder.result, folder.steps, folder.monologue, folder.scores, folder.video):
        assert path.stat().st_size > 0, path


def test_the_result_says_what_happened(run, film, tmp_path):
    folder = RunFolder.create(tmp_path / "run")
    write_outputs(run, film, folder)
    result = json.loads(folder.result.read_text())
    assert result["believed_outcome"] == {"success": True, "reason": run.reason}
    assert (result["seed"], result["world"], result["planner"], result["exit_code"]) == (3, "tabletop", run.planner, 0)
    assert [step["chosen"] for step in result["steps"]] == [
        "pick up the red block",
        "place it in the blue bowl",
        "done",
    ]
    assert [step["verdict"] and step["verdict"]["value"] for step in result["steps"]] == [True, None, None]
    assert result["steps"][1]["verdict"]["text"].startswith("unknown")
    assert result["steps"][2]["verdict"] is None
    best = result["steps"][0]["candidates"][0]
    assert set(best) == {"phrase", "skill", "arguments", "llm", "affordance", "product"}
    assert [json.loads(line) for line in folder.steps.read_text().splitlines()] == result["steps"]


def test_the_video_keeps_time_over_dropped_frames_and_has_captions(run, film, tmp_path):
    folder = RunFolder.create(tmp_path / "run")
    write_outputs(run, film, folder)
    with imageio.get_reader(folder.video) as reader:
        frames = [np.asarray(frame) for frame in reader]
    assert frames[0].shape == (480 + HEIGHT, 640, 3)
    assert len(frames) == 100
    assert (frames[-1][480:] > 128).sum() > 500  # bright letters
    assert np.abs(frames[0][:480].astype(int) - frames[-1][:480]).max() > 80  # the block has moved


def test_the_plot_is_a_picture(run, film, tmp_path):
    folder = RunFolder.create(tmp_path / "run")
    write_outputs(run, film, folder)
    with Image.open(folder.scores) as picture:
        assert picture.width > 800
        assert len(picture.convert("RGB").getcolors(1 << 24)) > 50


def test_the_transcript_marks_what_was_chosen(run, film, tmp_path):
    folder = RunFolder.create(tmp_path / "run")
    write_outputs(run, film, folder)
    text = folder.monologue.read_text()
    assert "| place it in the blue bowl |" in text
    assert text.count("| chosen |") == 3
    assert text.index("**Human**") < text.index("Decision 1") < text.index("the red block is in the hand")


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


def test_default_run_folders_never_collide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    paths = {RunFolder.create().path for _ in range(3)}
    assert len(paths) == 3
