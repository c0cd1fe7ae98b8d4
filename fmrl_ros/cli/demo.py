"""``fmrl demo``: start everything, say one sentence, watch, and leave a folder that shows what happened."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from fmrl_ros.cli import checks
from fmrl_ros.cli.domain import choose_domain
from fmrl_ros.cli.exits import UNUSABLE, refuse
from fmrl_ros.cli.interruption import INTERRUPTED, interruptible, uninterrupted
from fmrl_ros.cli.screen import screen
from fmrl_ros.language.server_url import without_secrets
from fmrl_ros.refusal import Refusal, refusal

if TYPE_CHECKING:
    from rich.console import Console

    from fmrl_ros.bringup.graph import GraphOptions
    from fmrl_ros.bringup.supervisor import Supervisor
    from fmrl_ros.cli.live_view import LiveView
    from fmrl_ros.recording.film import Film
    from fmrl_ros.recording.run import Run
    from fmrl_ros.recording.run_folder import RunFolder

PATIENCE = 300.0
"""The nodes may take so many seconds to load their models; a busy machine needs minutes."""

AFTERMATH = 0.8
"""The camera goes on for so many seconds after the last word."""


def demo(
    instruction: Annotated[str, typer.Argument(help="What the robot shall do.")] = checks.EXAMPLE,
    world: Annotated[str, typer.Option(help="Name of the world, or a YAML file.")] = "tabletop",
    planner: Annotated[str, typer.Option(help="inner_monologue, saycan, or another registered one.")] = (
        "inner_monologue"
    ),
    llm: Annotated[str, typer.Option(help=f"Language model: {checks.MODEL_FORMS}.")] = "tuned",
    seed: Annotated[int, typer.Option(help="Where the objects lie.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder for the outputs; default runs/<time>.")] = None,
    real_time_factor: Annotated[float, typer.Option(min=0.0, help="Simulated seconds a second; 0: fastest.")] = 1.0,
    verbose: Annotated[bool, typer.Option("--verbose", help="Print long lines, too: all that is known.")] = False,
) -> None:
    """Say a sentence to the simulated robot and watch it work."""
    checks.check_instruction(instruction)
    checks.check_world(world)
    checks.check_planner(planner)
    checks.check_language_model(llm, world)
    checks.check_graphics()
    checks.check_ros()
    console = screen()
    from fmrl_ros.bringup.graph import GraphOptions, nodes
    from fmrl_ros.bringup.supervisor import Supervisor
    from fmrl_ros.cli.live_view import LiveView
    from fmrl_ros.cli.summary import print_files
    from fmrl_ros.cli.weights_progress import prefetch
    from fmrl_ros.recording.film import Film
    from fmrl_ros.recording.run import Run
    from fmrl_ros.recording.run_folder import RunFolder

    prefetch(llm, world, console)
    choose_domain()
    try:
        folder = RunFolder.create(out)
    except OSError as error:
        refuse(f"cannot make the folder for the outputs: {error}")
    options = GraphOptions(
        world=world,
        seed=seed,
        real_time_factor=real_time_factor,
        planner=planner,
        language_model=llm,
        truth_path=str(folder.truth),
    )
    model = without_secrets(checks.full_model_name(llm, world))
    run = Run(instruction, world, planner, model, seed, reason="interrupted by the person")
    film = Film()
    with interruptible(), Supervisor(nodes("sim", options), folder.logs) as supervisor:
        try:
            _perform(run, film, options, folder, supervisor, LiveView(console, verbose))
        except KeyboardInterrupt:
            run.success, run.exit_code = None, INTERRUPTED
        finally:
            with uninterrupted(), console.status("ending"):
                supervisor.request_end()  # which takes a while, too
                problems = _finish(run, film, folder, console)
                supervisor.stop()
                if not run.begun:
                    folder.discard(keep_logs=run.success is False)
    if run.begun:
        if not folder.truth.is_file():
            problems.append("truth.json: the simulation ended without writing it")
        print_files(folder, problems, console)
    raise typer.Exit(run.exit_code)


def _finish(run: Run, film: Film, folder: RunFolder, console: Console) -> list[str]:
    """Say how a run ended and write its files; return what could not be written. One never begun leaves none."""
    from fmrl_ros.cli.summary import print_outcome
    from fmrl_ros.recording.outputs import write_outputs

    if not run.begun:
        return []
    print_outcome(run, console)
    return write_outputs(run, film, folder)


def _perform(
    run: Run, film: Film, options: GraphOptions, folder: RunFolder, supervisor: Supervisor, view: LiveView
) -> None:
    """Wait for the graph, which starts while this process loads what it needs itself, and carry out the instruction."""
    from fmrl_ros.bringup.supervisor import GraphError
    from fmrl_ros.cli.execution import carry_out, interrupt
    from fmrl_ros.cli.graph_recorder import GraphRecorder
    from fmrl_ros.cli.instruction_client import InstructionClient, NoPlannerError
    from fmrl_ros.cli.ros_session import RosSession
    from fmrl_ros.cli.stop_service import stop_robot
    from fmrl_ros.recording.message_recording import MessageRecording
    from fmrl_ros.robot.profile import load_profile

    began = time.monotonic()

    def trouble() -> Refusal | None:
        deaths = "; ".join(map(str, supervisor.deaths()))
        return refusal("{deaths}", "see its log in the folder logs", deaths=deaths) if deaths else None

    with view, RosSession("demo") as session, MessageRecording(folder.recording) as recording:
        view.status("starting the robot, its cameras, skills and planner")
        client = InstructionClient(session.node)
        recorder = GraphRecorder(session.node, load_profile(options.robot), recording, film)
        sent = False
        try:
            supervisor.wait_ready(PATIENCE)
            if not client.wait_for_planner(10.0):
                raise GraphError("the planner is ready but cannot be reached over DDS; is the network up?")
            run.times["start"] = time.monotonic() - began
            view.status("thinking")
            recorder.start()
            sent = True
            carry_out(run, client, view, trouble)
            time.sleep(AFTERMATH)
        except KeyboardInterrupt:
            with uninterrupted():
                if sent:
                    stop_robot(session.node, 2.0)  # first of all
                    interrupt(run, client, view)
            raise
        except (GraphError, NoPlannerError) as error:
            run.success, run.exit_code, run.reason = False, UNUSABLE, str(error)
            refuse(error)
        finally:
            recorder.stop()
