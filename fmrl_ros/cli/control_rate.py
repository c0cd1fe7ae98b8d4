"""How evenly the skill server commands the arm while a camera streams: the real nodes over DDS, one process each."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

import numpy as np
from action_msgs.msg import GoalStatus
from fmrl_interfaces.action import ExecuteSkill
from fmrl_interfaces.srv import ResetWorld
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray

from fmrl_ros.bench.latency import Timing
from fmrl_ros.bringup.graph import GraphOptions, NodeSpec, nodes
from fmrl_ros.bringup.supervisor import Supervisor
from fmrl_ros.cli.ros_session import RosSession
from fmrl_ros.nodes.support.action_client import LiveActionClient
from fmrl_ros.nodes.support.conversions import skill_message
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.skills.control import CONTROL_PERIOD
from fmrl_ros.worlds.world import Skill, load_world

NEEDED = ("mujoco_bridge", "scene_describer", "skill_server")
PAUSE = 0.5
"""A longer gap between two commands, s, lies between two skills."""


def measure_control(world: str, seed: int, seconds: float) -> Timing:
    """Run skills for `seconds` and return how far the time between two commands is off the control period.

    Measured where a driver would receive them. Raises GraphError if a node does not start.
    """
    options = GraphOptions(world=world, seed=seed)
    specs = [_without_planner(spec) for spec in nodes("sim", options) if spec.executable in NEEDED]
    arrivals: list[float] = []
    with Supervisor(specs) as supervisor, RosSession("bench") as session:
        supervisor.wait_ready(120)
        topic = load_profile(options.robot).topics.arm_commands
        session.node.create_subscription(
            Float64MultiArray, topic, lambda message: arrivals.append(time.monotonic()), 10
        )
        _keep_busy(session.node, _skills(world), seconds)
    gaps = np.diff(arrivals)
    off = np.abs(gaps[gaps < PAUSE] - CONTROL_PERIOD)
    if not len(off):
        raise RuntimeError("no skill commanded the arm; see the nodes' logs")
    what = f"deviation of skill_server from {1 / CONTROL_PERIOD:.0f} Hz"
    return Timing(what, float(np.median(off)), float(np.quantile(off, 0.99)), len(off))


def _without_planner(spec: NodeSpec) -> NodeSpec:
    parameters = dict(spec.parameters)
    if "needs" in parameters:
        parameters["needs"] = [name for name in parameters["needs"] if name in NEEDED]
    return replace(spec, parameters=parameters)


def _skills(world: str) -> list[Skill]:
    options = load_world(world).options
    return [skill for skill in options if skill.name in ("pick", "press_button")]


def _keep_busy(node: Node, skills: list[Skill], seconds: float) -> None:
    """Run one skill after another; the world is put in order before each."""
    client: Any = LiveActionClient(node, ExecuteSkill, "execute_skill")
    reset: Any = node.create_client(ResetWorld, "reset_world")
    if not (client.wait_for_server(20.0) and reset.wait_for_service(20.0)):
        raise RuntimeError("the skill server cannot be reached over DDS; is the network up?")
    deadline, index = time.monotonic() + seconds, 0
    while time.monotonic() < deadline:
        _result(reset.call_async(ResetWorld.Request()))
        time.sleep(1.0)  # the scene is seen anew
        handle = _result(client.send_goal_async(ExecuteSkill.Goal(skill=skill_message(skills[index % len(skills)]))))
        if _result(handle.get_result_async()).status == GoalStatus.STATUS_UNKNOWN:
            raise RuntimeError("a skill ended without a result")
        index += 1


def _result(future: Any) -> Any:
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    if not done.wait(60.0):
        raise RuntimeError("a node has not answered for 60 s")
    return future.result()
