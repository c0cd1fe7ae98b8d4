"""``fmrl bench``: the numbers that the documentation quotes."""

from __future__ import annotations

import json
import os
import platform
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fmrl_ros.cli import checks
from fmrl_ros.cli.exits import fail, refuse
from fmrl_ros.plugins import UnknownNameError

if TYPE_CHECKING:
    from fmrl_ros.bench.loop import LoopEpisode

PLOTS = (".png", ".pdf", ".svg")

app = typer.Typer(no_args_is_help=True, help="Measure whole parts of the system.")


@app.callback()
def bench() -> None:
    """Measure whole parts of the system."""


@app.command()
def plan(
    world: Annotated[str, typer.Option(help="Name of the world, or a YAML file.")] = "tabletop",
    tasks: Annotated[
        int | None, typer.Option(min=1, help="Instructions a condition; default: the benchmark's.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="A condition, as the table names it; may be repeated.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the instructions.")] = 1,
    llm: Annotated[str, typer.Option(help="Instead of the world's own model: local:MODEL[+ADAPTER], ...")] = "tuned",
    threads: Annotated[int, typer.Option(min=1, help="Threads of the processor.")] = 2,
    json_path: Annotated[Path | None, typer.Option("--json", help="Write the numbers there.")] = None,
) -> None:
    """Planning alone, without physics: strategies and models on generated instructions."""
    from rich.console import Console

    from fmrl_ros.bench.plan import PlanBenchmark, check_world, conditions, main
    from fmrl_ros.cli.weights_progress import prefetch

    try:
        check_world(world)
    except ValueError as error:
        refuse(error)
    checks.check_json_path(json_path)
    checks.check_language_model(llm, world)
    prefetch(llm, world, Console(highlight=False))
    from fmrl_ros.language.language_model import LanguageModelError
    from fmrl_ros.worlds.world import load_world

    try:
        chosen = conditions(load_world(world).name, only or ())
    except UnknownNameError as error:
        refuse(error)
    asked = (replace(each, model=llm) if each.model == "tuned" else each for each in chosen)
    chosen = tuple(dict.fromkeys(asked))  # one of them may be that model's already
    settings = PlanBenchmark(world, tasks or PlanBenchmark.tasks, seed, threads, conditions=chosen)
    try:
        main(settings, json_path)
    except LanguageModelError as error:
        fail(error)


@app.command()
def loop(
    world: Annotated[str, typer.Option(help="Name of the world, or a YAML file.")] = "tabletop",
    episodes: Annotated[int, typer.Option(min=1, help="Instructions, each on a table of its own seed.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first one.")] = 50_000,
    planner: Annotated[str, typer.Option(help="inner_monologue, saycan, or another registered one.")] = (
        "inner_monologue"
    ),
    graph: Annotated[bool, typer.Option("--graph", help="Run `fmrl demo` for each: the ROS graph over DDS.")] = False,
    json_path: Annotated[Path | None, typer.Option("--json", help="Write the numbers there.")] = None,
) -> None:
    """The whole loop with physics and cameras, judged by the simulator's truth; in one process, or as the ROS graph."""
    from rich.console import Console

    from fmrl_ros import __version__
    from fmrl_ros.cli.weights_progress import prefetch

    console = Console(highlight=False)
    checks.check_world(world)
    checks.check_planner(planner)
    checks.check_json_path(json_path)
    checks.check_graphics()
    prefetch("tuned", world, console)
    from fmrl_ros.bench.loop import summary, tasks
    from fmrl_ros.worlds.world import load_world

    def show(episode: LoopEpisode) -> None:
        mark = "yes" if episode.true else "NO "
        belief = "" if episode.true == episode.believed else "  (the robot believes otherwise)"
        task = episode.task
        console.print(f"{mark}  {episode.seconds:5.1f} s  seed {task.seed}  {task.instruction}{belief}")
        if not episode.true:
            console.print(f"        {episode.reason}")

    todo = tasks(load_world(world), seed, episodes)
    if graph:
        from fmrl_ros.bench.graph import run_graph

        done = run_graph(world, planner, todo, show)
    else:
        from fmrl_ros.bench.loop import run_in_process

        done = run_in_process(world, planner, todo, show)
    totals = summary(done)
    low, high = totals.success_95
    console.print(
        f"{100 * totals.success:.0f} % [{100 * low:.0f}, {100 * high:.0f}] of {len(done)}; "
        f"belief agrees with the truth in {100 * totals.belief_agrees:.0f} %; "
        f"{totals.mean_decisions:.1f} decisions on average"
    )
    if json_path is not None:
        machine = {
            "platform": platform.platform(),
            "processor": platform.machine(),
            "python": platform.python_version(),
        }
        settings = {"world": world, "planner": planner, "first_seed": seed, "graph": graph}
        report = {"benchmark": "loop", "version": __version__, "machine": machine, "settings": settings}
        rows = [asdict(episode) for episode in done]
        json_path.write_text(json.dumps({**report, "summary": asdict(totals), "episodes": rows}, indent=1))


@app.command()
def latency(
    world: Annotated[str, typer.Option(help="Name of the world, or a YAML file.")] = "tabletop",
    skills: Annotated[int, typer.Option(min=1, help="Skills whose affordances are asked for in one call.")] = 500,
    graph: Annotated[bool, typer.Option(help="Also run skills in the ROS graph, a camera streaming.")] = False,
    seconds: Annotated[float, typer.Option(min=5, help="How long skills run in the graph, s.")] = 60.0,
    json_path: Annotated[Path | None, typer.Option("--json", help="Write the numbers there.")] = None,
) -> None:
    """How long an observation, an action and many affordances take, on one thread; how even the control rate is."""
    checks.check_world(world)
    checks.check_json_path(json_path)
    if graph:
        checks.check_ros()
        checks.check_graphics()
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
    from rich.console import Console
    from rich.table import Table

    from fmrl_ros.assets import share
    from fmrl_ros.bench.latency import as_json, measure
    from fmrl_ros.skills.library import SkillLibrary
    from fmrl_ros.skills.policy import Policy
    from fmrl_ros.worlds.world import load_world

    loaded = load_world(world)
    policy = Policy.load(share("models") / "skill-pick" / "policy.npz")
    timings = measure(loaded, SkillLibrary.load(loaded), policy, skills)
    if graph:
        from fmrl_ros.cli.control_rate import measure_control
        from fmrl_ros.cli.domain import choose_domain

        choose_domain()
        try:
            timings.append(measure_control(world, 0, seconds))
        except RuntimeError as error:  # a node that did not start, or did not answer
            fail(error)
    table = Table("what", "median", "99th percentile", "calls", box=None)
    for timing in timings:
        table.add_row(timing.what, f"{1e3 * timing.median:.3f} ms", f"{1e3 * timing.p99:.3f} ms", str(timing.calls))
    Console(highlight=False).print(table)
    if json_path is not None:
        json_path.write_text(json.dumps(as_json(timings), indent=1) + "\n", encoding="utf-8")


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
    json_path: Annotated[Path | None, typer.Option("--json", help="Write the numbers there.")] = None,
) -> None:
    """What is seen of objects, relations and success, in the world's colours and in unseen ones; how long it takes."""
    checks.check_graphics()
    checks.check_json_path(json_path)
    backends = tuple(backend or ["embedded"])
    for name in (*backends, judge):
        checks.check_backend(name)
    from rich.console import Console

    from fmrl_ros.bench import perception as benchmark
    from fmrl_ros.perception.backends.backend import BackendError

    console = Console(highlight=False)
    first = benchmark.PerceptionBenchmark.seed
    config = benchmark.PerceptionBenchmark(backends=backends, scenes=scenes, seed=first + seed)
    try:
        with console.status("") as status:
            report = benchmark.run(config, attempts, judge, lambda share, text: status.update(text), pictures)
    except (BackendError, FileNotFoundError) as error:
        fail(error)
    for table in benchmark.as_tables(report):
        console.print(table)
    if json_path is not None:
        json_path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


@app.command()
def score(
    options: Annotated[str, typer.Option(help="Numbers of options, with commas.")] = "10,50,200,551,2000",
    llm: Annotated[str, typer.Option(help="Language model: tuned, local:MODEL[+ADAPTER].")] = "tuned",
    threads: Annotated[int, typer.Option(min=1, help="Threads of the processor.")] = 2,
    plot: Annotated[Path | None, typer.Option(help="Draw a diagram there.")] = None,
    json_path: Annotated[Path | None, typer.Option("--json", help="Write the numbers there.")] = None,
) -> None:
    """What it costs to find the best of many options: best first, as a trie, with the prompt cached, or naively."""
    from rich.console import Console

    from fmrl_ros.cli.weights_progress import prefetch

    try:
        counts = [int(number) for number in options.split(",")]
    except ValueError:
        refuse(f"--options {options}: expected whole numbers with commas, for example 10,551")
    from fmrl_ros.bench.score import as_json, as_table, draw, measure, options_of
    from fmrl_ros.worlds.world import load_world

    for count in counts:
        try:
            options_of(load_world("kitchen"), count)
        except ValueError as error:
            refuse(f"--options {options}: {error}")
    checks.check_json_path(json_path)
    checks.check_json_path(plot, "--plot")
    if plot is not None and plot.suffix not in PLOTS:
        refuse(f"--plot {plot}: valid endings are {', '.join(PLOTS)}")
    if not re.fullmatch(r"tuned|local:[^|]+", llm):
        refuse(f"cannot time '{llm}'; valid: tuned, local:MODEL[+ADAPTER]")
    checks.check_language_model(llm, "kitchen")
    console = Console(highlight=False)
    prefetch(llm, "kitchen", console)
    from fmrl_ros.language.local import LocalLanguageModel
    from fmrl_ros.language.weights import model_and_adapter

    path, adapter = model_and_adapter(checks.full_model_name(llm, "kitchen").partition(":")[2])
    model = LocalLanguageModel(path, adapter or None, "auto", threads)
    with console.status("") as status:
        timings, memory = measure(model.scorer, counts, status.update)
    console.print(as_table(timings))
    console.print(f"{model.name}, {threads} threads; peak memory of search and trie {memory:,.0f} MB")
    if json_path is not None:
        json_path.write_text(json.dumps(as_json(timings, memory, model.name), indent=1) + "\n", encoding="utf-8")
    if plot is not None:
        draw(timings, plot)
