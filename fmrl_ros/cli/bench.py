"""``fmrl bench``: the numbers that the documentation quotes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from fmrl_ros.cli import checks
from fmrl_ros.cli.exits import fail, refuse
from fmrl_ros.cli.reporting import Check, JsonPath, check_reporting, conclude
from fmrl_ros.cli.screen import screen
from fmrl_ros.plugins import UnknownNameError

if TYPE_CHECKING:
    from fmrl_ros.bench.latency import Timing
    from fmrl_ros.bench.loop import LoopBenchmark, LoopEpisode
    from fmrl_ros.bench.plan.benchmark import PlanBenchmark, Result
    from fmrl_ros.bench.plan.conditions import Condition

PLOTS = (".png", ".pdf", ".svg")

World = Annotated[str, typer.Option(help="Name of the world, or a YAML file.")]

app = typer.Typer(no_args_is_help=True, help="Measure whole parts of the system.")


@app.callback()
def bench() -> None:
    """Measure whole parts of the system."""


@app.command()
def plan(
    world: World = "tabletop",
    tasks: Annotated[
        int | None, typer.Option(min=1, help="Instructions a condition; default: the benchmark's.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="A condition, as the table names it; may be repeated.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the instructions.")] = 1,
    llm: Annotated[str, typer.Option(help="Instead of the world's own model: local:MODEL[+ADAPTER], ...")] = "tuned",
    threads: Annotated[int, typer.Option(min=1, help="Threads of the processor.")] = 2,
    json_path: JsonPath = None,
    check: Check = False,
) -> None:
    """Planning alone, without physics: strategies and models on generated instructions."""
    console = screen(highlight=True)
    from fmrl_ros.bench.plan.benchmark import PlanBenchmark, check_world

    try:
        check_world(world)
    except ValueError as error:
        refuse(error)
    check_reporting(json_path, check)
    checks.check_language_model(llm, world)
    from fmrl_ros.bench.plan.report import as_table, by_family, report
    from fmrl_ros.cli.weights_progress import prefetch
    from fmrl_ros.language.language_model import LanguageModelError

    prefetch(llm, world, screen())
    chosen = _conditions(world, only or [], llm)
    benchmark = PlanBenchmark(world, tasks or PlanBenchmark.tasks, seed, threads, chosen)
    results: list[Result] = []
    try:
        _run_plan(benchmark, results, json_path, console)
    except LanguageModelError as error:
        fail(error)
    finally:
        if results:
            console.print(as_table(results))
            console.print(by_family(results))
    conclude(report(benchmark, results), json_path, check, console)


def _conditions(world: str, only: list[str], llm: str) -> tuple[Condition, ...]:
    """Return what is measured, with `llm` instead of the world's own model; or end with the valid names."""
    from fmrl_ros.bench.plan.conditions import conditions
    from fmrl_ros.worlds.world import load_world

    try:
        chosen = conditions(load_world(world).name, only)
    except UnknownNameError as error:
        refuse(error)
    with_model = (replace(each, model=llm) if each.model == "tuned" else each for each in chosen)
    return tuple(dict.fromkeys(with_model))  # one of them may be that model's already


def _run_plan(benchmark: PlanBenchmark, results: list[Result], json_path: Path | None, console: Console) -> None:
    """Run with a progress line; results are there, and written, after each condition, in case the model gives up."""
    from fmrl_ros.bench.plan.benchmark import run
    from fmrl_ros.bench.plan.report import report

    with console.status("") as status:
        for result in run(benchmark, lambda name, done, count: status.update(f"{name}: {done}/{count}")):
            results.append(result)
            if json_path is not None:
                report(benchmark, results).write(json_path)


@app.command()
def loop(
    world: World = "tabletop",
    episodes: Annotated[int, typer.Option(min=1, help="Instructions, each on a table of its own seed.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first one.")] = 50_000,
    planner: Annotated[str, typer.Option(help="inner_monologue, saycan, or another registered one.")] = (
        "inner_monologue"
    ),
    graph: Annotated[bool, typer.Option("--graph", help="Run `fmrl demo` for each: the ROS graph over DDS.")] = False,
    json_path: JsonPath = None,
    check: Check = False,
) -> None:
    """The whole loop with physics and cameras, judged by the simulator's truth; in one process, or as the ROS graph."""
    console = screen()
    checks.check_world(world)
    checks.check_planner(planner)
    check_reporting(json_path, check)
    checks.check_graphics()
    from fmrl_ros.cli.weights_progress import prefetch

    prefetch("tuned", world, console)
    from fmrl_ros.bench.loop import LoopBenchmark, as_table, line, report

    benchmark = LoopBenchmark(world, planner, seed, episodes, graph)
    result = report(benchmark, _run_loop(benchmark, lambda episode: console.print(line(episode), markup=False)))
    console.print(as_table(result))
    conclude(result, json_path, check, console)


