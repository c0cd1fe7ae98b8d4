import pytest

pytest.importorskip("rclpy")

from fmrl_ros.bench.chaos.catalogue import faults_of
from fmrl_ros.bench.chaos.fault import Fault, Trial, shortcoming
from fmrl_ros.cli.chaos.trial import run_trial

pytestmark = [pytest.mark.graph, pytest.mark.slow]


def test_a_fault_while_the_robot_works_ends_the_instruction_by_its_cause(graph, client, task, seed):
    fault = next(fault for fault in faults_of(["camera"]) if fault.name == "depth in millimetres")
    ending = run_trial(graph, client, Trial(fault, seed, 0.5), task, lambda: graph.spoil(fault.name))
    assert shortcoming(fault, ending) == "" and not ending.claimed, ending


def test_without_a_fault_a_success_is_claimed_and_true(graph, client, task, seed):
    nothing = Fault("person", "nothing", (), 60.0)
    ending = run_trial(graph, client, Trial(nothing, seed, 0.1), task, lambda: None)
    assert ending.claimed and ending.true and ending.moved > 0.1, ending


def test_what_must_move_nothing_is_said_to_a_robot_at_rest(graph, client, task, seed):
    fault = next(fault for fault in faults_of(["words"]) if "purple" in fault.name)
    ending = run_trial(graph, client, Trial(fault, seed, 0.0), task, lambda: None)
    assert shortcoming(fault, ending) == "" and "purple" in ending.reason, ending
