import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from fmrl_ros.bringup import shared_memory
from fmrl_ros.bringup.graph import GraphOptions, nodes
from fmrl_ros.bringup.supervisor import GraphError, Supervisor

QUICK = ("mujoco_bridge", "success_detector")


@pytest.fixture
def environment(domain):
    return {"ROS_DOMAIN_ID": str(domain)}


def quick_nodes(**parameters):
    specs = [spec for spec in nodes("sim", GraphOptions()) if spec.name in QUICK]
    return [replace(spec, parameters={**spec.parameters, **parameters}) for spec in specs]


def mapped_by(pid: int) -> set[Path]:
    return set(map(Path, re.findall(r"/dev/shm/fastdds_(?!port)\S+", Path(f"/proc/{pid}/maps").read_text())))


class Segments:
    """The segments that a graph's processes map, looked at all the time: those of others come and go beside them.

    Ports are left out: whoever else listens on this machine at the time shares them.
    """

    def __init__(self, graph: Supervisor) -> None:
        self.graph, self.mapped, self._over = graph, set(), threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> "Segments":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def left(self) -> set[Path]:
        of_the_probe = mapped_by(os.getpid())
        return {path for path in self.mapped - of_the_probe if path.exists()}

    def _look(self) -> None:
        while not self._over.wait(0.01):
            for pid in self.graph.pids.values():
                with contextlib.suppress(OSError):
                    self.mapped |= mapped_by(pid)


def test_a_file_that_a_process_has_open_or_mapped_is_not_abandoned(tmp_path):
    for name in ("fastdds_0a", "fastdds_0a_el", "fastdds_port7", "sem.fastdds_port7_mutex", "fastdds_0b", "of_others"):
        (tmp_path / name).write_bytes(b"1234")
    with (tmp_path / "fastdds_0a_el").open():
        left = [path.name for path in shared_memory.abandoned(tmp_path)]
    assert left == ["fastdds_0b", "fastdds_port7", "sem.fastdds_port7_mutex"]
    assert len(shared_memory.abandoned(tmp_path)) == 5


def test_what_is_removed_is_counted_in_bytes(tmp_path):
    (tmp_path / "fastdds_0a").write_bytes(b"1234")
    assert shared_memory.remove([tmp_path / "fastdds_0a", tmp_path / "gone"]) == 4
    assert shared_memory.abandoned(tmp_path) == []


def test_where_there_is_no_shared_memory_nothing_is_abandoned(tmp_path):
    assert shared_memory.abandoned(tmp_path / "shm") == []


@pytest.mark.graph
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_nodes_that_are_ended_leave_no_segment_and_no_name(environment, tmp_path, probe, how):
    with Supervisor(quick_nodes(), tmp_path, environment) as graph, Segments(graph) as segments:
        graph.wait_ready(60)
        deadline = time.monotonic() + 10
        while not set(QUICK) <= set(probe.node.get_node_names()) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert set(QUICK) <= set(probe.node.get_node_names())
        for pid in graph.pids.values():
            os.kill(pid, how)
        while graph.pids:
            time.sleep(0.05)
        assert graph.stop() == dict.fromkeys(QUICK, 0)
    deadline = time.monotonic() + 3
    while set(QUICK) & set(probe.node.get_node_names()):
        assert time.monotonic() < deadline, "an ended node is still listed"
        time.sleep(0.1)
    assert segments.mapped and not segments.left()


@pytest.mark.graph
def test_nodes_that_die_while_they_are_configured_leave_no_segment(environment, tmp_path):
    with (
        Supervisor(quick_nodes(world="mars"), tmp_path, environment) as graph,
        Segments(graph) as segments,
        pytest.raises(GraphError, match="unknown world 'mars'"),
    ):
        graph.wait_ready(60)
    assert segments.mapped and not segments.left()


@pytest.mark.graph
def test_a_node_that_is_ended_while_it_loads_leaves_no_segment(environment, tmp_path):
    planner = [spec for spec in nodes("sim") if spec.name == "planner"]
    with Supervisor(planner, tmp_path, environment) as graph, Segments(graph) as segments:
        deadline = time.monotonic() + 30
        while not segments.mapped and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(graph.pids["planner"], signal.SIGTERM)
        while graph.pids:
            time.sleep(0.05)
        assert graph.stop() == {"planner": 0}
    assert segments.mapped and not segments.left()


@pytest.mark.graph
def test_what_a_killed_node_leaves_is_found_and_removed_by_the_doctor(environment, tmp_path):
    with Supervisor(quick_nodes(), tmp_path, environment) as graph, Segments(graph) as segments:
        graph.wait_ready(60)
        time.sleep(0.2)
        for name in QUICK:
            graph.kill(name)
    left = segments.left()
    assert left and left <= {*shared_memory.abandoned()}
    command = [sys.executable, "-m", "fmrl_ros.cli.main", "doctor", "--clean"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False).stdout
    assert said.startswith("removed ")
    assert not segments.left()
