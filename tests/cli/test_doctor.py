import shutil
import subprocess
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from fmrl_ros.cli import doctor
from fmrl_ros.cli.doctor import Finding, _models, examine
from fmrl_ros.cli.main import app


def found(what):
    """What is found of one thing, all that takes long left out."""
    return next(finding for finding in examine("tabletop") if finding.what == what)


@pytest.fixture
def quick(monkeypatch):
    """No process is started to try the renderer."""
    monkeypatch.setattr(subprocess, "run", lambda *arguments, **options: SimpleNamespace(returncode=0))


@pytest.mark.parametrize(("good", "code"), [(True, 0), (None, 0), (False, 2)])
def test_only_what_is_needed_and_missing_is_a_failure(good, code, monkeypatch):
    monkeypatch.setattr(doctor, "examine", lambda world: [Finding("a model", good, "somewhere", "fmrl train it")])
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == code
    assert "a model" in result.stdout and "somewhere" in result.stdout and "fmrl train it" in result.stdout


def test_an_unknown_world_gets_the_valid_ones():
    result = CliRunner().invoke(app, ["doctor", "--world", "moon"])
    assert result.exit_code == 2 and "kitchen, tabletop" in result.stderr


def test_a_renderer_that_fails_is_missing_with_the_command_that_installs_one(monkeypatch):
    monkeypatch.setattr(subprocess, "run", lambda *arguments, **options: SimpleNamespace(returncode=1))
    finding = found("OpenGL for MuJoCo")
    assert finding.good is False and "cannot render" in finding.detail and "apt-get install" in finding.fix


def test_a_renderer_that_fails_beside_one_that_works_is_mended_by_choosing_that(monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "glfw")
    monkeypatch.setenv("DISPLAY", ":77")  # where no server is
    finding = found("OpenGL for MuJoCo")
    assert (finding.good, finding.detail, finding.fix) == (False, "glfw, cannot render", "export MUJOCO_GL=egl")


def test_a_renderer_that_hangs_is_missing(monkeypatch):
    def hang(command, timeout, **options):
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(subprocess, "run", hang)
    assert found("OpenGL for MuJoCo").good is False


def test_ros_that_is_not_installed_is_missing_with_the_command_that_installs_it(quick, monkeypatch):
    monkeypatch.setattr(doctor, "find_spec", lambda module: None)
    monkeypatch.delenv("ROS_DISTRO", raising=False)
    finding = found("rclpy")
    assert (finding.good, finding.detail, finding.fix) == (False, "not installed", "make env")


def test_weights_that_are_not_in_the_cache_are_fetched_by_fmrl_fetch(quick, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    finding = found("language model weights")
    assert finding.good is False and finding.fix == "fmrl fetch"


def test_a_full_disk_is_missing_room(quick, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=5e8))
    finding = found("free disk space")
    assert finding.good is False and finding.fix == "make 1 GB free"


def test_every_model_of_the_demo_and_of_fmrl_plan_is_looked_for_once():
    found = list(_models("tabletop"))
    names = [finding.what for finding in found]
    assert len(set(names)) == len(names)
    assert {"model planner", "model planner-kitchen", "model localiser"} <= set(names)
    assert all(finding.good for finding in found)


def test_a_skill_with_a_policy_of_its_own_is_looked_for_there(tmp_path):
    world = tmp_path / "mine.yaml"
    skill = "{name: flip, phrase: 'flip {it}', arguments: {it: block}, achieves: held(it), policy: flip.npz}"
    world.write_text(f"extends: tabletop\nskills:\n  - {skill}\n")
    missing = [finding for finding in _models(str(world)) if not finding.good]
    assert [finding.what for finding in missing] == ["model skill-flip"] and "mine.yaml" in missing[0].fix
    (tmp_path / "flip.npz").touch()
    assert all(finding.good for finding in _models(str(world)))
