"""Whatever is wrong is said before anything is started, with what is valid or the command that helps."""

import pytest
import typer

from fmrl_ros.bringup import environment
from fmrl_ros.cli import checks


@pytest.fixture
def refused(capsys):
    """Returns a function that calls a check, which must end the command with 2, and returns what it said."""

    def refuses(check, *arguments, **options):
        with pytest.raises(typer.Exit) as ended:
            check(*arguments, **options)
        assert ended.value.exit_code == 2
        return capsys.readouterr().err

    return refuses


@pytest.mark.parametrize("sentence", ["", "   ", "?!", "_"])
def test_a_sentence_without_a_word_gets_an_example(refused, sentence):
    assert "pick up the red block" in refused(checks.check_instruction, sentence)
    assert '"what is in the blue bowl?"' in refused(checks.check_question, sentence)


def test_a_text_that_was_pasted_by_mistake_is_refused(refused):
    said = refused(checks.check_instruction, "put it down " * 750)
    assert said.strip() == "error: the instruction has 9000 letters, and at most 500 are read; say it in one sentence"
    assert "the question has 9000 letters" in refused(checks.check_question, "is it? so " * 900)


@pytest.mark.parametrize("sentence", ["wave", "поставь красный кубик", "把红色方块放进蓝色碗里", "7"])
def test_a_word_of_any_language_is_a_sentence(sentence):
    checks.check_instruction(sentence)
    checks.check_question(sentence)


def test_an_unknown_world_gets_the_valid_ones(refused):
    checks.check_world("tabletop")
    assert "unknown world 'moon'; valid: a file ending in .yaml, kitchen, tabletop" in refused(
        checks.check_world, "moon"
    )


def test_a_world_s_file_is_read_and_its_mistake_named(refused, tmp_path):
    (tmp_path / "mine.yaml").write_text("extends: tabletop\n")
    checks.check_world(str(tmp_path / "mine.yaml"))
    (tmp_path / "mine.yaml").write_text("objects: [")
    assert "is not valid YAML" in refused(checks.check_world, str(tmp_path / "mine.yaml"))


def test_a_world_without_a_scene_is_enough_where_none_is_needed(refused):
    checks.check_world("kitchen", physical=False)
    assert "no physical scene" in refused(checks.check_world, "kitchen")


@pytest.mark.parametrize(("said", "namespace"), [("/left/arm/", "left/arm"), ("", ""), ("lab", "lab")])
def test_slashes_around_a_namespace_do_not_matter(said, namespace):
    assert checks.check_namespace(said) == namespace


def test_what_is_no_namespace_or_several_is_refused(refused):
    assert "'2nd robot' is not a ROS namespace" in refused(checks.check_namespace, "2nd robot")
    assert "2 namespaces are given, 1 at most" in refused(checks.check_namespace, "left,right")


def test_an_unknown_planner_or_backend_gets_the_valid_ones(refused):
    checks.check_planner("inner_monologue")
    checks.check_backend("vlm:some/model-of-the-hub")
    assert "unknown planner 'oracle'; valid: " in (said := refused(checks.check_planner, "oracle"))
    assert "inner_monologue, lgts" in said
    assert "unknown perception backend 'crystal-ball'; valid: embedded, open_clip" in refused(
        checks.check_backend, "crystal-ball"
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("vlm:/nowhere", "the backend vlm:/nowhere has no model: no folder /nowhere; give a folder with config.json"),
        ("embedded:/nowhere", "has no /nowhere/localiser.safetensors; make it: fmrl train localiser"),
        ("openai:model-without-address", "write openai:MODEL@URL"),
    ],
)
def test_a_backend_whose_model_cannot_be_had_gets_the_next_step(refused, name, said):
    checks.check_backend("embedded")
    assert said in refused(checks.check_backend, name)


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("tuned", "local:smollm2+planner"),
        ("local:smollm2", "local:smollm2"),
        ("openai:m@http://localhost/v1", "openai:m@http://localhost/v1"),
    ],
)
def test_the_default_language_model_is_the_one_tuned_for_the_world(name, full):
    assert checks.full_model_name(name, "tabletop") == full


