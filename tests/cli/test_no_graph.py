"""Commands that need a running graph say so at once where there is none, and wait where one may be."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("rclpy")

from fmrl_ros.bringup.presence import announce

DOMAIN = 218
"""No test and no demo uses it: what is said here must reach no robot."""
COMMANDS = [["tell", "put the red block in the blue bowl"], ["ask", "what is in the blue bowl?"], ["stop"], ["resume"]]


def fmrl(command, folder, watched="", **variables):
    """Run a command where no robot is; `watched` runs at its end."""
    program = f"import sys; from fmrl_ros.cli.entry import main\ntry: main()\nfinally: {watched or 'pass'}"
    here = folder / "here"
    here.mkdir()
    environment = {**os.environ, "ROS_DOMAIN_ID": str(DOMAIN), "XDG_RUNTIME_DIR": str(folder), **variables}
    return subprocess.run(
        [sys.executable, "-c", program, *command],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
        cwd=here,
        check=False,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_without_a_graph_that_is_said_with_the_next_step_before_dds_is_loaded_and_nothing_is_left(command, tmp_path):
    ran = fmrl(command, tmp_path, "print([name for name in ('rclpy', 'torch', 'mujoco') if name in sys.modules])")
    assert ran.returncode == 2 and ran.stdout == "[]\n"
    assert ran.stderr == "error: no robot is running on ROS domain 218; start one in another terminal: fmrl up sim\n"
    assert [path.name for path in tmp_path.rglob("*")] == ["here"]


@pytest.mark.graph
@pytest.mark.parametrize("command", COMMANDS)
def test_a_robot_that_is_still_starting_is_not_said_to_be_missing(command, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with announce(DOMAIN):
        ran = fmrl([*command, "--wait", "0.5"], tmp_path)
    assert ran.returncode == 2
    assert ran.stderr.endswith(" does not answer yet; try again once fmrl up says 'Ready'\n")


@pytest.mark.graph
@pytest.mark.parametrize("command", COMMANDS)
def test_a_robot_on_another_machine_is_waited_for(command, tmp_path):
    ran = fmrl([*command, "--wait", "0.5"], tmp_path, ROS_AUTOMATIC_DISCOVERY_RANGE="SUBNET")
    assert ran.returncode == 2
    assert ran.stderr.startswith("error: no robot answers on ") and ran.stderr.endswith("; start one: fmrl up sim\n")
