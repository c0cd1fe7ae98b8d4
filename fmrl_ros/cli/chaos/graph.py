"""The simulated robot's graph with a relay in it that can spoil every message, and hands on all parts of it."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from fmrl_interfaces.action import ExecuteInstruction
from fmrl_interfaces.msg import PlannerStep
from fmrl_interfaces.srv import ResetWorld, ScoreAffordances, SetPause
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from fmrl_ros.bench.chaos.arm_watch import ArmWatch
from fmrl_ros.bringup.graph import GraphOptions, NodeSpec, nodes
from fmrl_ros.bringup.supervisor import Supervisor
from fmrl_ros.cli.instruction_client import wait_until
from fmrl_ros.cli.service_call import NoAnswerError, call
from fmrl_ros.nodes.fault_relay import NONE, RAW, relayed_topics, remaps
from fmrl_ros.nodes.planner import WAITING
from fmrl_ros.nodes.support.action_client import LiveActionClient
from fmrl_ros.nodes.support.conversions import seconds, skill_message
from fmrl_ros.robot.profile import RobotProfile, load_profile
from fmrl_ros.worlds.world import load_world

START_TIMEOUT = 300.0
SERVICE_TIMEOUT = 10.0
PLANNER_TIMEOUT = 150.0
"""A language model's server that does not answer keeps the planner at an instruction for so long at most, s."""
STATE_DELAY = 0.3
"""A joint state is here after so long at most, s."""
RECOVERY_TIMEOUT = 45.0
"""Once a fault is gone, the robot must be able to work again within so long, s."""


