"""Starts a node with something that it cannot use, and notes what it says."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from fmrl_ros.bench.chaos.fault import Ending, Fault
from fmrl_ros.bringup.environment import prepare
from fmrl_ros.cli.exits import UNUSABLE

PATIENCE = 90.0
"""A node that goes on for longer has started, s."""


@dataclass(frozen=True)
class Start:
    """A node, its parameters, and variables of its environment."""

    node: str
    parameters: Mapping[str, str]
    environment: Mapping[str, str] = field(default_factory=dict)


def starts(folder: Path) -> Mapping[str, Start]:
    """Return how each fault of the kind ``start`` is brought about; the files that they need are made in `folder`."""
    six = folder / "six_joints.yaml"
    broken = folder / "broken.json"
    nowhere = str(folder / "nowhere")
    six.write_text(_without_a_joint(), encoding="utf-8")
    broken.write_text("{", encoding="utf-8")
    return {
        "an unknown world": Start("mujoco_bridge", {"world": "moon"}),
        "an unknown robot": Start("mujoco_bridge", {"robot": "r2d2"}),
        "an arm of six joints": Start("skill_server", {"robot": str(six)}),
        "an unknown camera": Start("scene_describer", {"cameras": "back"}),
        "an unknown detector": Start("scene_describer", {"detector": "oracle"}),
        "an unknown judge": Start("success_detector", {"judges": "oracle"}),
        "an unknown strategy": Start("planner", {"planner": "oracle"}),
        "a language model that is not there": Start("planner", {"language_model": f"local:{nowhere}"}),
        "policies that are not there": Start("skill_server", {"policies": nowhere}),
        "calibrations that are no JSON": Start("success_detector", {"calibrations": str(broken)}),
        "a device that there is not": Start("skill_server", {"device": "quantum"}),
        "a real-time factor in words": Start("mujoco_bridge", {"real_time_factor": "fast"}),
        "proxy settings that no client understands": Start(
            "planner", {"language_model": "openai:m@http://127.0.0.1:9/v1"}, {"ALL_PROXY": "socks5://127.0.0.1:1"}
        ),
    }


def run_start(fault: Fault, start: Start) -> Ending:
    """Return how a node ended that was started so: an error only if it is one line and the exit code says unusable."""
    prepare()
    parameters = [part for name, value in start.parameters.items() for part in ("-p", f"{name}:={value}")]
    command = [sys.executable, "-m", f"fmrl_ros.nodes.{start.node}", "--ros-args", *parameters]
    began = time.monotonic()
    try:
        done = subprocess.run(
            command,
            env={**os.environ, **start.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Ending(time.monotonic() - began, True, False, f"{start.node} started")
    reason = _error(done.stdout)
    if done.returncode != UNUSABLE:
        reason = f"exit code {done.returncode} without a cause"
    elif "Traceback" in done.stdout:
        reason = "a traceback"
    return Ending(time.monotonic() - began, False, None, reason)


def _error(output: str) -> str:
    """Return the last error in a node's log, without what the log puts in front of it."""
    lines = [line for line in output.splitlines() if "[ERROR]" in line or "[FATAL]" in line]
    return lines[-1].rpartition("]: ")[2] if lines else ""


def _without_a_joint() -> str:
    from fmrl_ros.assets import share

    tree = yaml.safe_load((share("config") / "franka_sim.yaml").read_text(encoding="utf-8"))
    for of_each_joint in tree["arm"].values():
        of_each_joint.pop()
    return yaml.safe_dump(tree)
