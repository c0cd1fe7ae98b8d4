"""What `fmrl demo` refuses before it starts anything; tests/e2e/test_demo.py runs it."""

import pytest
from typer.testing import CliRunner

from fmrl_ros.cli.main import app


def demo(*arguments: object):
    return CliRunner().invoke(app, ["demo", *map(str, arguments)], env={"COLUMNS": "200"})


def test_a_folder_for_the_outputs_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    result = demo("put the red block in the blue bowl", "--out", tmp_path / "file" / "run")
    assert result.exit_code == 2
    assert "cannot make the folder for the outputs" in result.stderr


def test_a_domain_that_is_no_number_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("ROS_DOMAIN_ID", "kitchen")
    result = demo("put the red block in the blue bowl", "--out", tmp_path / "run")
    assert result.exit_code == 2
    assert "ROS_DOMAIN_ID is 'kitchen'; valid: a number from 0 to 232" in result.stderr


@pytest.mark.parametrize("world", ["kitchen", "atlantis"])
def test_a_world_without_a_body_or_of_no_name_is_refused(world):
    result = demo("find the apple", "--world", world)
    assert result.exit_code == 2
    assert world in result.stderr and "Traceback" not in result.stderr
