"""``fmrl stop``: the robot holds still, whatever it is doing; ``fmrl resume``: it may move again.

Where the robot has a stop switch, `fmrl_ros.cli.entry` has used it before this is loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from fmrl_ros.cli import checks
from fmrl_ros.cli.exits import FAILED, SUCCEEDED, refuse
from fmrl_ros.cli.screen import screen
from fmrl_ros.refusal import refusal
from fmrl_ros.robot.stop_switch import STANDS, in_words

if TYPE_CHECKING:
    from rclpy.node import Node

_NAMESPACE = typer.Option("", help="ROS namespace of the robot, if it has one.")
_ROBOT = typer.Option("franka_sim", help="Robot profile: name or file.")
_WAIT = typer.Option(10.0, min=0.1, help="Seconds to wait for the robot, and for its answer.")


def stop(
    namespace: str = _NAMESPACE,
    robot: str = _ROBOT,
    wait: float = _WAIT,
) -> None:
    """Stop the robot where it is, until `fmrl resume`; the instruction that it carries out ends.

    Exit code 1 if the arm is not seen to stand.
    """
    profile = checks.known_profile(robot)
    namespace = _checked(namespace)
    from fmrl_ros.cli.ros_session import RosSession
    from fmrl_ros.cli.standstill import Standstill

    with RosSession("stop", namespace) as session:
        standstill = Standstill(session.node, profile)
        _trigger(session.node, "stop", wait)
        arm = standstill.wait()
    screen().print(in_words(arm))
    raise typer.Exit(SUCCEEDED if arm == STANDS else FAILED)


def resume(
    namespace: str = _NAMESPACE,
    wait: float = _WAIT,
) -> None:
    """Let a robot that was stopped move again, once it is told to."""
    namespace = _checked(namespace)
    from fmrl_ros.cli.ros_session import RosSession

    with RosSession("resume", namespace) as session:
        _trigger(session.node, "resume", wait)
    screen().print("the robot may move again")


def _checked(namespace: str) -> str:
    """Return the namespace without slashes around it, if a robot may be there."""
    namespace = checks.check_namespace(namespace)
    checks.check_ros()
    checks.check_robot()
    return namespace


def _trigger(node: Node, service: str, wait: float) -> None:
    """Call a service of the robot's driver; one that does not answer, or refuses, ends the command."""
    from std_srvs.srv import Trigger

    from fmrl_ros.cli.service_call import NoAnswerError, call

    try:
        answer = call(node, Trigger, service, Trigger.Request(), wait)
    except NoAnswerError as error:
        refuse(checks.missing_robot(error.service))
    if not answer.success:
        name = node.resolve_service_name(service)
        refuse(refusal("{name} refused: {why}", "see the driver's log", name=name, why=answer.message))
