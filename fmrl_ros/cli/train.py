"""``fmrl train``: make every trained artefact again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from fmrl_ros.assets import share
from fmrl_ros.cli import checks
from fmrl_ros.cli.exits import fail, refuse
from fmrl_ros.cli.screen import screen
from fmrl_ros.cli.settings import Settings, apply_settings
from fmrl_ros.cli.training_bar import TrainingBar
from fmrl_ros.learning.perception.recipe import JudgeTraining
from fmrl_ros.plugins import UnknownNameError

if TYPE_CHECKING:
    from fmrl_ros.learning.planner.recipe import PlannerTraining
    from fmrl_ros.learning.skills.recipe import SkillTraining

app = typer.Typer(
    no_args_is_help=True, help="Train skills, the localiser, the success detector, or the planner's language model."
)

Seed = Annotated[int | None, typer.Option(min=0, help="Of everything random; default: the recipe's own.")]
Device = Annotated[str, typer.Option(help="Where networks are trained: cpu or cuda.")]
Out = Annotated[Path | None, typer.Option(help="Folder for the result; default: its place in models/.")]


@app.command()
def skill(
    name: Annotated[str, typer.Argument(help="A skill such as pick, place_on, open_drawer; or all.")],
    seed: Seed = None,
    out: Out = None,
    settings: Settings = None,
    device: Device = "cpu",
    curves: Annotated[Path | None, typer.Option(help="Folder for TensorBoard's curves, one for each skill.")] = None,
) -> None:
    """Train a skill: demonstrations, behaviour cloning, SAC, calibration, report."""
    from fmrl_ros.learning.skills.recipe import SkillTraining
    from fmrl_ros.skills.task import TASKS, skill_names

    if name not in (*skill_names(), "all"):
        refuse(UnknownNameError("skill", name, [*skill_names(), "all"]))
    if name == "all" and out is not None:
        refuse("--out names one folder; train one skill at a time to choose it")
    checks.check_device(device)
    config = replace(apply_settings(SkillTraining(), settings), device=device)
    config = config if seed is None else replace(config, seed=seed)
    checks.check_graphics()
    console = screen()
    for each in TASKS if name == "all" else [name]:
        _train_skill(each, out or share("models") / f"skill-{each}", config, curves and curves / each, console)


def _train_skill(name: str, out: Path, config: SkillTraining, curves: Path | None, console: Console) -> None:
    from fmrl_ros.learning.skills.training import train_skill

    try:
        with TrainingBar(console, name) as bar:
            report = train_skill(name, out, config, bar.show, curves)
    except RuntimeError as error:
        fail(error)
    for who, rate in report.success.items():
        console.print(f"  {who}: {rate}", markup=False)
    minutes = report.seconds / 60
    console.print(f"  calibration error {report.calibration_error:.3f}, {minutes:.1f} minutes")
    _written(out, console)


def _written(folder: Path, console: Console) -> None:
    """Say where the artefact is, and bring the manifest up to date if it is in its own place."""
    if folder.resolve().parent == share("models").resolve():
        from fmrl_ros.learning import manifest  # pydantic is slow to import, and every command loads this file

        manifest.write(folder.parent)
    console.print(f"  written to {folder}", markup=False)


@app.command()
def localiser(
    world: Annotated[str, typer.Option(help="Name of the world, or a YAML file.")] = "tabletop",
    seed: Seed = None,
    out: Out = None,
) -> None:
    """Train the localiser on rendered scenes."""
    checks.check_world(world)
    checks.check_graphics()
    from fmrl_ros.learning.perception.training import LocaliserTraining, train_localiser

    folder = out or share("models") / "localiser"
    config = LocaliserTraining(world=world) if seed is None else LocaliserTraining(world=world, seed=seed)
    console = screen()
    with TrainingBar(console, "localiser") as bar:
        train_localiser(folder, config, lambda done, text: bar.show(text, done))
    _written(folder, console)


@app.command("success-detector")
def success_detector(
    judge: Annotated[str, typer.Option(help="The backend that judges: embedded, vlm:MODEL, ...")] = "embedded",
    calibration: Annotated[int, typer.Option(min=5, help="Attempts at each skill to calibrate on.")] = (
        JudgeTraining.calibration
    ),
    report: Annotated[int, typer.Option(min=5, help="Attempts at each skill to report on.")] = JudgeTraining.report,
    seed: Seed = None,
    out: Out = None,
) -> None:
    """Collect attempts by the real policies, calibrate how far a judge's verdicts can be trusted, and report."""
    checks.check_graphics()
    checks.check_backend(judge)
    from fmrl_ros.learning.perception.judging import train_success_detector
    from fmrl_ros.perception.backends.backend import BackendError

    folder = out or share("models") / "success-detector"
    config = JudgeTraining(judge, calibration, report, seed or JudgeTraining.seed)
    console = screen()
    try:
        with TrainingBar(console, "success-detector") as bar:
            results = train_success_detector(folder, config, lambda done, text: bar.show(text, done))
    except (BackendError, FileNotFoundError) as error:
        fail(error)
    for pictures, row in results["verdicts"]["all"].items():
        accuracy, unknown = 100 * (row["balanced_accuracy"] or 0), 100 * row["unknown_share"]
        console.print(f"  {pictures}: balanced accuracy {accuracy:.1f} %, unknown {unknown:.1f} %")
    _written(folder, console)


