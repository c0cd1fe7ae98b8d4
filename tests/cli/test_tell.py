import os
import pty
import sys

import pytest
from typer.testing import CliRunner

from fmrl_ros.cli.main import app
from fmrl_ros.cli.tell import typed


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
