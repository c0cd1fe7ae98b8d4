"""``fmrl ask``: what the cameras see, in words; the robot does not move."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from fmrl_ros.cli import checks
from fmrl_ros.cli.exits import FAILED, refuse


def ask(
    question: Annotated[str, typer.Argument(help='For example "what is in the blue bowl?".')],
    namespace: Annotated[str, typer.Option(help="ROS namespace of the robot, if it has one.")] = "",
    wait: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for the robot, and for its answer.")] = 5.0,
) -> None:
    """Ask a running robot what it sees; it does not move. Exit code 1 if it does not know."""
    checks.check_question(question)
    namespace = checks.check_namespace(namespace)
    checks.check_ros()
    from fmrl_interfaces.srv import AskScene

    from fmrl_ros.cli.ros_session import RosSession
    from fmrl_ros.cli.service_call import NoAnswerError, call

    with RosSession("ask", namespace) as session:
        try:
            response = call(session.node, AskScene, "ask_scene", AskScene.Request(question=question), wait)
        except NoAnswerError as error:
            refuse(f"{error}. Is the robot running on this ROS_DOMAIN_ID? Start it with: fmrl up sim")
    Console(highlight=False).print(response.answer, markup=False)
    raise typer.Exit(0 if response.known else FAILED)
