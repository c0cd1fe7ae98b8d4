"""Whatever is wrong is said before anything is started, with what is valid or the command that helps."""

import pytest
import typer
from typer.testing import CliRunner

from fmrl_ros import __version__
from fmrl_ros.assets import share
from fmrl_ros.bringup import environment
from fmrl_ros.cli import checks
from fmrl_ros.cli.domain import choose_domain
from fmrl_ros.cli.main import app


def fmrl(*arguments: str):
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})


@pytest.fixture
def tuned_model_is_there(monkeypatch, tmp_path):
    """The checks that come after the model's must not depend on whether it has been trained yet."""
    if not (share("models") / "planner-tabletop" / "adapter_config.json").is_file():
        monkeypatch.setattr(checks, "check_language_model", lambda name, world: None)


@pytest.mark.parametrize("command", ["demo", "tell"])
@pytest.mark.parametrize("instruction", ["", "   ", "?!"])
def test_an_empty_instruction_gets_an_example(command, instruction):
    result = fmrl(command, instruction)
    assert result.exit_code == 2
    assert "empty" in result.stderr and "put the red block in the blue bowl" in result.stderr


@pytest.mark.parametrize(
    ("option", "value", "valid"),
    [
        ("--world", "moon", "tabletop"),
        ("--planner", "oracle", "inner_monologue, lgts"),
        ("--llm", "gpt", "tuned, local:MODEL"),
        ("--llm", "local:nothing", "smollm2"),
        ("--llm", "local:smollm2+nothing", "fmrl train planner"),
        ("--llm", "openai:model-without-address", "openai:MODEL@URL"),
        ("--llm", "openai:model@http://localhost:80x/v1", "port"),
    ],
)
def test_an_unknown_name_gets_the_valid_ones(option, value, valid):
    result = fmrl("demo", option, value)
    assert result.exit_code == 2
    assert valid in result.stderr
    assert value.split(":")[-1].split("+")[-1] in result.stderr


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


@pytest.mark.usefixtures("tuned_model_is_there")
def test_without_a_renderer_the_command_that_installs_one_is_printed(monkeypatch):
    monkeypatch.setattr(environment, "headless_gl", lambda: None)
    monkeypatch.setattr(environment, "has_display", lambda: False)
    result = fmrl("demo")
    assert result.exit_code == 2
    assert "apt-get install -y libegl1 libegl-mesa0 libgl1 libgl1-mesa-dri" in result.stderr


@pytest.mark.usefixtures("tuned_model_is_there")
def test_without_ros_the_command_that_installs_it_is_printed(monkeypatch):
    monkeypatch.setattr(environment, "has_display", lambda: True)
    monkeypatch.setattr(checks, "find_spec", lambda name: None)
    monkeypatch.delenv("ROS_DISTRO", raising=False)
    result = fmrl("demo")
    assert result.exit_code == 2
    assert "rclpy is not installed" in result.stderr and "make env" in result.stderr


def test_an_output_folder_that_cannot_be_made_is_named(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    for name in ("check_language_model", "check_graphics", "check_ros"):
        monkeypatch.setattr(checks, name, lambda *_: None)
    monkeypatch.setattr("fmrl_ros.cli.weights_progress.prefetch", lambda *_: None)
    result = fmrl("demo", "--out", str(tmp_path / "file" / "run"))
    assert result.exit_code == 2
    assert "cannot make the folder for the outputs" in result.stderr


def test_an_empty_question_gets_an_example():
    result = fmrl("ask", " ?")
    assert result.exit_code == 2
    assert 'fmrl ask "what is in the blue bowl?"' in result.stderr


def test_a_measurement_that_could_not_be_written_is_not_begun(tmp_path):
    result = fmrl("eval", "skill", "pick", "--json", str(tmp_path / "nowhere" / "eval.json"))
    assert result.exit_code == 2
    assert "nowhere" in result.stderr


def test_brackets_in_a_message_are_printed_as_they_are():
    result = fmrl("demo", "--world", "[red]moon[/]")
    assert "[red]moon[/]" in result.stderr


def test_slashes_around_a_namespace_do_not_matter():
    assert checks.check_namespace("/left/arm/") == "left/arm"
    assert checks.check_namespace("") == ""


@pytest.mark.parametrize("command", [("tell", "open the drawer"), ("ask", "is the drawer open?"), ("stop",)])
def test_what_is_no_namespace_is_refused(command):
    result = fmrl(*command, "--namespace", "2nd robot")
    assert result.exit_code == 2
    assert "'2nd robot' is not a ROS namespace" in result.stderr


def test_the_version_is_the_package_s():
    result = fmrl("--version")
    assert result.exit_code == 0
    assert result.stdout.strip() == f"fmrl_ros {__version__}"


@pytest.mark.parametrize(
    "command",
    [
        ("bench", "perception", "--backend", "crystal-ball"),
        ("bench", "perception", "--judge", "crystal-ball"),
        ("train", "success-detector", "--judge", "crystal-ball"),
    ],
)
def test_an_unknown_perception_backend_gets_the_valid_ones(command):
    result = fmrl(*command)
    assert result.exit_code == 2
    assert "unknown perception backend 'crystal-ball'; valid: embedded, open_clip" in result.stderr


@pytest.mark.parametrize("domain", ["abc", "-1", "233", "010", "0x1F", "٣"])
def test_a_domain_that_is_none_is_named(domain, monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", domain)
    with pytest.raises(typer.Exit) as ended:
        choose_domain()
    assert ended.value.exit_code == 2


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
