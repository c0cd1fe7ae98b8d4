import pytest

pytest.importorskip("rclpy")

from fmrl_ros.bench.chaos.catalogue import faults_of
from fmrl_ros.bench.chaos.fault import shortcoming
from fmrl_ros.cli.chaos.starts import Start, run_start, starts

FAULTS = {fault.name: fault for fault in faults_of(["start"])}


def test_every_fault_of_a_start_can_be_brought_about(tmp_path):
    assert set(starts(tmp_path)) == set(FAULTS)


@pytest.mark.graph
@pytest.mark.parametrize("name", ["an unknown robot", "an arm of six joints"])
def test_a_node_that_cannot_start_says_so_in_one_line(domain, monkeypatch, tmp_path, name):
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    ending = run_start(FAULTS[name], starts(tmp_path)[name])
    assert shortcoming(FAULTS[name], ending) == "", ending


@pytest.mark.graph
def test_an_end_without_a_cause_is_none(domain, monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    ending = run_start(FAULTS["an unknown robot"], Start("no_such_node", {}))
    assert ending.reason == "exit code 1 without a cause"
