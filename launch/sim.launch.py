"""Start the simulated robot and everything above it: ``ros2 launch fmrl_ros sim.launch.py seed:=3``."""

from dataclasses import fields

from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from fmrl_ros.graph import PACKAGE, GraphOptions, NodeSpec, nodes
from launch import LaunchContext, LaunchDescription

PROFILE = "sim"


def action(spec: NodeSpec) -> Node:
    """Return the launch action of one node of the graph."""
    return Node(
        package=PACKAGE,
        executable=spec.executable,
        name=spec.name,
        namespace=spec.namespace,
        parameters=[dict(spec.parameters)],
        remappings=list(spec.remaps.items()),
        output="screen",
    )


def start(context: LaunchContext) -> list[Node]:
    """Return the nodes for the arguments as given."""
    chosen = {}
    for option in fields(GraphOptions):
        text = LaunchConfiguration(option.name).perform(context)
        chosen[option.name] = type(option.default)(text)
    return [action(spec) for spec in nodes(PROFILE, GraphOptions(**chosen))]


def generate_launch_description() -> LaunchDescription:
    """Declare an argument for every option of the graph, then start its nodes."""
    arguments = [DeclareLaunchArgument(o.name, default_value=str(o.default)) for o in fields(GraphOptions)]
    return LaunchDescription([*arguments, OpaqueFunction(function=start)])
