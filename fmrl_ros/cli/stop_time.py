"""Stops a moving arm again and again, in each way that a person has, and notes when it stands, in the real graph."""

from __future__ import annotations

import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from fmrl_interfaces.action import ExecuteInstruction
from fmrl_interfaces.srv import ResetWorld
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from fmrl_ros.bench.stop import Stop, stop_of
from fmrl_ros.bringup.graph import GraphOptions, nodes
from fmrl_ros.bringup.supervisor import Supervisor
from fmrl_ros.cli.ros_session import RosSession
from fmrl_ros.nodes.support.action_client import LiveActionClient
from fmrl_ros.nodes.support.conversions import seconds
from fmrl_ros.robot.profile import RobotProfile, load_profile

AMPLITUDE, FREQUENCY = 0.35, 0.35
"""Of the first joint's motion, rad and Hz: at most 0.77 rad/s."""
COMMAND_PERIOD = 0.05
WATCH = 2.0
"""So long is watched until the arm stands, and whether it stays at rest, s."""
INSTRUCTION = "pick up the red block"
SPEED_STATES = 6
"""A speed is the mean between so many joint states, which come 100 times a second."""
MOVING_SPEED = 0.2
"""An arm moves if a joint is faster than this, rad/s."""
LONGEST_START, LONGEST_END = 60.0, 30.0
"""From ``fmrl tell`` until the arm moves, and from Ctrl-C until the command has ended, s."""
ATTEMPTS = 3


def measure_stops(ways: list[str], tries: int, seed: int, progress: Callable[[str], None]) -> dict[str, list[Stop]]:
    """Return the stops by way. Raises GraphError or RuntimeError if the graph does not start or answer."""
    draw = random.Random(seed)
    options = GraphOptions(seed=seed)
    with Supervisor(nodes("sim", options)) as supervisor, RosSession("bench") as session:
        supervisor.wait_ready(300)
        arm = _Arm(session.node, load_profile(options.robot))
        say = _sayings(session.node)
        found: dict[str, list[Stop]] = {}
        for way in ways:
            found[way] = []
            for i in range(tries):
                progress(f"{way}, {i + 1} of {tries}")
                with _interruptible_instruction(arm) if way == CTRL_C else _swinging(arm, say[way]) as stop:
                    arm.let_move()
                    found[way].append(stop(draw.random()))
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


CTRL_C = "Ctrl-C"
WAYS = ("command", "service", "word", CTRL_C)

MakeStop = Callable[[float], Stop]
"""Lets the arm move until a moment drawn in [0, 1), says stop, and returns what came of it."""


class _Arm:
    """An arm's joint states, and its commands."""

    def __init__(self, node: Node, profile: RobotProfile) -> None:
        self.home = [float(q) for q in profile.home]
        self._profile, self._states = profile, list[tuple[float, list[float], float]]()
        self._recent: deque[tuple[float, list[float]]] = deque(maxlen=SPEED_STATES)
        self._commands = node.create_publisher(Float64MultiArray, profile.topics.arm_commands, 1)
        self._resume: Any = node.create_client(Trigger, "resume")
        self._reset: Any = node.create_client(ResetWorld, "reset_world")
        node.create_subscription(JointState, profile.topics.joint_states, self._take, 10)

    def command(self, q: list[float]) -> None:
        """Command joint positions, rad."""
        self._commands.publish(Float64MultiArray(data=q))

    def let_move(self) -> None:
        """End a stop."""
        _answer(self._resume.call_async(Trigger.Request()))

    def put_in_order(self) -> None:
        """Put arm and objects where they were at the start."""
        _answer(self._reset.call_async(ResetWorld.Request()))

    def moves(self, seconds: float, process: subprocess.Popen[str]) -> bool:
        """Wait until it moves; return False if it does not in time, or before what is to move it has ended."""
        deadline = time.monotonic() + seconds
        while not self._states or self._states[-1][2] < MOVING_SPEED:
            if time.monotonic() > deadline or process.poll() is not None:
                return False
            time.sleep(0.005)
        return True

    def stop(self, say: Callable[[], object]) -> Stop:
        """Say stop, and return what came of it."""
        self._states.clear()
        said = time.monotonic()
        say()
        time.sleep(WATCH)
        states = list(self._states)
        return stop_of(said, [s[0] for s in states], [s[1] for s in states], [s[2] for s in states])

    def _take(self, message: JointState) -> None:
        joints = [message.name.index(name) for name in self._profile.joints]
        stamp, positions = seconds(message.header.stamp), [message.position[i] for i in joints]
        self._states.append((time.monotonic(), positions, self._speed(stamp, positions)))

    def _speed(self, stamp: float, positions: list[float]) -> float:
        """Return the speed of the fastest joint over the last states, rad/s.

        By positions: where a hand grips, contacts make the measured speeds tremble while the arm stays where it is. And
        by stamps: messages that were held up come close together.
        """
        self._recent.append((stamp, positions))
        before, then = self._recent[0]
        way = max(abs(a - b) for a, b in zip(positions, then, strict=True))
        return way / (stamp - before) if stamp > before else 0.0