def _run_loop(benchmark: LoopBenchmark, show: Callable[[LoopEpisode], None]) -> list[LoopEpisode]:
    from fmrl_ros.bench.loop import run_in_process, tasks
    from fmrl_ros.worlds.world import load_world

    todo = tasks(load_world(benchmark.world), benchmark.seed, benchmark.episodes)
    if not benchmark.graph:
        return run_in_process(benchmark.world, benchmark.planner, todo, show)
    from fmrl_ros.bench.graph import run_graph

    return run_graph(benchmark.world, benchmark.planner, todo, show)


@app.command()
def latency(
    world: World = "tabletop",
    skills: Annotated[int, typer.Option(min=1, help="Skills whose affordances are asked for in one call.")] = 500,
    graph: Annotated[bool, typer.Option(help="Also run skills in the ROS graph, a camera streaming.")] = False,
    seconds: Annotated[float, typer.Option(min=5, help="How long skills run in the graph, s.")] = 60.0,
    json_path: JsonPath = None,
    check: Check = False,
) -> None:
    """How long an observation, an action and many affordances take, on one thread; how even the control rate is."""
    checks.check_world(world)
    check_reporting(json_path, check)
    if graph:
        checks.check_ros()
        checks.check_graphics()
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
    from fmrl_ros.assets import share
    from fmrl_ros.bench.latency import as_table, measure, report
    from fmrl_ros.robot.profile import load_profile
    from fmrl_ros.skills.library import SkillLibrary
    from fmrl_ros.skills.policy import Policy
    from fmrl_ros.worlds.world import load_world

    console = screen()
    loaded = load_world(world)
    policy = Policy.load(share("models") / "skill-pick" / "policy.npz")
    timings = measure(loaded, SkillLibrary.load(loaded, load_profile("franka_sim")), policy, skills)
    if graph:
        timings.append(_control_rate(world, seconds))
    console.print(as_table(timings))
    conclude(report(timings, world, skills), json_path, check, console)


def _control_rate(world: str, seconds: float) -> Timing:
    """Measure in a ROS graph of its own; or end with what did not start or answer."""
    from fmrl_ros.cli.control_rate import measure_control
    from fmrl_ros.cli.domain import choose_domain

    choose_domain()
    try:
        return measure_control(world, 0, seconds)
    except RuntimeError as error:
        fail(error)


@app.command()
def start(
    repetitions: Annotated[int, typer.Option(min=1, help="Runs that are timed; one before them is not.")] = 5,
    seed: Annotated[int, typer.Option(help="Where the objects lie.")] = 0,
    against: Annotated[Path | None, typer.Option(help="Another checkout, whose demo is run in turn.")] = None,
    json_path: JsonPath = None,
    check: Check = False,
) -> None:
    """How long `fmrl demo` takes to its first step and until the prompt is back, as processes of their own."""
    check_reporting(json_path, check)
    console = _console_of_a_graph()
    from fmrl_ros.bench.demo_run import DemoError
    from fmrl_ros.bench.start import StartBenchmark, as_table, measure, report

    benchmark = StartBenchmark(repetitions, seed, against)
    try:
        with console.status("") as status:
            measured = measure(benchmark, status.update)
    except DemoError as error:
        fail(error)
    result = report(benchmark, measured)
    console.print(as_table(result))
    conclude(result, json_path, check, console)


@app.command()
def stop(
    tries: Annotated[int, typer.Option(min=1, help="Stops by each way.")] = 50,
    seed: Annotated[int, typer.Option(min=0, help="Of the moments at which it is said.")] = 0,
    json_path: JsonPath = None,
    check: Check = False,
) -> None:
    """How long until a moving arm stands, told by command, service, word or Ctrl-C."""
    check_reporting(json_path, check)
    console = _console_of_a_graph()
    from fmrl_ros.bench.stop import as_table, report
    from fmrl_ros.bringup.supervisor import GraphError
    from fmrl_ros.cli.domain import choose_domain
    from fmrl_ros.cli.stop_time import WAYS, measure_stops

    choose_domain()
    try:
        with console.status("starting the robot") as status:
            measured = measure_stops(list(WAYS), tries, seed, status.update)
    except (GraphError, RuntimeError) as error:
        fail(error)
    result = report(tries, measured)
    console.print(as_table(result))
    conclude(result, json_path, check, console)


@app.command()
def chaos(
    faults: Annotated[int, typer.Option(min=1, help="How many are brought about.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Of the faults' order and moments, and of the tables.")] = 0,
    kind: Annotated[list[str] | None, typer.Option(help="Only faults of such a kind; may be repeated.")] = None,
    json_path: JsonPath = None,
    check: Check = False,
) -> None:
    """Faults while the robot works: each must end in success that is true, or in an error that names its cause."""
    from fmrl_ros.bench.chaos.catalogue import faults_of

    try:
        chosen = faults_of(kind or [])
    except UnknownNameError as error:
        refuse(error)
    check_reporting(json_path, check)
    console = _console_of_a_graph()
    from fmrl_ros.bench.chaos.fault import draw
    from fmrl_ros.bench.chaos.report import TrialResult, as_table, line, report
    from fmrl_ros.bringup.supervisor import GraphError
    from fmrl_ros.cli.chaos.run import run_trials
    from fmrl_ros.cli.domain import choose_domain

    choose_domain()
    results: list[TrialResult] = []
    try:
        with console.status("") as status:
            for result in run_trials(draw(chosen, faults, seed), status.update):
                results.append(result)
                console.print(line(result), markup=False, soft_wrap=True)
    except (GraphError, RuntimeError) as error:
        fail(error)
    found = report(seed, results)
    console.print(as_table(found))
    conclude(found, json_path, check, console)


