"""The real nodes in processes of their own, for a few seconds."""

import pytest

pytest.importorskip("rclpy")

from fmrl_ros.bringup.graph import nodes
from fmrl_ros.cli.control_rate import NEEDED, PAUSE, measure_control

pytestmark = [pytest.mark.graph, pytest.mark.timeout(200)]


def test_commands_are_measured_where_a_driver_receives_them(monkeypatch, domain):
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    timing = measure_control("tabletop", seed=0, seconds=3.0)
    assert timing.what == "deviation of skill_server from 20 Hz"
    assert timing.calls > 20
    assert 0 <= timing.median <= timing.p99 < PAUSE


def test_only_nodes_of_the_simulated_robot_are_started():
    assert set(NEEDED) <= {spec.executable for spec in nodes("sim")}
