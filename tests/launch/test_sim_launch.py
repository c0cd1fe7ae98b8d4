import importlib.util
import runpy
import sys

import pytest
import stand_in

from fmrl_ros.assets import share
from fmrl_ros.bringup.graph import GraphOptions, nodes

SIM, ROBOT = (share("launch") / f"{profile}.launch.py" for profile in ("sim", "robot"))
REAL = importlib.util.find_spec("launch_ros") is not None


def evaluate(arguments, file=SIM):
    """Return the nodes that a launch file starts for these arguments."""
    module = runpy.run_path(str(file))
    context = stand_in.LaunchContext(arguments)
    started = []
    for entity in module["generate_launch_description"]().entities:
        started += entity.execute(context) or []
    return started


def declared(file):
    entities = runpy.run_path(str(file))["generate_launch_description"]().entities
    return [entity for entity in entities if isinstance(entity, stand_in.DeclareLaunchArgument)]


@pytest.fixture
def launch(monkeypatch):
    stand_in.install(monkeypatch)
    monkeypatch.delitem(sys.modules, "fmrl_ros.nodes.support.launching", raising=False)  # it holds what it has imported


def test_it_starts_the_nodes_of_the_graph_with_their_parameters(launch):
    started = evaluate({})
    described = nodes("sim")
    assert [n.executable for n in started] == [s.executable for s in described]
    for node, spec in zip(started, described, strict=True):
        assert (node.package, node.name, node.namespace) == ("fmrl_ros", spec.name, spec.namespace)
        assert stand_in.parameters_of(node) == spec.parameters
        assert node.remappings == list(spec.remaps.items())


def test_arguments_reach_the_nodes_with_their_types(launch):
    arguments = {"seed": "7", "real_time_factor": "2", "planner": "saycan", "namespace": "lab"}
    started = {node.name: node for node in evaluate(arguments)}
    bridge = stand_in.parameters_of(started["mujoco_bridge"])
    assert bridge["seed"] == 7 and bridge["real_time_factor"] == 2.0 and isinstance(bridge["real_time_factor"], float)
    assert stand_in.parameters_of(started["planner"])["planner"] == "saycan"
    assert {node.namespace for node in started.values()} == {"lab"}


@pytest.mark.parametrize("text", ["1", "y", "no", "1e5"])
def test_text_that_yaml_would_change_reaches_the_nodes_as_it_was_said(launch, text):
    assert {stand_in.parameters_of(node)["world"] for node in evaluate({"world": text})} == {text}


def test_an_argument_that_is_no_number_is_named(launch):
    with pytest.raises(ValueError, match=r"seed:=many is not a whole number; for example seed:=0"):
        evaluate({"seed": "many"})


def test_a_robot_has_its_own_drivers_and_no_options_of_a_simulation(launch):
    started = evaluate({"cameras": "front,side"}, ROBOT)
    assert [node.name for node in started] == [spec.name for spec in nodes("robot")]
    assert "seed" not in {entity.name for entity in declared(ROBOT)}
    assert stand_in.parameters_of(started[0])["cameras"] == "front,side"


def test_several_robots_share_the_process_that_looks(launch):
    shared, *others = evaluate({"namespace": "left, right"}, ROBOT)
    assert (shared.executable, shared.arguments) == ("scene_describer", ["left", "right"])
    assert shared.name is None and shared.namespace is None, "each of its nodes has its own"
    assert [(node.namespace, node.name) for node in others] == [
        (robot, name) for robot in ("left", "right") for name in ("skill_server", "success_detector", "planner")
    ]


def test_every_executable_is_installed_by_the_package():
    setup = (SIM.parent.parent / "setup.py").read_text()
    for spec in nodes("sim", GraphOptions()):
        assert f'"{spec.executable}"' in setup
        assert importlib.util.find_spec(f"fmrl_ros.nodes.{spec.executable}") is not None


@pytest.mark.skipif(not REAL, reason="launch_ros is not installed; it comes with a ROS distribution")
@pytest.mark.parametrize("profile", ["sim", "robot"])
def test_the_real_launch_modules_take_the_description(profile):
    from launch.actions import OpaqueFunction

    from launch import LaunchContext

    description = runpy.run_path(str(share("launch") / f"{profile}.launch.py"))["generate_launch_description"]()
    context = LaunchContext()
    started = []
    for entity in description.entities:
        if isinstance(entity, OpaqueFunction):
            started = entity.execute(context)
        else:
            entity.execute(context)
    assert len(started) == len(nodes(profile))
