import pytest

pytest.importorskip("rclpy")

from fmrl_ros.bench.chaos.catalogue import faults_of
from fmrl_ros.bench.chaos.fault import Trial
from fmrl_ros.cli.chaos.run import run_trials

pytestmark = [pytest.mark.graph, pytest.mark.slow]


def named(name):
    return next(fault for fault in faults_of([]) if fault.name == name)


def test_trials_of_each_set_up_are_run_and_each_has_its_ending(domain, monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    trials = [Trial(named(name), i, 0.1) for i, name in enumerate(["status 401", "an unknown robot"])]
    said = []
    results = list(run_trials(trials, said.append))
    assert [result.trial.fault.kind for result in results] == ["start", "server"]
    assert [result.shortcoming for result in results] == ["", ""]
    assert any("starting the robot" in text for text in said)