def _check_curriculum(world: str) -> str:
    """Return the world's name; the world exists, and what instructions for it are generated from is there."""
    from fmrl_ros.learning.planner.curriculum import curriculum
    from fmrl_ros.learning.planner.episodes import Mishaps
    from fmrl_ros.worlds.world import load_world

    try:
        loaded = load_world(world)
        curriculum(loaded, Mishaps())
    except ValueError as error:
        refuse(error)
    return loaded.name


def _check_common_sense() -> None:
    """The dictionary and the common sense that training draws things from are there."""
    from fmrl_ros.learning.planner.concept_net import ConceptNetError, assertions
    from fmrl_ros.learning.planner.dictionary import DictionaryError, entries

    try:
        entries()
        assertions()
    except (DictionaryError, ConceptNetError) as error:
        refuse(error)


STAGES = ("both", "imitation", "reinforcement")
ADAPTERS = {"tabletop": "planner"}
"""Names of adapters that serve other worlds, too."""
REINFORCED = ("kitchen",)
"""Worlds whose planner has a second stage."""


def _check_stage(stage: str, world: str, name: str, settings: Settings) -> None:
    """There is such a stage, the world has it, and `settings` are for one that is asked for."""
    if stage == "reinforcement" and settings:
        refuse("--set changes the first stage; leave it out, or choose another --stage")
    if stage == "reinforcement" and name not in REINFORCED:
        refuse(UnknownNameError("world with a second stage", world, REINFORCED))


@app.command()
def planner(
    world: Annotated[str, typer.Option(help="Name of the world, or a YAML file.")] = "tabletop",
    seed: Seed = None,
    out: Out = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads of the processor.")] = None,
    device: Device = "cpu",
    stage: Annotated[
        str, typer.Option(help="imitation of an expert, then reinforcement by the symbolic world; or one of them.")
    ] = "both",
    settings: Settings = None,
) -> None:
    """Tune the planner's language model on generated plans, then by their success."""
    if stage not in STAGES:
        refuse(UnknownNameError("stage", stage, STAGES))
    name = _check_curriculum(world)
    checks.check_device(device)
    _check_stage(stage, world, name, settings)
    from fmrl_ros.cli.weights_progress import prefetch
    from fmrl_ros.learning.planner.tuning import imitation_finished

    config = _planner_config(name, world, settings, seed, threads, device)
    if config.dictionary and stage != "reinforcement":
        _check_common_sense()
    console = screen()
    prefetch("local:smollm2", world, console)
    folder = out or share("models") / ADAPTERS.get(name, f"planner-{name}")
    if folder.exists() and not folder.is_dir():
        refuse(f"--out {folder} is no folder")
    stages = _stages(stage, name, imitation_finished(folder, config))
    if stage == "both" and "imitation" not in stages:
        console.print(f"the first stage is in {folder} already; going on with the second", markup=False)
    if "imitation" in stages:
        _imitate(folder, config, console)
    if "reinforcement" in stages:
        _reinforce(folder, config, console)
    _written(folder, console)


def _planner_config(
    name: str, world: str, settings: Settings, seed: Seed, threads: int | None, device: str
) -> PlannerTraining:
    """Return the recipe of a world's planner with what the command line changes in it."""
    from fmrl_ros.learning.planner.recipe import RECIPES, PlannerTraining

    recipe = apply_settings(replace(RECIPES.get(name, PlannerTraining()), world=world), settings)
    return replace(recipe, seed=recipe.seed if seed is None else seed, threads=threads or recipe.threads, device=device)


def _stages(asked: str, world: str, imitation_finished: bool) -> Sequence[str]:
    """Return the stages to train, by name: those that were asked for, as far as the world has them and they are due."""
    if asked != "both":
        return (asked,)
    if world not in REINFORCED:
        return ("imitation",)
    return ("reinforcement",) if imitation_finished else ("imitation", "reinforcement")


def _imitate(folder: Path, config: PlannerTraining, console: Console) -> None:
    """The first stage: an adapter that imitates the expert's transcripts."""
    from fmrl_ros.learning.planner.adapter import StartError
    from fmrl_ros.learning.planner.tuning import train_planner
    from fmrl_ros.learning.unfinished import UnfinishedError

    def show(step: int, steps: int, loss: float) -> None:
        bar.show(f"step {step} of {steps}, loss {loss:.3f}", step / steps)

    try:
        with TrainingBar(console, "planner") as bar:
            train_planner(folder, config, show)
    except (UnfinishedError, StartError, UnknownNameError) as error:
        refuse(error)
    except KeyboardInterrupt:
        console.print("interrupted; the same command goes on from where it was last measured")
        raise


def _reinforce(folder: Path, config: PlannerTraining, console: Console) -> None:
    """The second stage: the adapter in `folder`, improved by what the symbolic world says of its explanations."""
    from fmrl_ros.learning.planner.reinforcement import PlannerReinforcement, reinforce_planner

    if not (folder / "adapter_config.json").is_file():
        first = f"fmrl train planner --world {config.world} --stage imitation"
        refuse(f"no adapter in {folder} to go on with; make one with: {first}")
    second = PlannerReinforcement(
        str(folder), world=config.world, seed=config.seed, threads=config.threads, device=config.device,
        compiled=config.compiled,
    )  # fmt: skip
    with TrainingBar(console, "planner") as bar:
        record = reinforce_planner(folder, second, lambda share, text: bar.show(text, share))
    before, *after = [each["right"] for each in record["dev"]]
    console.print(f"  development requests: {before:.1%} before, {max(after):.1%} at best after")
