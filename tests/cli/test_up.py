"""What `fmrl up` refuses before it starts anything; tests/e2e/test_up_and_tell.py runs it."""

from typer.testing import CliRunner

from fmrl_ros.assets import share
from fmrl_ros.cli.main import app


def up(*arguments: object):
    return CliRunner().invoke(app, ["up", *map(str, arguments)], env={"COLUMNS": "200"})


def test_a_camera_that_the_robot_lacks_gets_the_valid_ones():
    result = up("sim", "--cameras", "front,rear")
    assert result.exit_code == 2
    assert "'rear'" in result.stderr and "front" in result.stderr and "Traceback" not in result.stderr


def test_calibrations_that_are_no_json_are_named(tmp_path):
    file = tmp_path / "calibrations.json"
    file.write_text("not json")
    result = up("sim", "--calibrations", file)
    assert result.exit_code == 2
    assert str(file) in result.stderr and result.stderr.count("\n") == 1


def test_several_simulated_robots_are_refused_with_the_reason():
    result = up("sim", "--namespace", "left,right")
    assert result.exit_code == 2
    assert "would share one clock" in result.stderr


def test_a_judge_that_is_not_registered_gets_the_valid_ones():
    result = up("robot", "--judges", "embedded, oracle")
    assert result.exit_code == 2
    assert "unknown perception backend 'oracle'" in result.stderr


def test_a_folder_for_the_logs_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    result = up("robot", "--out", tmp_path / "file" / "logs")
    assert result.exit_code == 2
    assert "cannot make the folder for the outputs" in result.stderr


def test_a_robot_that_its_model_does_not_fit_is_refused_with_the_field(tmp_path):
    text = (share("config") / "six_joint_sim.yaml").read_text().replace("../sim", str(share("sim")))
    (tmp_path / "mine.yaml").write_text(text.replace("parent: flange", "parent: tool0"))
    result = up("robot", "--robot", tmp_path / "mine.yaml")
    assert result.exit_code == 2
    assert "robot 'six_joint_sim': model.hand.parent: the model has no body 'tool0'" in result.stderr
    assert result.stderr.count("\n") == 1
