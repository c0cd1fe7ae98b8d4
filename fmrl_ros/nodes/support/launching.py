"""The graph as launch actions; imports ROS 2's launch, which this package otherwise does without."""

from __future__ import annotations

import tempfile
from dataclasses import fields
from pathlib import Path

from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from fmrl_ros.bringup.graph import OF_SIMULATION, PACKAGE, GraphOptions, NodeSpec, nodes
from fmrl_ros.bringup.parameter_file import write_parameters
from launch import LaunchContext, LaunchDescription


def description(profile: str) -> LaunchDescription:
    """Return a profile's nodes, with a launch argument for every option that it has.

    Args:
      profile: See `fmrl_ros.bringup.graph.nodes`.
    """
    options = [o for o in fields(GraphOptions) if profile == "sim" or o.name not in OF_SIMULATION]

    def start(context: LaunchContext) -> list[Node]:
        said = {o.name: LaunchConfiguration(o.name).perform(context) for o in options}
        parameters = Path(tempfile.mkdtemp(prefix="fmrl-parameters-"))  # which a node that respawns reads again
        return [action(spec, parameters) for spec in nodes(profile, GraphOptions.from_text(said))]

    arguments = [DeclareLaunchArgument(o.name, default_value=str(o.default)) for o in options]
    return LaunchDescription([*arguments, OpaqueFunction(function=start)])


def action(spec: NodeSpec, folder: Path) -> Node:
    """Return the launch action of one process of the graph, whose parameters are written below a folder.

    Launch would read a text that it is handed as YAML, and make a number of the name ``1``.
    """
    several = bool(spec.robots)  # the names of its nodes are their own, and parameters go to all of them
    return Node(
        package=PACKAGE,
        executable=spec.executable,
        name=None if several else spec.name,
        namespace=None if several else spec.namespace,
        arguments=list(spec.robots),
        parameters=[str(write_parameters(spec, folder))],
        remappings=list(spec.remaps.items()),
        output="screen",
    )
