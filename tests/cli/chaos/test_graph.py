import json

import pytest

pytest.importorskip("rclpy")

from lifecycle_msgs.msg import Transition

pytestmark = [pytest.mark.graph, pytest.mark.slow]


def test_the_truth_is_written_while_the_robot_runs(graph):
    graph.write_truth()
    assert "red block" in json.loads(graph.truth_path.read_text())["objects"]


def test_an_unknown_fault_is_refused(graph):
    with pytest.raises(RuntimeError, match="unknown fault 'bad weather'"):
        graph.spoil("bad weather")


def test_every_fault_is_gone_once_the_graph_is_restored(graph, seed):
    graph.spoil("joint states lost")
    graph.kill("success_detector")
    graph.change_state("planner", Transition.TRANSITION_DEACTIVATE)
    assert graph.restore(seed) == ""
    assert "success_detector" in graph.supervisor.pids
    assert graph.wait_for_idle_planner(10)


def test_the_arm_is_watched_before_any_fault(graph):
    graph.spoil("joint states lost")
    graph.arm.forget()
    assert graph.wait(lambda: graph.arm.count > 20, 10)
    assert graph.arm.travel() < 0.02 and graph.arm.excess == ""
