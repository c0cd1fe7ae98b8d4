"""``fmrl ask``: what the cameras see and what the robot can do, in words; the robot does not move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fmrl_ros.cli import checks
from fmrl_ros.cli.exits import FAILED, refuse
from fmrl_ros.cli.screen import screen

if TYPE_CHECKING:
    from rclpy.node import Node


def ask(
    question: Annotated[str, typer.Argument(help='For example "what is in the blue bowl?".')],
    namespace: Annotated[str, typer.Option(help="ROS namespace of the robot, if it has one.")] = "",
    wait: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for the robot, and for its answer.")] = 5.0,
) -> None:
    """Ask a running robot what it sees or can do; it does not move. Exit code 1 if it does not know."""
    checks.check_question(question)
    namespace = checks.check_namespace(namespace)
    checks.check_ros()
    checks.check_robot()
    from fmrl_ros.cli.ros_session import RosSession
    from fmrl_ros.cli.service_call import NoAnswerError

    with RosSession("ask", namespace) as session:
        try:
            answer, known = _answer(session.node, question, wait)
        except NoAnswerError as error:
            refuse(checks.missing_robot(error.service))
    screen().print(answer, markup=False)
    raise typer.Exit(0 if known else FAILED)


def _answer(node: Node, question: str, wait: float) -> tuple[str, bool]:
    """Return the answer, and whether it is known: from the skill server what it offers, all else from the cameras.

    Raises:
      NoAnswerError: If the node that knows is not running.
    """
    from fmrl_interfaces.srv import AskScene, ListSkills

    from fmrl_ros.cli.service_call import call
    from fmrl_ros.nodes.support.conversions import skill_from
    from fmrl_ros.perception.question_form import asks_for_skills
    from fmrl_ros.perception.questions import skills_in_words

    if asks_for_skills(question):
        offered = call(node, ListSkills, "list_skills", ListSkills.Request(), wait).skills
        return skills_in_words(map(skill_from, offered)), True
    response = call(node, AskScene, "ask_scene", AskScene.Request(question=question), wait)
    return response.answer, response.known
