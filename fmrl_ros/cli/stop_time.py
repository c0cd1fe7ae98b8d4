"""Stops a moving arm again and again, in each way that a person has, and notes when it stands, in the real graph."""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from fmrl_interfaces.action import ExecuteInstruction
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from fmrl_ros.bench.stop import Stop, stop_of
from fmrl_ros.bringup.graph import GraphOptions, nodes
from fmrl_ros.bringup.supervisor import Supervisor
from fmrl_ros.cli.ros_session import RosSession
from fmrl_ros.nodes.support.action_client import LiveActionClient
from fmrl_ros.robot.profile import RobotProfile, load_profile

AMPLITUDE, FREQUENCY = 0.35, 0.35
"""Of the first joint's motion, rad and Hz: at most 0.77 rad/s."""
COMMAND_PERIOD = 0.05
WATCH = 0.6
"""So long is watched whether the arm stays at rest, s."""


def measure_stops(ways: list[str], tries: int, seed: int, progress: Callable[[str], None]) -> dict[str, list[Stop]]:
    """Return the stops by way. Raises GraphError or RuntimeError if the graph does not start or answer."""
    draw = random.Random(seed)
    options = GraphOptions(seed=seed)
    with Supervisor(nodes("sim", options)) as supervisor, RosSession("bench") as session:
        supervisor.wait_ready(300)
        arm = _MovingArm(session.node, load_profile(options.robot))
        say = _sayings(session.node)
        found: dict[str, list[Stop]] = {}
        try:
            for way in ways:
                found[way] = []
                for i in range(tries):
                    progress(f"{way}, {i + 1} of {tries}")
                    found[way].append(arm.stop(say[way], 0.8 + draw.random() / FREQUENCY))
        finally:
            arm.close()
    return found


def _sayings(node: Node) -> dict[str, Callable[[], object]]:
    """Return for each way what says stop; each returns once it has been answered."""
    service: Any = node.create_client(Trigger, "stop")
    planner: Any = LiveActionClient(node, ExecuteInstruction, "execute_instruction")
    if not (service.wait_for_service(20.0) and planner.wait_for_server(20.0)):
        raise RuntimeError("the robot cannot be reached over DDS; is the network up?")

    def by_word() -> None:
        handle = _answer(planner.send_goal_async(ExecuteInstruction.Goal(instruction="stop")))
        _answer(handle.get_result_async())

    command = [sys.executable, "-m", "fmrl_ros.cli.entry", "stop"]
    return {
        "command": lambda: subprocess.run(command, env=os.environ, capture_output=True, check=False),
        "service": lambda: _answer(service.call_async(Trigger.Request())),
        "word": by_word,
    }


WAYS = ("command", "service", "word")


class _MovingArm:
    """An arm that a stream of commands swings to and fro."""

    def __init__(self, node: Node, profile: RobotProfile) -> None:
        self._profile, self._states = profile, list[tuple[float, list[float], float]]()
        self._commands = node.create_publisher(Float64MultiArray, profile.topics.arm_commands, 1)
        self._resume: Any = node.create_client(Trigger, "resume")
        node.create_subscription(JointState, profile.topics.joint_states, self._take, 10)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._swing, name="swing")
        self._thread.start()

    def close(self) -> None:
        """Send no more commands."""
        self._over.set()
        self._thread.join()

    def stop(self, say: Callable[[], object], after: float) -> Stop:
        """Let the arm move for some seconds, say stop, and return what came of it; then let it move again."""
        _answer(self._resume.call_async(Trigger.Request()))
        time.sleep(after)
        self._states.clear()
        said = time.monotonic()
        say()
        time.sleep(WATCH)
        states = list(self._states)
        return stop_of(said, [s[0] for s in states], [s[1] for s in states], [s[2] for s in states])

    def _take(self, message: JointState) -> None:
        joints = [message.name.index(name) for name in self._profile.joints]
        positions = [message.position[i] for i in joints]
        self._states.append((time.monotonic(), positions, max(abs(message.velocity[i]) for i in joints)))

    def _swing(self) -> None:
        home = [float(q) for q in self._profile.home]
        while not self._over.wait(COMMAND_PERIOD):
            turn = AMPLITUDE * math.sin(2 * math.pi * FREQUENCY * time.monotonic())
            self._commands.publish(Float64MultiArray(data=[home[0] + turn, *home[1:]]))


def _answer(future: Any) -> Any:
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    if not done.wait(20.0):
        raise RuntimeError("a node has not answered for 20 s")
    return future.result()
