"""``fmrl up``: run the nodes of a profile until Ctrl-C, where ROS's own launcher is not installed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from fmrl_ros.cli import checks
from fmrl_ros.cli.domain import refuse_company
from fmrl_ros.cli.domain_number import named_domain
from fmrl_ros.cli.exits import fail, refuse
from fmrl_ros.cli.interruption import interruptible, uninterrupted
from fmrl_ros.cli.screen import screen
from fmrl_ros.perception.backends import FORMS

if TYPE_CHECKING:
    from fmrl_ros.bringup.graph import GraphOptions, NodeSpec
    from fmrl_ros.bringup.supervisor import Death, Supervisor

PATIENCE = 300.0
"""The nodes may take so many seconds to load their models; a busy machine needs minutes."""


def up(
    profile: Annotated[str, typer.Argument(help="sim: simulated robot; robot: everything above its drivers.")],
    robot: Annotated[str, typer.Option(help="Robot profile: name or file.")] = "franka_sim",
    world: Annotated[str, typer.Option(help="Name of the world, or a YAML file.")] = "tabletop",
    planner: Annotated[str, typer.Option(help="Registered name of the planner.")] = "inner_monologue",
    llm: Annotated[str, typer.Option(help=f"Language model: {checks.MODEL_FORMS}.")] = "tuned",
    seed: Annotated[int, typer.Option(help="Where the objects lie.")] = 0,
    real_time_factor: Annotated[float, typer.Option(min=0.0, help="Simulated seconds a second; 0: fastest.")] = 1.0,
    cameras: Annotated[str, typer.Option(help="Of the robot profile, separated by commas.")] = "front",
    detector: Annotated[str, typer.Option(help=f"What finds objects: {FORMS}.")] = "embedded",
    answerer: Annotated[str, typer.Option(help="What answers questions: a backend, too.")] = "embedded",
    judges: Annotated[str, typer.Option(help="What judges success: backends, separated by commas.")] = "embedded",
    calibrations: Annotated[Path | None, typer.Option(help="JSON: how far each judge is to be believed.")] = None,
    namespace: Annotated[str, typer.Option(help="ROS namespace; several, with commas: several real robots.")] = "",
    out: Annotated[Path | None, typer.Option(help="Folder for the logs; default runs/<time>.")] = None,
) -> None:
    """Run the robot's nodes; talk to them with `fmrl tell`."""
    from fmrl_ros.bringup.graph import GraphOptions
    from fmrl_ros.bringup.supervisor import Supervisor
    from fmrl_ros.cli.weights_progress import prefetch

    options = GraphOptions(
        world,
        robot,
        seed,
        real_time_factor,
        planner,
        llm,
        cameras,
        detector,
        answerer,
        judges,
        calibrations=str(calibrations.resolve()) if calibrations else "",
        namespace=namespace,
    )
    specs = _checked_nodes(profile, options)
    domain = named_domain()
    if profile == "sim":
        refuse_company(_first_robot(namespace))
    console = screen()
    prefetch(llm, world, console)
    supervisor = Supervisor(specs, _log_folder(out))
    deaths = _run(
        supervisor, f"Ready on ROS domain {domain}. Logs: {supervisor.logs}", _first_robot(namespace), console
    )
    if deaths:
        fail("; ".join(f"{death} (log: {supervisor.log(death.name)})" for death in deaths))
    console.print("ended")


def _checked_nodes(profile: str, options: GraphOptions) -> tuple[NodeSpec, ...]:
    """Return the nodes to run, or end with what is wrong with the options or missing on this machine."""
    from fmrl_ros.bringup.graph import nodes
    from fmrl_ros.perception.ensemble import load_calibrations

    checks.check_world(options.world)
    checks.check_planner(options.planner)
    for backend in (options.detector, options.answerer, *options.judges.split(",")):
        checks.check_backend(backend.strip())
    try:
        specs = nodes(profile, options)
        known = checks.usable_profile(options.robot)
        for camera in options.cameras.split(","):
            known.camera(camera.strip())
        if options.calibrations:
            load_calibrations(Path(options.calibrations))
    except ValueError as error:
        refuse(error)
    checks.check_language_model(options.language_model, options.world)
    if profile == "sim":
        checks.check_graphics()
    checks.check_ros()
    return specs


def _first_robot(namespace: str) -> str:
    """Return the first of the namespaces that are separated by commas."""
    return namespace.split(",")[0].strip()


def _log_folder(out: Path | None) -> Path:
    from fmrl_ros.recording.run_folder import RunFolder

    try:
        return RunFolder.create(out).logs
    except OSError as error:
        refuse(f"cannot make the folder for the outputs: {error}")


def _run(supervisor: Supervisor, ready: str, robot: str, console: Console) -> list[Death]:
    """Run the nodes until Ctrl-C, or until some have died; return those."""
    from fmrl_ros.bringup.supervisor import GraphError

    with interruptible(), console.status("starting") as status:
        try:
            supervisor.start()
            supervisor.wait_ready(PATIENCE)
            console.print(ready, soft_wrap=True)
            named = f"--namespace {robot} " if robot else ""
            console.print(f'In another terminal: fmrl tell {named}"{checks.EXAMPLE}"')
            began = time.monotonic()
            while not (deaths := supervisor.deaths()):
                minutes, seconds = divmod(int(time.monotonic() - began), 60)
                status.update(f"{len(supervisor.pids)} nodes run, {minutes}:{seconds:02d}; Ctrl-C ends them")
                time.sleep(0.25)
        except KeyboardInterrupt:
            return []
        except GraphError as error:
            refuse(error)
        finally:
            with uninterrupted():
                status.update("ending")
                supervisor.stop()
    return deaths
