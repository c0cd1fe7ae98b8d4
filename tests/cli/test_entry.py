import os
import subprocess
import sys

import pytest

from fmrl_ros.cli.entry import robot_to_resume, robot_to_stop
from fmrl_ros.robot.stop_switch import StopSwitch, switch_path

HEAVY = ("typer", "rich", "rclpy", "torch", "mujoco", "numpy")


@pytest.mark.parametrize(
    ("arguments", "robot"),
    [
        (["stop"], ""),
        (["tell", "freeze!"], ""),
        (["stop", "--namespace", "left"], "left"),
        (["stop", "--namespace=left", "--wait", "2"], "left"),
        (["stop", "--robot", "arm.yaml"], ""),
        (["stop", "--help"], None),
        (["tell", "pick up the red block"], None),
        (["tell"], None),
        (["resume"], None),
        ([], None),
    ],
)
def test_a_stop_is_told_from_every_other_command(arguments, robot):
    assert robot_to_stop(arguments) == robot


def fmrl(*arguments, runtime, watched=""):
    program = f"import sys; from fmrl_ros.cli.entry import main\ntry: main()\nfinally: {watched or 'pass'}"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "XDG_RUNTIME_DIR": str(runtime), "ROS_DOMAIN_ID": "93"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("command", [["stop"], ["tell", "stop it"]])
def test_the_switch_is_pressed_before_anything_heavy_is_loaded(tmp_path, monkeypatch, command):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    pressed = []
    switch = StopSwitch(switch_path("93"), lambda: pressed.append(1), lambda: pressed.append(0), lambda: True)
    switch.open()
    try:
        loaded = f"print([name for name in {HEAVY!r} if name in sys.modules])"
        ran = fmrl(*command, runtime=tmp_path, watched=loaded)
    finally:
        switch.close()
    assert pressed == [1] and ran.returncode == 0
    assert ran.stdout == "the robot has stopped, the arm stands; fmrl resume lets it move again\n[]\n"


def test_resume_releases_the_switch(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    used = []
    switch = StopSwitch(switch_path("93"), lambda: used.append("stop"), lambda: used.append("resume"), lambda: True)
    switch.open()
    try:
        ran = fmrl("resume", runtime=tmp_path)
    finally:
        switch.close()
    assert used == ["resume"] and (ran.returncode, ran.stdout) == (0, "the robot may move again\n")
    assert robot_to_resume(["stop"]) is None and robot_to_resume(["resume", "--namespace", "left"]) == "left"


def test_without_a_switch_the_command_line_is_asked(tmp_path):
    ran = fmrl("stop", "--wait", "0.5", runtime=tmp_path)
    assert ran.returncode == 2 and "no robot is running on ROS domain 93" in ran.stderr