@pytest.mark.parametrize(
    "name",
    [
        "local:smollm2",
        "local:smollm2+planner",
        "openai:m@http://localhost:8000/v1",
        "openai:m@http://localhost:8000/v1 | local:smollm2",
    ],
)
def test_a_language_model_that_can_be_had_passes(name):
    checks.check_language_model(name, "tabletop")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gpt", "unknown language model 'gpt'; valid: tuned, local:MODEL"),
        ("local:", "unknown language model 'local:'; valid: tuned"),
        ("local:nothing", "unknown language model 'nothing'; valid: smollm2, a folder with config.json"),
        ("local:smollm2+nothing", "no adapter 'nothing' for the language model; valid: planner"),
        ("local:smollm2+nothing", "fmrl train planner --world tabletop"),
        ("openai:model-without-address", "openai:MODEL@URL"),
        ("openai:model@http://localhost:80x/v1", "port"),
        ("local:smollm2|gpt", "unknown language model 'gpt'"),
    ],
)
def test_a_language_model_that_cannot_be_had_gets_the_next_step(refused, name, said):
    assert said in refused(checks.check_language_model, name, "tabletop")


def test_a_password_in_an_address_is_not_printed(refused):
    said = refused(checks.check_language_model, "openai:m@http://alice:s3cret@localhost:80x/v1", "tabletop")
    assert "s3cret" not in said


def test_without_a_renderer_the_command_that_installs_one_is_printed(refused, monkeypatch):
    monkeypatch.setattr(environment, "headless_gl", lambda: None)
    monkeypatch.setattr(environment, "has_display", lambda: True)
    checks.check_graphics()
    monkeypatch.setattr(environment, "has_display", lambda: False)
    said = refused(checks.check_graphics)
    assert "apt-get install -y libegl1 libegl-mesa0 libgl1 libgl1-mesa-dri" in said


def test_a_renderer_that_mujoco_does_not_have_gets_the_valid_ones(refused, monkeypatch):
    monkeypatch.setattr(environment, "headless_gl", lambda: "egl")
    for known in ("", "egl", "EGL ", "glx", "1"):
        monkeypatch.setenv("MUJOCO_GL", known)
        checks.check_graphics()
    monkeypatch.setenv("MUJOCO_GL", "vulkan")
    assert "unknown MuJoCo backend MUJOCO_GL 'vulkan'; valid: egl, glfw, osmesa" in refused(checks.check_graphics)


@pytest.mark.parametrize(("user", "start"), [(0, "apt-get"), (1000, "sudo apt-get")])
def test_only_root_needs_no_sudo(user, start, monkeypatch):
    monkeypatch.setattr(checks.os, "geteuid", lambda: user)
    assert checks.graphics_command().startswith(start)


@pytest.mark.parametrize(
    ("distribution", "command"), [("", "make env"), ("jazzy", "apt-get install -y ros-jazzy-rclpy")]
)
def test_without_ros_the_command_that_installs_it_is_printed(refused, monkeypatch, distribution, command):
    monkeypatch.setattr(checks, "find_spec", lambda name: None)
    monkeypatch.setenv("ROS_DISTRO", distribution)
    said = refused(checks.check_ros)
    assert "rclpy is not installed" in said and command in said


def test_a_device_is_the_processor_or_a_gpu_that_is_there(refused, monkeypatch):
    import torch

    checks.check_device("cpu")
    assert "unknown device 'tpu'; valid: cpu, cuda" in refused(checks.check_device, "tpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "use --device cpu" in refused(checks.check_device, "cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    checks.check_device("cuda")


def test_numbers_must_have_somewhere_to_go(refused, tmp_path, monkeypatch):
    checks.check_json_path(None)
    checks.check_json_path(tmp_path / "numbers.json")
    assert f"there is no folder {tmp_path / 'nowhere'}; make it first" in refused(
        checks.check_json_path, tmp_path / "nowhere" / "numbers.json"
    )
    assert "is a folder; name a file, for example" in refused(checks.check_json_path, tmp_path, "--out")
    monkeypatch.setattr(checks.os, "access", lambda path, mode: False)
    assert "--json" in (said := refused(checks.check_json_path, tmp_path / "numbers.json"))
    assert "nothing may be written there" in said
