"""Start everything above a robot's own drivers: ``ros2 launch fmrl_ros robot.launch.py robot:=/path/profile.yaml``.

Several robots of one kind, with one process that looks through all their cameras: ``namespace:=left,right``.
"""

from fmrl_ros.nodes.support.launching import description
from launch import LaunchDescription


def generate_launch_description() -> LaunchDescription:
    """Return the nodes; ``--show-args`` lists what can be chosen."""
    return description("robot")