class ChaosGraph:
    """All nodes of a simulated robot, its true joint states, and what can be done to it.

    Attributes:
      arm: Collects the driver's joint states, before any fault.
      supervisor: Of the processes.
      decisions: How many the planner has taken since `watch_planner`.
    """

    def __init__(self, node: Node, supervisor: Supervisor, profile: RobotProfile, truth_path: Path) -> None:
        self.arm = ArmWatch(profile)
        self.node, self.supervisor = node, supervisor
        self._second_person: Any = LiveActionClient(node, ExecuteInstruction, "execute_instruction")
        self.truth_path = truth_path
        self._profile = profile
        self.decisions = 0
        self._inactive: set[str] = set()
        self._logged = 0
        self._planner_message = ""
        self._probe = skill_message(load_world("tabletop").options[0])
        node.create_subscription(JointState, f"{RAW}/{profile.topics.joint_states}", self._take_joints, 10)
        node.create_subscription(PlannerStep, "planner_step", self._take_decision, 10)
        node.create_subscription(DiagnosticArray, "diagnostics", self._take_diagnostics, 10)

    def spoil(self, fault: str) -> None:
        """Let the relay bring a fault about; `NONE` ends it."""
        value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=fault)
        answer = self.ask(
            SetParameters, "fault_relay/set_parameters", parameters=[Parameter(name="fault", value=value)]
        )
        if not answer.results[0].successful:
            raise RuntimeError(answer.results[0].reason)

    def signal(self, name: str, number: int) -> None:
        """Send a signal to a node's process."""
        os.kill(self.supervisor.pids[name], number)

    def kill(self, name: str) -> None:
        """Kill a node."""
        self.supervisor.kill(name)

    def change_state(self, name: str, transition: int) -> None:
        """Take a node through a transition of its life cycle; `restore` activates it again."""
        self.ask(ChangeState, f"{name}/change_state", transition=Transition(id=transition))
        self._inactive.add(name)

    def write_truth(self) -> None:
        """Let the simulator write what is true now to `truth_path`. Raises NoAnswerError if it does not answer."""
        self.ask(Trigger, "write_truth")

    def lay_out(self, seed: int) -> None:
        """Put objects and arm where a seed says."""
        with self.arm.unwatched():
            self.ask(ResetWorld, "reset_world", randomize=True, seed=seed)
            time.sleep(STATE_DELAY)

    def say(self, sentence: str) -> None:
        """Say something to the planner as a second person, who does not wait for what comes of it."""
        self._second_person.send_goal_async(ExecuteInstruction.Goal(instruction=sentence))

    def ask(self, kind: Any, service: str, /, patience: float = SERVICE_TIMEOUT, **fields: Any) -> Any:
        """Call a service of the graph, again until it answers. Raises NoAnswerError after `patience` seconds."""
        return call(self.node, kind, service, kind.Request(**fields), patience)

    def restore(self, seed: int) -> str:
        """Take every fault away, put the table in order, and return why the robot cannot work; empty if it can."""
        try:
            self._revive()
            self.spoil(NONE)
            self.ask(SetPause, "set_pause", paused=False)
            for name in sorted(self._inactive):
                self.change_state(name, Transition.TRANSITION_ACTIVATE)
            self._inactive.clear()
            self.ask(Trigger, "resume")
            self.lay_out(seed)
        except (NoAnswerError, RuntimeError) as error:
            return f"once the fault was gone: {error}"
        if not self.wait_for_idle_planner(PLANNER_TIMEOUT):
            return f"once the fault was gone for {PLANNER_TIMEOUT:.0f} s: the planner still works on the instruction"
        return self._wait_until_able()

    def watch_planner(self) -> None:
        """Count decisions, and read what the planner logs, from now on."""
        self.decisions, self._planner_message = 0, ""
        self._logged = self._planner_log.stat().st_size

    def wait_for_idle_planner(self, timeout: float) -> bool:
        """Wait until the planner says in its diagnostics that it waits for an instruction; False if it does not."""
        self._planner_message = ""
        return self.wait(lambda: self._planner_message == WAITING, timeout)

    @property
    def planner_said(self) -> str:
        """What the planner has logged since `watch_planner`."""
        return self._planner_log.read_bytes()[self._logged :].decode(errors="replace")

    @staticmethod
    def wait(condition: Callable[[], bool], timeout: float) -> bool:
        """Wait until a condition holds; False if it does not within `timeout` seconds."""
        return wait_until(condition, timeout, 0.02)

    @property
    def _planner_log(self) -> Path:
        return self.supervisor.log("planner")

    def _take_decision(self, _: PlannerStep) -> None:
        self.decisions += 1

    def _take_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name == "/planner":
                self._planner_message = status.message

    def _revive(self) -> None:
        """Let held processes go on, and start those that have ended."""
        for pid in self.supervisor.pids.values():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        living = self.supervisor.pids
        ended = [spec.path for spec in self.supervisor.specs if spec.path not in living]
        for name in ended:
            self.supervisor.restart(name)
        if ended:
            self.supervisor.wait_ready(START_TIMEOUT)

    def _wait_until_able(self) -> str:
        """Wait until an affordance can be told, for which scenes and joint states must be fresh."""
        deadline, why = time.monotonic() + RECOVERY_TIMEOUT, ""
        while time.monotonic() < deadline:
            left = deadline - time.monotonic()
            try:
                answer = self.ask(ScoreAffordances, "score_affordances", patience=left, skills=[self._probe])
            except NoAnswerError as error:
                return f"once the fault was gone: {error}"
            if answer.success:
                return ""
            why = answer.message
            time.sleep(0.2)
        return f"once the fault was gone for {RECOVERY_TIMEOUT:.0f} s: {why}"

    def _take_joints(self, message: JointState) -> None:
        order = [message.name.index(name) for name in self._profile.joints]
        self.arm.take(
            seconds(message.header.stamp), np.array(message.position)[order], np.array(message.velocity)[order]
        )


@contextlib.contextmanager
def chaos_graph(node: Node, folder: Path, language_model: str, progress: Callable[[str], None]) -> Iterator[ChaosGraph]:
    """Start the graph and end it. Raises GraphError if it does not start."""
    truth = folder / "truth.json"
    options = GraphOptions(language_model=language_model, truth_path=str(truth))
    profile = load_profile(options.robot)
    progress("starting the robot")
    with Supervisor(_specs(options, profile), folder / "logs") as supervisor:
        supervisor.wait_ready(START_TIMEOUT)
        yield ChaosGraph(node, supervisor, profile, truth)


def _specs(options: GraphOptions, profile: RobotProfile) -> list[NodeSpec]:
    """Return the nodes of the simulated robot with the relay behind its driver and its describer."""
    topics = relayed_topics(profile, tuple(options.cameras.split(",")))
    relayed = ("mujoco_bridge", "scene_describer")
    specs = [
        replace(spec, remaps=remaps(topics, spec.name)) if spec.name in relayed else spec
        for spec in nodes("sim", options)
    ]
    relay = NodeSpec("fault_relay", "fault_relay", "", {"robot": options.robot, "cameras": options.cameras})
    return [*specs[:1], relay, *specs[1:]]
