"""With the stand-ins for launch and launch_ros; tests/launch evaluates the launch files."""

import importlib
import sys
from dataclasses import fields

import pytest
import stand_in

from fmrl_ros.bringup.graph import OF_SIMULATION, GraphOptions, NodeSpec, nodes


@pytest.fixture
def launching(monkeypatch):
    stand_in.install(monkeypatch)
    monkeypatch.delitem(sys.modules, "fmrl_ros.nodes.support.launching", raising=False)
    yield importlib.import_module("fmrl_ros.nodes.support.launching")
    del sys.modules["fmrl_ros.nodes.support.launching"]  # it holds the stand-ins


def evaluated(description, **arguments):
    """Return the arguments with their defaults, and the nodes that are started."""
    context, started = stand_in.LaunchContext(arguments), []
    for entity in description.entities:
        started += entity.execute(context) or []
    return context.launch_configurations, started


def test_every_option_of_the_graph_is_an_argument_with_its_default(launching):
    arguments, _ = evaluated(launching.description("sim"))
    assert arguments == {option.name: str(option.default) for option in fields(GraphOptions)}


def test_a_robot_has_no_arguments_of_a_simulation(launching):
    arguments, _ = evaluated(launching.description("robot"))
    assert not set(OF_SIMULATION) & set(arguments) and "world" in arguments


def test_an_argument_s_text_becomes_a_parameter_of_the_option_s_type(launching):
    _, started = evaluated(launching.description("sim"), seed="7", real_time_factor="2", planner="saycan")
    expected = nodes("sim", GraphOptions(seed=7, real_time_factor=2.0, planner="saycan"))
    assert [stand_in.parameters_of(node) for node in started] == [spec.parameters for spec in expected]
    assert [node.executable for node in started] == [spec.executable for spec in expected]


def test_what_is_no_number_is_refused(launching):
    with pytest.raises(ValueError, match="seven"):
        evaluated(launching.description("sim"), seed="seven")


def test_a_process_of_the_graph_has_its_name_namespace_and_remappings(launching, tmp_path):
    node = launching.action(NodeSpec("planner", "thinker", "lab", {"world": "tabletop"}, {"scene": "seen"}), tmp_path)
    assert (node.package, node.executable, node.name, node.namespace) == ("fmrl_ros", "planner", "thinker", "lab")
    assert node.remappings == [("scene", "seen")] and node.arguments == []


def test_a_process_for_several_robots_is_given_their_namespaces_and_no_name(launching, tmp_path):
    node = launching.action(NodeSpec("scene_describer", "scene_describer", robots=("left", "right")), tmp_path)
    assert (node.name, node.namespace, node.arguments) == (None, None, ["left", "right"])
