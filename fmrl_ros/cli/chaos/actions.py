"""How each fault that is not one of messages is brought about while an instruction is carried out."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial

from fmrl_interfaces.srv import AskScene, SetFreeJointState, SetPause
from geometry_msgs.msg import Point, Pose, Quaternion
from lifecycle_msgs.msg import Transition
from std_srvs.srv import Trigger

from fmrl_ros.bench.chaos.catalogue import MESSAGES, NODES
from fmrl_ros.bench.chaos.deliveries import Delivery
from fmrl_ros.cli.chaos.graph import ChaosGraph
from fmrl_ros.cli.instruction_client import InstructionClient

Act = Callable[[ChaosGraph, Delivery, InstructionClient], object]

HICCUP = 1.0
"""What is held for a moment is held for so long, s."""
FAR_AWAY = (1.5, 1.5, 0.02)
"""A place beside the table, m, base frame."""
ELSEWHERE = ((0.42, 0.18, 0.03), (0.60, -0.28, 0.03))
"""Free places of the table, m, base frame: one of them is taken."""


def actions() -> Mapping[str, Act]:
    """Return what brings a fault about, by the fault's name."""
    found: dict[str, Act] = {fault.name: partial(_spoil, fault.name) for fault in MESSAGES}
    for node in NODES:
        found[f"{node} killed"] = partial(_kill, node)
        found[f"{node} held by SIGSTOP"] = partial(_hold, node)
        found[f"{node} held for a second"] = partial(_hiccup, node)
    return found | {
        "the table is reset": lambda graph, task, _: graph.lay_out(task.seed + 1),
        "the block falls off the table": lambda graph, task, _: _move(graph, task.block, FAR_AWAY),
        "the block is moved elsewhere": lambda graph, task, _: _move(graph, task.block, ELSEWHERE[0]),
        "the target is moved": lambda graph, task, _: _move(graph, task.target, ELSEWHERE[1]),
        "the simulation is paused for a second": _pause_for_a_moment,
        "the simulation is paused": lambda graph, _, __: graph.ask(SetPause, "set_pause", paused=True),
        "'stop' is said": lambda graph, _, __: graph.say("stop"),
        "'halt!' is said": lambda graph, _, __: graph.say("halt!"),
        "fmrl stop": lambda _, __, ___: _run("stop"),
        "the service stop": lambda graph, _, __: graph.ask(Trigger, "stop"),
        "the instruction is cancelled": lambda _, __, client: client.cancel(),
        "the planner is deactivated": lambda graph, _, __: _deactivate(graph, "planner"),
        "the skill server is deactivated": lambda graph, _, __: _deactivate(graph, "skill_server"),
        "a second instruction is said": lambda graph, _, __: graph.say("pick up the yellow block"),
        "a question is asked": lambda graph, _, __: graph.ask(AskScene, "ask_scene", question="what is on the table?"),
    }


def _spoil(fault: str, graph: ChaosGraph, _: Delivery, __: InstructionClient) -> None:
    graph.spoil(fault)


def _kill(node: str, graph: ChaosGraph, _: Delivery, __: InstructionClient) -> None:
    graph.kill(node)


def _hold(node: str, graph: ChaosGraph, _: Delivery, __: InstructionClient) -> None:
    graph.signal(node, signal.SIGSTOP)


def _hiccup(node: str, graph: ChaosGraph, _: Delivery, __: InstructionClient) -> None:
    graph.signal(node, signal.SIGSTOP)
    time.sleep(HICCUP)
    graph.signal(node, signal.SIGCONT)


def _pause_for_a_moment(graph: ChaosGraph, _: Delivery, __: InstructionClient) -> None:
    graph.ask(SetPause, "set_pause", paused=True)
    time.sleep(HICCUP)
    graph.ask(SetPause, "set_pause", paused=False)


def _move(graph: ChaosGraph, name: str, place: tuple[float, float, float]) -> None:
    x, y, z = place
    pose = Pose(position=Point(x=x, y=y, z=z), orientation=Quaternion(w=1.0))
    graph.ask(SetFreeJointState, "set_free_joint_state", name=name, pose=pose)


def _deactivate(graph: ChaosGraph, node: str) -> None:
    graph.change_state(node, Transition.TRANSITION_DEACTIVATE)


def _run(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "fmrl_ros.cli.entry", *arguments], capture_output=True, check=False)
