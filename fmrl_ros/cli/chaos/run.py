"""Runs trials of faults: those of starts by themselves, those of servers and all others in a graph each."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from fmrl_ros.bench.chaos.deliveries import Delivery, deliveries
from fmrl_ros.bench.chaos.fault import Ending, Trial
from fmrl_ros.bench.chaos.report import TrialResult
from fmrl_ros.cli.chaos.actions import actions
from fmrl_ros.cli.chaos.chat_server import HEALTHY, ChatServer
from fmrl_ros.cli.chaos.clients import run_client_trial
from fmrl_ros.cli.chaos.graph import ChaosGraph, chaos_graph
from fmrl_ros.cli.chaos.starts import run_start, starts
from fmrl_ros.cli.chaos.trial import BringAbout, run_trial
from fmrl_ros.cli.instruction_client import InstructionClient
from fmrl_ros.cli.ros_session import RosSession
from fmrl_ros.worlds.world import DONE, load_world

PLANNER_TIMEOUT = 30.0
START, SERVER, CLIENT = "start", "server", "client"

Progress = Callable[[str], None]


def run_trials(trials: Sequence[Trial], progress: Progress) -> Iterator[TrialResult]:
    """Run trials, those of one kind of set-up together, and yield each with its ending.

    Raises GraphError if a graph does not start, and RuntimeError if it cannot be used any more.
    """
    with tempfile.TemporaryDirectory(prefix="fmrl-chaos-") as name:
        folder = Path(name)
        yield from _run_starts([trial for trial in trials if trial.fault.kind == START], folder, progress)
        yield from _run_server_trials([trial for trial in trials if trial.fault.kind == SERVER], folder, progress)
        others = [trial for trial in trials if trial.fault.kind not in (START, SERVER)]
        yield from _run_graph_trials(others, folder, progress)


def _run_starts(trials: Sequence[Trial], folder: Path, progress: Progress) -> Iterator[TrialResult]:
    known = starts(folder)
    for trial in trials:
        progress(f"{trial.fault.kind}: {trial.fault.name}")
        yield TrialResult(trial, run_start(trial.fault, known[trial.fault.name]))


def _run_server_trials(trials: Sequence[Trial], folder: Path, progress: Progress) -> Iterator[TrialResult]:
    with ChatServer() as server:

        def prepare(graph: ChaosGraph, client: InstructionClient, trial: Trial, task: Delivery) -> BringAbout:
            server.plan = _plan(task)
            server.decided = lambda: graph.decisions
            return lambda: server.break_down(trial.fault.name)

        runner = _Runner(folder, server.model_name, prepare, lambda: server.break_down(HEALTHY), progress)
        yield from runner.run(trials)


def _run_graph_trials(trials: Sequence[Trial], folder: Path, progress: Progress) -> Iterator[TrialResult]:
    known = actions()

    def prepare(graph: ChaosGraph, client: InstructionClient, trial: Trial, task: Delivery) -> BringAbout:
        return partial(known.get(trial.fault.name, lambda *_: None), graph, task, client)

    yield from _Runner(folder, "tuned", prepare, lambda: None, progress).run(trials)


Prepare = Callable[[ChaosGraph, InstructionClient, Trial, Delivery], BringAbout]


@dataclass
class _Runner:
    """Runs trials in a graph, and in a new one after each that leaves a robot which does not work again.

    Attributes:
      folder: For logs and what commands write.
      language_model: Of the planner.
      prepare: Returns what brings a trial's fault about.
      repair: Takes the fault away, where the graph itself cannot.
      progress: Told what is done.
    """

    folder: Path
    language_model: str
    prepare: Prepare
    repair: Callable[[], None]
    progress: Progress

    def run(self, trials: Sequence[Trial]) -> Iterator[TrialResult]:
        """Yield each trial with its ending. Raises GraphError if a graph does not start, RuntimeError if it is mute."""
        left, graphs = list(trials), 0
        while left:
            graphs += 1
            folder = self.folder / f"{self.language_model.partition(':')[0]}-{graphs}"
            with RosSession("chaos") as session:
                client = InstructionClient(session.node)
                with chaos_graph(session.node, folder, self.language_model, self.progress) as graph:
                    yield from self._run_in(graph, client, left)

    def _run_in(self, graph: ChaosGraph, client: InstructionClient, left: list[Trial]) -> Iterator[TrialResult]:
        """Run trials, and take each out of the list, until all are run or the robot does not work any more."""
        trouble = graph.restore(left[0].seed)
        if trouble or not client.wait_for_planner(PLANNER_TIMEOUT):
            raise RuntimeError(f"the robot does not work: {trouble or 'the planner cannot be reached'}")
        while left and not trouble:
            trial = left.pop(0)
            self.progress(f"{trial.fault.kind}: {trial.fault.name}, {len(left)} to go")
            ending = self._ending(graph, client, trial)
            self.repair()
            trouble = graph.restore(left[0].seed if left else trial.seed)
            if not trouble and not client.wait_for_planner(PLANNER_TIMEOUT):
                trouble = "once the fault was gone: the planner cannot be reached"
            yield TrialResult(trial, replace(ending, recovery=trouble))
            if math.isnan(ending.seconds):  # somebody still waits for it
                return

    def _ending(self, graph: ChaosGraph, client: InstructionClient, trial: Trial) -> Ending:
        (task,) = deliveries(load_world("tabletop"), trial.seed, 1)
        graph.watch_planner()
        for _ in client.news(0.0):  # of the trial before
            pass
        act = self.prepare(graph, client, trial, task)
        if trial.fault.kind == CLIENT:
            return run_client_trial(graph, trial, task, self.folder / f"trial-{trial.seed}")
        return run_trial(graph, client, trial, task, act)


def _plan(task: Delivery) -> tuple[str, ...]:
    """Return the phrases of the options that carry a task out."""
    return (*(skill.phrase for skill in task.skills), DONE.phrase)
