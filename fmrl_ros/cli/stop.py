"""``fmrl stop``: the robot holds still, whatever it is doing; ``fmrl resume``: it may move again."""

from __future__ import annotations

import typer

from fmrl_ros.cli import checks
from fmrl_ros.cli.exits import refuse
from fmrl_ros.cli.screen import screen

STOP, RESUME = "stop", "resume"
_NAMESPACE = typer.Option("", help="ROS namespace of the robot, if it has one.")
_WAIT = typer.Option(10.0, min=0.1, help="Seconds to wait for the robot, and for its answer.")


def stop(
    namespace: str = _NAMESPACE,
    wait: float = _WAIT,
) -> None:
    """Stop the robot where it is, until `fmrl resume`; the instruction that it carries out ends."""
    _ask(STOP, namespace, wait)
    screen().print("the robot has stopped; fmrl resume lets it move again")


def resume(
    namespace: str = _NAMESPACE,
    wait: float = _WAIT,
) -> None:
    """Let a robot that was stopped move again, once it is told to."""
    _ask(RESUME, namespace, wait)
    screen().print("the robot may move again")


def _ask(service: str, namespace: str, wait: float) -> None:
    namespace = checks.check_namespace(namespace)
    checks.check_ros()
    from fmrl_ros.cli.ros_session import RosSession
    from fmrl_ros.cli.stop_service import resume_robot, stop_robot

    with RosSession(service, namespace) as session:
        problem = (stop_robot if service == STOP else resume_robot)(session.node, wait)
    if problem:
        refuse(
            f"{problem}. Is the robot running on this ROS_DOMAIN_ID? Start it with: fmrl up sim, or"
            f" see whether its driver offers the service '{service}'"
        )
