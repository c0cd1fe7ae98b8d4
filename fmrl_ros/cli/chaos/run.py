"""Runs trials of faults: those of starts by themselves, those of servers and all others in a graph each."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from rclpy.node import Node

from fmrl_ros.bench.chaos.fault import Ending, Trial
from fmrl_ros.bench.chaos.report import TrialResult
from fmrl_ros.bench.loop import LoopTask, tasks
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
    with tempfile.TemporaryDirectory(prefix="fmrl-chaos-") as name, RosSession("chaos") as session:
        folder = Path(name)
        yield from _run_starts([trial for trial in trials if trial.fault.kind == START], folder, progress)
        yield from _run_server_trials(
            [trial for trial in trials if trial.fault.kind == SERVER], session.node, folder, progress
        )
        yield from _run_graph_trials(
            [trial for trial in trials if trial.fault.kind not in (START, SERVER)], session.node, folder, progress
        )


def _run_starts(trials: Sequence[Trial], folder: Path, progress: Progress) -> Iterator[TrialResult]:
    known = starts(folder)
    for trial in trials:
        progress(f"{trial.fault.kind}: {trial.fault.name}")
        yield TrialResult(trial, run_start(trial.fault, known[trial.fault.name]))


def _run_server_trials(trials: Sequence[Trial], node: Node, folder: Path, progress: Progress) -> Iterator[TrialResult]:
    if not trials:
        return
    with ExitStack() as stack:
        server = stack.enter_context(ChatServer())
        graph = stack.enter_context(chaos_graph(node, folder / "server", server.model_name, progress))

        def act_for(trial: Trial, task: LoopTask) -> BringAbout:
            server.plan = _plan(task)
            server.decided = lambda: graph.decisions
            return lambda: server.break_down(trial.fault.name)

        yield from _run(trials, graph, node, folder, act_for, progress, lambda: server.break_down(HEALTHY))


def _run_graph_trials(trials: Sequence[Trial], node: Node, folder: Path, progress: Progress) -> Iterator[TrialResult]:
    if not trials:
        return
    known = actions()
    with chaos_graph(node, folder / "graph", "tuned", progress) as graph:

        def act_for(trial: Trial, task: LoopTask) -> BringAbout:
            act = known.get(trial.fault.name, lambda *_: None)
            return partial(act, graph, task, client)

        client = InstructionClient(node)
        yield from _run(trials, graph, node, folder, act_for, progress, lambda: None, client)


def _run(
    trials: Sequence[Trial],
    graph: ChaosGraph,
    node: Node,
    folder: Path,
    act_for: Callable[[Trial, LoopTask], BringAbout],
    progress: Progress,
    repair: Callable[[], None],
    client: InstructionClient | None = None,
) -> Iterator[TrialResult]:
    """Run trials in one graph; each must leave a robot that works again."""
    client = client or InstructionClient(node)
    world = load_world("tabletop")
    trouble = graph.restore(trials[0].seed)
    for i, trial in enumerate(trials):
        if trouble or not client.wait_for_planner(PLANNER_TIMEOUT):
            raise RuntimeError(f"the graph cannot be used any more; {trouble or 'the planner cannot be reached'}")
        (task,) = tasks(world, trial.seed, 1)
        progress(f"{i + 1} of {len(trials)}: {trial.fault.kind}: {trial.fault.name}")
        graph.watch_planner()
        for _ in client.news(0.0):  # of the trial before
            pass
        ending = _ending(graph, client, trial, task, act_for(trial, task), folder / f"trial-{trial.seed}")
        repair()
        following = trials[i + 1].seed if i + 1 < len(trials) else trial.seed
        trouble = graph.restore(following)
        yield TrialResult(trial, replace(ending, recovery=trouble))


def _ending(
    graph: ChaosGraph, client: InstructionClient, trial: Trial, task: LoopTask, act: BringAbout, folder: Path
) -> Ending:
    if trial.fault.kind == CLIENT:
        return run_client_trial(graph, trial, task, folder)
    return run_trial(graph, client, trial, task, act)


def _plan(task: LoopTask) -> tuple[str, ...]:
    """Return the phrases of the options that carry a task out."""
    world = load_world("tabletop")
    wanted = ("pick", (task.block,)), ("place_in" if task.relation == "in" else "place_at", (task.target,))
    phrases = {(skill.name, tuple(skill.arguments)): skill.phrase for skill in world.options}
    return (*(phrases[each] for each in wanted), DONE.phrase)
