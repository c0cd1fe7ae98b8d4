import pytest

pytest.importorskip("rclpy")

from fmrl_ros.bench.chaos.catalogue import faults_of
from fmrl_ros.bench.chaos.fault import Trial, shortcoming
from fmrl_ros.cli.chaos.clients import run_client_trial

pytestmark = [pytest.mark.graph, pytest.mark.slow]


@pytest.mark.parametrize("name", ["fmrl tell killed", "Ctrl-C", "files may not grow"])
def test_what_becomes_of_an_instruction_whose_command_fails(graph, task, seed, tmp_path, name):
    fault = next(fault for fault in faults_of(["client"]) if fault.name == name)
    ending = run_client_trial(graph, Trial(fault, seed, 0.5), task, tmp_path / "run")
    assert shortcoming(fault, ending) == "", ending
