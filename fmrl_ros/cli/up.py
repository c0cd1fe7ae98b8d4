"""``fmrl up``: run the nodes of a profile until Ctrl-C, where ROS's own launcher is not installed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from fmrl_ros.cli import checks
from fmrl_ros.cli.domain import refuse_company
from fmrl_ros.cli.domain_number import named_domain
from fmrl_ros.cli.exits import fail, refuse
from fmrl_ros.cli.interruption import interruptible, uninterrupted
from fmrl_ros.perception.backends import FORMS

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
    from fmrl_ros.bringup.graph import GraphOptions, nodes
    from fmrl_ros.perception.ensemble import load_calibrations
    from fmrl_ros.robot.profile import load_profile

    checks.check_world(world)
    checks.check_planner(planner)
    for backend in (detector, answerer, *judges.split(",")):
        checks.check_backend(backend.strip())
    believed = str(calibrations.resolve()) if calibrations else ""
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
        believed,
        namespace=namespace,
    )
    try:
        specs = nodes(profile, options)
        known = load_profile(robot)
        for camera in cameras.split(","):
            known.camera(camera.strip())
        if calibrations:
            load_calibrations(calibrations)
    except ValueError as error:
        refuse(error)
    checks.check_language_model(llm, world)
    if profile == "sim":
        checks.check_graphics()
    checks.check_ros()
    domain = named_domain()
    console = Console(highlight=False)
    from fmrl_ros.bringup.supervisor import GraphError, Supervisor
    from fmrl_ros.cli.weights_progress import prefetch
    from fmrl_ros.recording.run_folder import RunFolder

    if profile == "sim":
        refuse_company(namespace.split(",")[0].strip())
    prefetch(llm, world, console)
    try:
        folder = RunFolder.create(out)
    except OSError as error:
        refuse(f"cannot make the folder for the outputs: {error}")
    supervisor = Supervisor(specs, folder.logs)
    with interruptible(), console.status("starting") as status:
        try:
            supervisor.start()
            supervisor.wait_ready(PATIENCE)
            console.print(f"Ready on ROS domain {domain}. Logs: {supervisor.logs}", soft_wrap=True)
            robot_named = f"--namespace {namespace.split(',')[0].strip()} " if namespace else ""
            console.print(f'In another terminal: fmrl tell {robot_named}"{checks.EXAMPLE}"')
            began = time.monotonic()
            while not (deaths := supervisor.deaths()):
                minutes, seconds = divmod(int(time.monotonic() - began), 60)
                status.update(f"{len(supervisor.pids)} nodes run, {minutes}:{seconds:02d}; Ctrl-C ends them")
                time.sleep(0.25)
        except KeyboardInterrupt:
            deaths = []
        except GraphError as error:
            refuse(error)
        finally:
            with uninterrupted():
                status.update("ending")
                supervisor.stop()
    if deaths:
        fail("; ".join(f"{death} (log: {supervisor.log(death.name)})" for death in deaths))
    console.print("ended")
