import os
import subprocess
import sys
from pathlib import Path

import pytest
from source_tree import ROOT

INSTALL = ROOT / "ros2_ws" / "install"
EXECUTABLES = ("mujoco_bridge", "skill_server", "scene_describer", "success_detector", "planner", "fault_relay", "fmrl")


@pytest.fixture(scope="module")
def workspace() -> Path:
    """The colcon workspace, built on the wheels of this environment."""
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    run = subprocess.run(["make", "build"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-4000:]
    assert "2 packages finished" in run.stdout
    return INSTALL


def sourced(command: str) -> str:
    """Run a command as a user does after sourcing the workspace; return what it printed."""
    environment = {k: v for k, v in os.environ.items() if k not in ("AMENT_PREFIX_PATH", "PYTHONPATH")}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    run = subprocess.run(
        ["bash", "-c", f"source {INSTALL}/setup.bash && {command}"],
        cwd="/",
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


@pytest.mark.slow
@pytest.mark.timeout(1000)
class TestColconBuild:
    @pytest.mark.parametrize("name", EXECUTABLES)
    def test_executables_lie_where_ros2_run_looks(self, workspace, name):
        assert os.access(workspace / "fmrl_ros" / "lib" / "fmrl_ros" / name, os.X_OK)

    def test_shared_files_are_installed(self, workspace):
        share = workspace / "fmrl_ros" / "share"
        assert (share / "ament_index" / "resource_index" / "packages" / "fmrl_ros").is_file()
        for folder in ("sim", "models", "launch", "config"):
            for path in (ROOT / folder).rglob("*"):
                if path.is_file() and path.suffix != ".pyc" and not path.name.startswith("."):
                    assert (share / "fmrl_ros" / path.relative_to(ROOT)).is_file()

    def test_no_training_data_is_installed(self, workspace):
        installed = {path.name for path in (workspace / "fmrl_ros").rglob("*.yaml")}
        assert {"tabletop.yaml", "kitchen.yaml", "targets.yaml"} <= installed
        assert not installed & {path.name for path in (ROOT / "fmrl_ros" / "learning").rglob("*.yaml")}

    def test_both_packages_import_from_the_install(self, workspace):
        where = sourced('python -c "import fmrl_ros, fmrl_interfaces as i; print(fmrl_ros.__file__, i.__file__)"')
        assert [Path(p).is_relative_to(workspace) for p in where.split()] == [True, True]

    def test_data_is_found_in_the_install(self, workspace):
        where = sourced("python -c \"from fmrl_ros.assets import share; print(share('sim'))\"")
        assert Path(where).is_relative_to(workspace)

    def test_a_message_survives_serialisation(self, workspace):
        program = (
            "from rclpy.serialization import deserialize_message as read, serialize_message as write;"
            "from fmrl_interfaces.msg import Skill, SkillLibrary;"
            "skill = Skill(name='pick', arguments=['red block'], phrase='pick up the red block');"
            "back = read(write(SkillLibrary(server_name='/arm', skills=[skill])), SkillLibrary);"
            "print(back.skills[0].arguments[0])"
        )
        assert sourced(f'python -c "{program}"') == "red block"

    def test_the_command_runs_from_the_install(self, workspace):
        assert "demo" in sourced(f"{workspace}/fmrl_ros/lib/fmrl_ros/fmrl --help")
