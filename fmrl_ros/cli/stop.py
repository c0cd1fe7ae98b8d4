"""``fmrl stop``: the robot holds still, whatever it is doing."""

from __future__ import annotations

import typer
from rich.console import Console

from fmrl_ros.cli import checks
from fmrl_ros.cli.exits import refuse


def stop(
    namespace: str = typer.Option("", help="ROS namespace of the robot, if it has one."),
    wait: float = typer.Option(5.0, min=0.1, help="Seconds to wait for the robot, and for its answer."),
) -> None:
    """Stop the robot where it is; `ros2 service call /resume std_srvs/srv/Trigger` lets it move again."""
    namespace = checks.check_namespace(namespace)
    checks.check_ros()
    from fmrl_ros.cli.ros_session import RosSession
    from fmrl_ros.cli.stop_service import stop_robot

    with RosSession("stop", namespace) as session:
        problem = stop_robot(session.node, wait)
    if problem:
        refuse(f"{problem}. Is the robot running on this ROS_DOMAIN_ID? Start it with: fmrl up sim")
    Console(highlight=False).print("the robot has stopped")
