"""Carries out one instruction in the graph, brings a fault about meanwhile, and notes how it ends."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from rich.console import Console

from fmrl_ros.bench.chaos.catalogue import said
from fmrl_ros.bench.chaos.deliveries import Delivery
from fmrl_ros.bench.chaos.fault import Ending, Fault, Trial
from fmrl_ros.bench.graph import holds
from fmrl_ros.cli.chaos.graph import ChaosGraph
from fmrl_ros.cli.execution import carry_out
from fmrl_ros.cli.instruction_client import PLANNER_ENDED, InstructionClient, NoPlannerError
from fmrl_ros.cli.live_view import LiveView
from fmrl_ros.cli.service_call import NoAnswerError
from fmrl_ros.recording.run import Run
from fmrl_ros.refusal import Refusal
from fmrl_ros.worlds.world import load_world

OVERTIME = 20.0
"""An instruction is watched for so long beyond its limit, s, before it counts as one that does not end."""
BRAKING = 1.0
"""From the end of an instruction until the arm has to stand, s."""
STANDING_TIME = 1.0
"""So long is watched whether it stands, s."""
FIRST_DECISION = 60.0
"""The planner takes at most so long to its first decision, s."""

BringAbout = Callable[[], object]


class _Carrying:
    """An instruction that is carried out as ``fmrl tell`` does it, by a thread of its own."""

    def __init__(self, client: InstructionClient, instruction: str) -> None:
        self.run = Run(instruction)
        self.over = threading.Event()
        self.ended = math.nan
        self._client = client
        self._thread = threading.Thread(target=self._carry_out, name="instruction")
        self._thread.start()

    def wait_until_decided(self) -> None:
        """Wait for the first decision, or the end."""
        deadline = time.monotonic() + FIRST_DECISION
        while not self.run.steps and not self.over.wait(0.02) and time.monotonic() < deadline:
            continue

    def give_up(self) -> None:
        """End an instruction that does not end."""
        self._client.cancel()

    def _carry_out(self) -> None:
        with open(os.devnull, "w", encoding="utf-8") as nowhere, LiveView(Console(file=nowhere)) as view:
            try:
                carry_out(self.run, self._client, view, self._dead_part)
            except NoPlannerError as error:
                self.run.success, self.run.reason = False, str(error)
            self.ended = time.monotonic()
            self.over.set()

    def _dead_part(self) -> Refusal | None:
        return PLANNER_ENDED if self._client.planner_gone() else None


def run_trial(graph: ChaosGraph, client: InstructionClient, trial: Trial, task: Delivery, act: BringAbout) -> Ending:
    """Return how an instruction ended under a fault; `Ending.recovery` is left open.

    Args:
      graph: With the table in order, see `ChaosGraph.restore`.
      client: Says the instruction.
      trial: The fault, and when.
      task: The instruction; one of the kind ``words`` takes the place of its sentence.
      act: Brings the fault about.
    """
    fault = trial.fault
    graph.arm.forget()
    if fault.from_start:
        act()
    begun = time.monotonic()
    carrying = _Carrying(client, _sentence(fault, task))
    if not fault.from_start:
        carrying.wait_until_decided()
        carrying.over.wait(trial.delay)
        if carrying.over.is_set():
            return _too_late(graph, client, trial, task, act)
        begun = time.monotonic()
        act()
    if not carrying.over.wait(fault.limit + OVERTIME):
        carrying.give_up()
        carrying.over.wait(OVERTIME)
        return Ending(math.nan, False, None, carrying.run.reason, graph.arm.travel(), 0.0, graph.arm.excess)
    return _ending(graph, task, carrying, carrying.ended - begun)


def _sentence(fault: Fault, task: Delivery) -> str:
    return said(fault.name) if fault.kind == "words" else task.instruction


def _too_late(graph: ChaosGraph, client: InstructionClient, trial: Trial, task: Delivery, act: BringAbout) -> Ending:
    """Try again with the fault sooner: the instruction was over before."""
    if trial.delay < 0.05:
        return Ending(math.nan, False, None, "the instruction was over before the fault")
    trouble = graph.restore(task.seed)
    if trouble:
        return Ending(math.nan, False, None, trouble)
    return run_trial(graph, client, replace(trial, delay=trial.delay / 3), task, act)


def _ending(graph: ChaosGraph, task: Delivery, carrying: _Carrying, seconds: float) -> Ending:
    run = carrying.run
    monologue = tuple(f"{timed.stamp:.2f} {timed.line.speaker}: {timed.line.text}" for timed in run.lines)
    claimed = bool(run.success)
    true = is_true(graph, task) if claimed else None
    went_on = 0.0
    if not claimed:
        time.sleep(BRAKING)
        since = graph.arm.count
        time.sleep(STANDING_TIME)
        went_on = graph.arm.travel(since)
    arm = graph.arm
    return Ending(seconds, claimed, true, run.reason, arm.travel(), went_on, arm.excess, monologue=monologue)


def is_true(graph: ChaosGraph, task: Delivery) -> bool | None:
    """Return whether what was asked for is so by the simulator; None if it does not answer."""
    try:
        graph.write_truth()
    except NoAnswerError:
        return None
    return holds(load_world("tabletop"), task, graph.truth_path)
