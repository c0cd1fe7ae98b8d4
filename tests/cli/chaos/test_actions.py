import pytest

pytest.importorskip("rclpy")

from fmrl_ros.bench.chaos.catalogue import faults_of
from fmrl_ros.cli.chaos.actions import actions


def test_every_fault_of_the_running_graph_can_be_brought_about():
    kinds = ("joint states", "commands", "scene", "camera", "process", "world", "person")
    assert set(actions()) == {fault.name for fault in faults_of(kinds)}