@contextmanager
def _swinging(arm: _Arm, say: Callable[[], object]) -> Iterator[MakeStop]:
    """Let a stream of commands swing the arm to and fro, whatever is said."""
    over = threading.Event()

    def swing() -> None:
        while not over.wait(COMMAND_PERIOD):
            turn = AMPLITUDE * math.sin(2 * math.pi * FREQUENCY * time.monotonic())
            arm.command([arm.home[0] + turn, *arm.home[1:]])

    def stop(moment: float) -> Stop:
        time.sleep(0.8 + moment / FREQUENCY)
        return arm.stop(say)

    thread = threading.Thread(target=swing, name="swing")
    thread.start()
    try:
        yield stop
    finally:
        over.set()
        thread.join()


@contextmanager
def _interruptible_instruction(arm: _Arm) -> Iterator[MakeStop]:
    """Let the robot carry out what ``fmrl tell`` says, which is interrupted as by Ctrl-C while the arm moves.

    An instruction that ends before it moves the arm, as on a machine that was too slow for the cameras, is said again.
    Raises RuntimeError with what the command printed if that comes to nothing, too.
    """
    with tempfile.TemporaryDirectory(prefix="fmrl-bench-") as folder, ExitStack() as told:

        def stop(moment: float) -> Stop:
            for _ in range(ATTEMPTS):
                arm.put_in_order()
                process = told.enter_context(_told(folder))
                if _moves_at(moment, arm, process):
                    return arm.stop(partial(process.send_signal, signal.SIGINT))
                process.kill()
            printed = process.stdout.read().strip() if process.stdout else ""
            raise RuntimeError(f"'{INSTRUCTION}' did not move the arm {ATTEMPTS} times; the last time: {printed}")

        yield stop


def _moves_at(moment: float, arm: _Arm, process: subprocess.Popen[str]) -> bool:
    """Wait until an instruction has moved the arm for a moment, s, and it moves still or again; False if it ends."""
    begun = arm.moves(LONGEST_START, process)
    time.sleep(moment if begun else 0.0)
    return begun and arm.moves(LONGEST_START, process)


@contextmanager
def _told(folder: str) -> Iterator[subprocess.Popen[str]]:
    """Run ``fmrl tell`` until it ends; one that does not is killed."""
    tell = [sys.executable, "-m", "fmrl_ros.cli.entry", "tell", INSTRUCTION, "--out", folder]
    with subprocess.Popen(
        tell, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield process
            process.wait(LONGEST_END)
        finally:
            process.kill()


def _answer(future: Any) -> Any:
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    if not done.wait(20.0):
        raise RuntimeError("a node has not answered for 20 s")
    return future.result()
