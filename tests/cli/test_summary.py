import io

import pytest
from rich.console import Console

from fmrl_ros.cli.summary import MEANING, print_files, print_outcome
from fmrl_ros.planning.monologue import MonologueLine
from fmrl_ros.recording.run import Run, TimedLine
from fmrl_ros.recording.run_folder import RunFolder


@pytest.fixture
def folder(tmp_path):
    return RunFolder.create(tmp_path / "runs" / "today")


def printed(run, folder, problems=(), width=60):
    screen = io.StringIO()
    console = Console(file=screen, width=width)
    print_outcome(run, console)
    print_files(folder, list(problems), console)
    return screen.getvalue()


@pytest.mark.parametrize(
    ("success", "words"), [(True, "Succeeded: seen"), (False, "Not done: seen"), (None, "Cut short: seen")]
)
def test_it_says_how_the_run_ended_and_why(folder, success, words):
    assert words in printed(Run("wave", success=success, reason="seen"), folder)


def test_a_reason_that_the_monologue_ends_with_is_not_said_again(folder):
    run = Run("wave", success=False, reason="I cannot wave; ask for something else")
    run.lines.append(TimedLine(1.0, MonologueLine("Planner", f"I stop: {run.reason}")))
    text = printed(run, folder)
    assert "\nNot done\n" in text and "I cannot wave" not in text


def test_it_lists_the_files_that_are_there_with_what_they_are(folder):
    folder.result.write_text("{}")
    folder.logs.mkdir()
    lines = printed(Run("wave"), folder).splitlines()
    names = [line.split()[0] for line in lines if line.startswith("  ")]
    assert names == ["result.json", "logs"]
    assert any(MEANING["result.json"] in line for line in lines)


def test_every_file_that_a_run_may_leave_has_a_meaning(folder):
    assert {path.name for path in folder.files} | {"logs"} == set(MEANING)


def test_the_folder_is_named_as_it_is_reached_from_here(folder, tmp_path, monkeypatch):
    assert str(folder.path) in printed(Run("wave"), folder)
    monkeypatch.chdir(tmp_path)
    assert "\nruns/today\n" in printed(Run("wave"), folder)


def test_what_could_not_be_written_is_said_on_one_line_whatever_brackets_are_in_it(folder):
    problem = "video.mp4: no encoder [h264] " + "and so on " * 20
    assert f"could not be written: {problem}" in printed(Run("wave", reason="[x]"), folder, [problem])


def test_a_file_that_a_full_disk_left_empty_is_not_listed(folder):
    folder.truth.touch()
    assert "truth.json" not in printed(Run("wave"), folder)