def _console_of_a_graph() -> Console:
    """Return a console, once all that the simulated robot's nodes need is there; or end with what is missing."""
    checks.check_language_model("tuned", "tabletop")
    checks.check_graphics()
    checks.check_ros()
    from fmrl_ros.cli.weights_progress import prefetch

    console = screen()
    prefetch("tuned", "tabletop", console)
    return console


@app.command()
def perception(
    backend: Annotated[
        list[str] | None, typer.Option(help="What finds objects: embedded, owlv2:MODEL, ...; may be repeated.")
    ] = None,
    scenes: Annotated[int, typer.Option(min=5, help="Scenes with each set of colours.")] = 200,
    attempts: Annotated[int, typer.Option(min=0, help="Attempts at each skill that are judged; 0: none.")] = 0,
    judge: Annotated[str, typer.Option(help="Who judges them: a backend.")] = "embedded",
    seed: Annotated[int, typer.Option(help="Of the scenes and attempts.")] = 0,
    pictures: Annotated[Path | None, typer.Option(help="Folder for annotated frames and diagrams.")] = None,
    json_path: JsonPath = None,
    check: Check = False,
) -> None:
    """What is seen of objects, relations and success, in the world's colours and in unseen ones; how long it takes."""
    checks.check_graphics()
    check_reporting(json_path, check)
    backends = tuple(backend or ["embedded"])
    for name in (*backends, judge):
        checks.check_backend(name)
    from fmrl_ros.bench.perception.benchmark import PerceptionBenchmark, run
    from fmrl_ros.bench.perception.report import as_tables, report
    from fmrl_ros.perception.backends.backend import BackendError

    console = screen()
    benchmark = PerceptionBenchmark(
        backends=backends,
        scenes=scenes,
        seed=PerceptionBenchmark.seed + seed,
        attempts=attempts,
        judge=judge,
        pictures=pictures,
    )
    try:
        with console.status("") as status:
            measured = run(benchmark, lambda share, text: status.update(text))
    except (BackendError, FileNotFoundError) as error:
        fail(error)
    for table in as_tables(measured):
        console.print(table)
    conclude(report(measured), json_path, check, console)


@app.command()
def score(
    options: Annotated[str, typer.Option(help="Numbers of options, with commas.")] = "10,50,200,551,2000",
    llm: Annotated[str, typer.Option(help="Language model: tuned, local:MODEL[+ADAPTER].")] = "tuned",
    threads: Annotated[int, typer.Option(min=1, help="Threads of the processor.")] = 2,
    plot: Annotated[Path | None, typer.Option(help="Draw a diagram there.")] = None,
    json_path: JsonPath = None,
    check: Check = False,
) -> None:
    """What it costs to find the best of many options: best first, as a trie, with the prompt cached, or naively."""
    counts = _option_counts(options)
    check_reporting(json_path, check)
    _check_plot(plot)
    if not re.fullmatch(r"tuned|local:[^|]+", llm):
        refuse(f"cannot time '{llm}'; valid: tuned, local:MODEL[+ADAPTER]")
    checks.check_language_model(llm, "kitchen")
    console = screen()
    from fmrl_ros.cli.weights_progress import prefetch

    prefetch(llm, "kitchen", console)
    from fmrl_ros.bench.score.report import as_table, draw, report
    from fmrl_ros.bench.score.timing import measure
    from fmrl_ros.language.local import LocalLanguageModel
    from fmrl_ros.language.weights import model_and_adapter

    path, adapter = model_and_adapter(checks.full_model_name(llm, "kitchen").partition(":")[2])
    model = LocalLanguageModel(path, adapter or None, "auto", threads)
    with console.status("") as status:
        timings, memory = measure(model.scorer, counts, status.update)
    console.print(as_table(timings))
    console.print(f"{model.name}, {threads} threads; peak memory of search and trie {memory:,.0f} MB")
    if plot is not None:
        draw(timings, plot)
    conclude(report(timings, memory, model.name, threads), json_path, check, console)


def _option_counts(options: str) -> list[int]:
    """Return the numbers of options; or end with what cannot be timed."""
    from fmrl_ros.bench.score.problem import options_of
    from fmrl_ros.worlds.world import load_world

    try:
        counts = [int(number) for number in options.split(",")]
    except ValueError:
        refuse(f"--options {options}: expected whole numbers with commas, for example 10,551")
    try:
        for count in counts:
            options_of(load_world("kitchen"), count)
    except ValueError as error:
        refuse(f"--options {options}: {error}")
    return counts


def _check_plot(plot: Path | None) -> None:
    """A diagram can be drawn there."""
    checks.check_json_path(plot, "--plot")
    if plot is not None and plot.suffix not in PLOTS:
        refuse(f"--plot {plot}: valid endings are {', '.join(PLOTS)}")
