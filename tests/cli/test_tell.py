import json
import os
import pty
import sys

import pytest

pytest.importorskip("rclpy")

from typer.testing import CliRunner

from fmrl_ros.cli.main import app
from fmrl_ros.cli.tell import typed
from fmrl_ros.nodes.support.conversions import line_message
from fmrl_ros.planning.monologue import MonologueLine


def test_what_is_typed_is_read_and_never_waited_for(monkeypatch):
    keyboard, terminal = pty.openpty()
    with os.fdopen(terminal, "r") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert typed() == ""
        os.write(keyboard, b"yes, it did\n")
        assert typed() == "yes, it did"
        assert typed() == ""
    os.close(keyboard)


def test_without_a_terminal_nobody_types(monkeypatch, tmp_path):
    (tmp_path / "empty").touch()
    with (tmp_path / "empty").open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert typed() == ""
    monkeypatch.setattr(sys, "stdin", None)
    assert typed() == ""


@pytest.mark.graph
def test_a_detached_instruction_is_handed_over_and_the_command_returns(planner):
    planner.go.clear()  # it works for as long as the test likes
    result = CliRunner().invoke(app, ["tell", "wave", "--detach"])
    assert result.exit_code == 0, result.output
    assert "the robot carries it out, with nobody watching" in result.output
    assert [goal.instruction for goal in planner.goals] == ["wave"] and not planner.cancelled.is_set()


@pytest.mark.graph
def test_a_planner_that_refuses_a_detached_instruction_is_named(planner):
    planner.accepts = False
    result = CliRunner().invoke(app, ["tell", "wave", "--detach"])
    assert result.exit_code == 2 and "the planner refuses the instruction" in result.stderr


@pytest.mark.graph
def test_an_instruction_that_is_refused_before_it_begins_is_one_line_and_leaves_no_file(planner, tmp_path):
    planner.begins, planner.success, planner.reason = False, False, "busy with 'wave'; end it: fmrl stop"
    result = CliRunner().invoke(app, ["tell", "pick it up", "--out", str(tmp_path / "runs" / "today"), "--wait", "20"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "error: busy with 'wave'; end it: fmrl stop\n"
    assert not any(tmp_path.iterdir())


@pytest.mark.graph
def test_a_planner_that_takes_no_instruction_leaves_no_file(planner, tmp_path):
    planner.accepts = False
    result = CliRunner().invoke(app, ["tell", "wave", "--out", str(tmp_path / "run"), "--wait", "20"])
    assert result.exit_code == 2 and not any(tmp_path.iterdir())


@pytest.mark.graph
def test_the_reason_of_a_refusal_is_said_once(planner, tmp_path):
    reason = "there is no moon here; ask for something that is here"
    lines = [MonologueLine("Human", "open the moon"), MonologueLine("Planner", f"I stop: {reason}")]
    planner.lines = [line_message(line, 1.0 + k) for k, line in enumerate(lines)]
    planner.success, planner.reason = False, reason
    result = CliRunner().invoke(app, ["tell", "open the moon", "--out", str(tmp_path / "run"), "--wait", "20"])
    assert result.exit_code == 1 and result.stdout.count("no moon") == 1 and "Not done" in result.stdout
    assert json.loads((tmp_path / "run" / "result.json").read_text())["believed_outcome"]["reason"] == reason
