"""Start the simulated robot and everything above it: ``ros2 launch fmrl_ros sim.launch.py seed:=3``."""

from fmrl_ros.nodes.support.launching import description
from launch import LaunchDescription


def generate_launch_description() -> LaunchDescription:
    """Return the nodes; ``--show-args`` lists what can be chosen."""
    return description("sim")
