"""Parameters as ROS itself reads them from the file."""

import pytest

pytest.importorskip("rclpy")

import rclpy

from fmrl_ros.bringup.graph import NodeSpec
from fmrl_ros.bringup.parameter_file import write_parameters

TEXTS = ("y", "no", "on", "1", "1e5", "0x10", "nan", "~", "null", "a: b", "")
PARAMETERS = {f"text{i}": text for i, text in enumerate(TEXTS)} | {"n": 3, "x": 2.0, "is": True, "needs": ["1", "y"]}


@pytest.mark.parametrize("namespace", ["", "left/arm"])
def test_every_value_arrives_as_what_it_is(domain, tmp_path, namespace):
    file = write_parameters(NodeSpec("planner", "planner", namespace, PARAMETERS), tmp_path)
    context = rclpy.Context()
    rclpy.init(args=["--ros-args", "--params-file", str(file)], context=context, domain_id=domain)
    node = rclpy.create_node(
        "planner", namespace=namespace, context=context, automatically_declare_parameters_from_overrides=True
    )
    read = {name: node.get_parameter(name).value for name in PARAMETERS}
    node.destroy_node()
    context.shutdown()
    assert {name: (type(value), value) for name, value in read.items()} == {
        name: (type(value), value) for name, value in PARAMETERS.items()
    }


def test_processes_of_several_namespaces_have_files_of_their_own(tmp_path):
    specs = [NodeSpec("planner", "planner", robot, {"world": robot}) for robot in ("left", "right")]
    assert len({write_parameters(spec, tmp_path).read_text() for spec in specs}) == 2
