"""Each command checks what it is given before anything is started; test_checks.py has each check by itself."""

import pytest
from typer.testing import CliRunner

from fmrl_ros.cli import checks
from fmrl_ros.cli.main import app


def fmrl(*arguments: str):
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("demo", ""), "the instruction is empty"),
        (("tell", "?!"), "the instruction has no word"),
        (("demo", "--world", "moon"), "unknown world 'moon'"),
        (("demo", "--planner", "oracle"), "unknown planner 'oracle'"),
        (("tell", "wave", "--planner", "oracle"), "unknown planner 'oracle'"),
        (("demo", "--llm", "gpt"), "unknown language model 'gpt'"),
        (("tell", "open the drawer", "--namespace", "2nd robot"), "'2nd robot' is not a ROS namespace"),
        (("ask", "is the drawer open?", "--namespace", "2nd robot"), "'2nd robot' is not a ROS namespace"),
        (("stop", "--namespace", "2nd robot"), "'2nd robot' is not a ROS namespace"),
        (("bench", "perception", "--backend", "crystal-ball"), "unknown perception backend 'crystal-ball'"),
        (("bench", "perception", "--judge", "crystal-ball"), "unknown perception backend 'crystal-ball'"),
        (("train", "success-detector", "--judge", "crystal-ball"), "unknown perception backend 'crystal-ball'"),
    ],
)
def test_what_a_command_cannot_use_is_said_with_exit_code_2(command, said):
    result = fmrl(*command)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize("command", [("tell", "wave"), ("ask", "is there an apple?"), ("stop",), ("resume",)])
def test_commands_that_speak_ros_say_how_to_install_it(command, monkeypatch):
    monkeypatch.setattr(checks, "find_spec", lambda name: None)
    monkeypatch.delenv("ROS_DISTRO", raising=False)
    result = fmrl(*command)
    assert result.exit_code == 2
    assert "rclpy is not installed" in result.stderr and "make env" in result.stderr


def test_an_unknown_profile_gets_the_valid_ones():
    result = fmrl("up", "warehouse")
    assert result.exit_code == 2
    assert "unknown profile 'warehouse'; valid: robot, sim" in result.stderr


def test_an_unknown_robot_gets_the_valid_ones():
    result = fmrl("up", "sim", "--robot", "r2d2")
    assert result.exit_code == 2
    assert "unknown robot profile 'r2d2'; valid: franka_sim" in result.stderr


@pytest.mark.parametrize("command", [("train", "skill"), ("eval", "skill")])
def test_an_unknown_skill_gets_the_valid_ones(command):
    result = fmrl(*command, "juggle")
    assert result.exit_code == 2
    assert "unknown skill 'juggle'" in result.stderr and "pick, place_at, place_in" in result.stderr


def test_an_output_folder_that_cannot_be_made_is_named(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    for name in ("check_language_model", "check_graphics", "check_ros"):
        monkeypatch.setattr(checks, name, lambda *_: None)
    monkeypatch.setattr("fmrl_ros.cli.weights_progress.prefetch", lambda *_: None)
    result = fmrl("demo", "--out", str(tmp_path / "file" / "run"))
    assert result.exit_code == 2
    assert "cannot make the folder for the outputs" in result.stderr


def test_a_measurement_that_could_not_be_written_is_not_begun(tmp_path):
    result = fmrl("eval", "skill", "pick", "--json", str(tmp_path / "nowhere" / "eval.json"))
    assert result.exit_code == 2
    assert "nowhere" in result.stderr


@pytest.mark.parametrize("command", [("tell", "wave"), ("ask", "is there an apple?"), ("stop",)])
def test_commands_to_a_robot_on_a_domain_that_is_none_name_it(command, monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", "kitchen")
    result = fmrl(*command)
    assert result.exit_code == 2 and "ROS_DOMAIN_ID is 'kitchen'" in result.stderr


@pytest.mark.parametrize(
    "command, said",
    [
        (("bench", "score", "--options", "551,5"), "7 to 2500 options can be scored, not 5"),
        (("bench", "score", "--llm", "openai:m@http://localhost/v1"), "valid: tuned, local:MODEL"),
        (("bench", "score", "--plot", "x.foo"), "valid endings are .png"),
        (("bench", "plan", "--json", "."), "is a folder"),
        (("bench", "plan", "--seed", "-1"), "Invalid value"),
    ],
)
def test_what_a_benchmark_cannot_do_is_said_before_it_begins(command, said):
    result = fmrl(*command)
    assert result.exit_code == 2 and said in " ".join(result.stderr.split())
