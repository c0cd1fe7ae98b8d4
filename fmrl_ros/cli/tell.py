"""``fmrl tell``: say one sentence to a robot that somebody else has started."""

from __future__ import annotations

import select
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console

from fmrl_ros.cli import checks
from fmrl_ros.cli.exits import fail, refuse
from fmrl_ros.cli.interruption import INTERRUPTED, interruptible, uninterrupted
from fmrl_ros.cli.screen import screen
from fmrl_ros.refusal import Refusal

if TYPE_CHECKING:
    from rich.console import Console

    from fmrl_ros.cli.live_view import LiveView
    from fmrl_ros.recording.film import Film
    from fmrl_ros.recording.run import Run
    from fmrl_ros.recording.run_folder import RunFolder


def tell(
    instruction: Annotated[str, typer.Argument(help="What the robot shall do.")],
    planner: Annotated[str, typer.Option(help="Registered name; default: the running planner's own.")] = "",
    robot: Annotated[str, typer.Option(help="Robot profile: name or file.")] = "franka_sim",
    namespace: Annotated[str, typer.Option(help="ROS namespace of the robot, if it has one.")] = "",
    out: Annotated[Path | None, typer.Option(help="Folder for the outputs; default runs/<time>.")] = None,
    wait: Annotated[float, typer.Option(min=0.0, help="Seconds to look for a running planner.")] = 5.0,
    detach: Annotated[
        bool, typer.Option("--detach", help="Return at once; the robot goes on with nobody watching.")
    ] = (False),
    verbose: Annotated[bool, typer.Option("--verbose", help="Print long lines, too: all that is known.")] = False,
) -> None:
    """Say a sentence to a robot that is already running (`fmrl up sim`).

    A question about the scene is answered. Where the robot cannot tell whether it succeeded, it asks: type yes or no.
    The instruction ends with this command, however that ends, unless it is detached.
    """
    checks.check_instruction(instruction)
    namespace = checks.check_namespace(namespace)
    if planner:
        checks.check_planner(planner)
    checks.check_ros()
    checks.check_robot()
    if detach:
        _send(instruction, planner, namespace, wait)
        raise typer.Exit
    from fmrl_ros.cli.live_view import LiveView
    from fmrl_ros.recording.film import Film
    from fmrl_ros.recording.outputs import write_outputs
    from fmrl_ros.recording.run import Run

    console = screen()
    run, film = Run(instruction, planner=planner, reason="interrupted by the person"), Film()
    from fmrl_ros.cli.summary import print_files, print_outcome

    with interruptible():
        try:
            folder = _perform(run, film, robot, namespace, out, wait, LiveView(console, verbose))
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        if not run.begun:
            _end_unbegun(run, console)
        print_outcome(run, console)
        with uninterrupted(), console.status("writing the outputs"):
            problems = write_outputs(run, film, folder)
    print_files(folder, problems, console)
    raise typer.Exit(run.exit_code)


def _end_unbegun(run: Run, console: Console) -> NoReturn:
    """End the command with what the planner says about an instruction that it has not begun: it is busy, or stops."""
    if run.success is False:
        fail(run.reason)
    if run.success:
        console.print(run.reason, markup=False)
    raise typer.Exit(run.exit_code)


def _send(instruction: str, planner: str, namespace: str, wait: float) -> None:
    """Hand an instruction to the planner, and leave it to the robot."""
    from fmrl_ros.cli.instruction_client import InstructionClient, NoPlannerError
    from fmrl_ros.cli.ros_session import RosSession

    with RosSession("tell", namespace) as session:
        client = InstructionClient(session.node, attached=False)
        if not client.wait_for_planner(wait):
            refuse(checks.missing_robot("the planner"))
        try:
            client.send(instruction, planner)
        except NoPlannerError as error:
            refuse(error)
    screen().print("the robot carries it out, with nobody watching; fmrl stop ends it")


HELD = "the robot holds still; fmrl resume lets it move again"


def somebody_types() -> bool:
    """True if the command was given in a terminal."""
    return sys.stdin is not None and sys.stdin.isatty()


def typed() -> str:
    """Return the line that has been typed into the terminal, or nothing; never waits."""
    ready = somebody_types() and select.select([sys.stdin], [], [], 0.0)[0]
    return sys.stdin.readline().strip() if ready else ""


def _perform(
    run: Run, film: Film, robot: str, namespace: str, out: Path | None, wait: float, view: LiveView
) -> RunFolder:
    """Find the planner, carry out the instruction, and return the folder of the outputs, gone if it was never begun."""
    from fmrl_ros.cli.execution import carry_out, interrupt
    from fmrl_ros.cli.graph_recorder import GraphRecorder
    from fmrl_ros.cli.instruction_client import PLANNER_ENDED, InstructionClient, NoPlannerError
    from fmrl_ros.cli.ros_session import RosSession
    from fmrl_ros.cli.stop_service import stop_robot
    from fmrl_ros.recording.message_recording import MessageRecording
    from fmrl_ros.recording.run_folder import RunFolder

    profile = checks.known_profile(robot)
    with view, RosSession("tell", namespace) as session:
        view.status("looking for the planner")
        client = InstructionClient(session.node, answers=somebody_types())
        if not client.wait_for_planner(wait):
            refuse(checks.missing_robot("the planner"))
        try:
            folder = RunFolder.create(out)
        except OSError as error:
            refuse(f"cannot make the folder for the outputs: {error}")

        def trouble() -> Refusal | None:
            return PLANNER_ENDED if client.planner_gone() else None

        try:
            with MessageRecording(folder.recording) as recording:
                recorder = GraphRecorder(session.node, profile, recording, film)
                view.status("thinking")
                recorder.start()
                try:
                    carry_out(run, client, view, trouble, run.planner, typed=typed)
                except KeyboardInterrupt:
                    with uninterrupted():
                        problem = stop_robot(session.node, 2.0)  # first of all
                        interrupt(run, client, view)
                        view.console.print(f"it may not have stopped: {problem}" if problem else HELD, markup=False)
                finally:
                    recorder.stop()
        except NoPlannerError as error:
            refuse(error)
        finally:
            if not run.begun:
                folder.discard()
        return folder
