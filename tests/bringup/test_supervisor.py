import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from fmrl_ros.bringup.graph import GraphOptions, nodes
from fmrl_ros.bringup.supervisor import GraphError, Supervisor

pytestmark = pytest.mark.graph


def spec(name, **parameters):
    found = next(s for s in nodes("sim", GraphOptions()) if s.name == name)
    return replace(found, parameters={**found.parameters, **parameters})


@pytest.fixture
def environment(domain):
    return {"ROS_DOMAIN_ID": str(domain)}


def exists(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_simulated_robot_whose_cameras_cannot_render_is_never_ready(environment, tmp_path):
    blind = {**environment, "MUJOCO_GL": "glfw", "DISPLAY": ":77"}  # where no server is
    with (
        Supervisor([spec("mujoco_bridge")], tmp_path, blind) as graph,
        pytest.raises(GraphError, match=r"mujoco_bridge did not start: cannot render .* with glfw: .*; fmrl doctor"),
    ):
        graph.wait_ready(60)


def test_nodes_get_ready_and_end_cleanly_without_leaving_a_process(environment, tmp_path):
    with Supervisor([spec("success_detector")], tmp_path, environment) as graph:
        graph.wait_ready(60)
        pids = graph.pids
        assert set(pids) == {"success_detector"}
        assert graph.stop() == {"success_detector": 0}
    assert not any(exists(pid) for pid in pids.values())
    assert graph.deaths() == [], "who was asked to end has not died"


def test_a_death_is_reported_once_with_its_cause(environment, tmp_path):
    with Supervisor([spec("success_detector")], tmp_path, environment) as graph:
        graph.wait_ready(60)
        assert graph.deaths() == []
        graph.kill("success_detector")
        (death,) = graph.deaths()
        assert death.name == "success_detector" and "SIGKILL" in str(death)
        assert graph.deaths() == []


def test_a_node_that_cannot_start_is_named_with_the_valid_choices(environment, tmp_path):
    with (
        Supervisor([spec("mujoco_bridge", world="mars")], tmp_path, environment) as graph,
        pytest.raises(GraphError, match=r"mujoco_bridge did not start: unknown world 'mars'; valid: .*tabletop"),
    ):
        graph.wait_ready(60)


def test_a_node_that_crashes_while_it_starts_is_started_once_more(environment, tmp_path, caplog):
    with Supervisor([spec("success_detector")], tmp_path, environment) as graph:
        (pid,) = graph.pids.values()
        os.kill(pid, signal.SIGSEGV)
        graph.wait_ready(60)
        assert list(graph.pids) == ["success_detector"] and graph.pids["success_detector"] != pid
        assert "success_detector was ended by SIGSEGV" in caplog.text and "once more" in caplog.text
        assert graph.deaths() == []


def test_a_node_that_crashes_again_is_named_with_its_error_and_place(environment, tmp_path):
    crashing = tmp_path / "sitecustomize.py"
    crashing.write_text("import faulthandler\nfaulthandler.enable()\nfaulthandler._sigsegv()\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    with (
        Supervisor([spec("success_detector")], tmp_path, {**environment, "PYTHONPATH": path}) as graph,
        pytest.raises(GraphError, match=r"success_detector died while starting: Segmentation fault in File .*line 3"),
    ):
        graph.wait_ready(60)


def test_an_executable_that_does_not_exist_is_named(environment, tmp_path):
    missing = replace(spec("success_detector"), executable="soothsayer", name="soothsayer")
    with Supervisor([missing], tmp_path, environment) as graph, pytest.raises(GraphError, match="soothsayer died"):
        graph.wait_ready(60)


def test_a_killed_supervisor_leaves_no_node_behind(environment, tmp_path):
    program = (
        "import sys, time\n"
        "from fmrl_ros.bringup.graph import nodes\n"
        "from fmrl_ros.bringup.supervisor import Supervisor\n"
        "specs = [s for s in nodes('sim') if s.name in ('success_detector', 'mujoco_bridge')]\n"
        "graph = Supervisor(specs)\n"
        "graph.start(); graph.wait_ready(60)\n"
        "print(*graph.pids.values(), flush=True)\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, env={**os.environ, **environment}, text=True
    )
    try:
        pids = [int(word) for word in process.stdout.readline().split()]
        assert len(pids) == 2 and all(exists(pid) for pid in pids)
        process.send_signal(signal.SIGKILL)
        process.wait()
        deadline = time.monotonic() + 10
        while any(exists(pid) for pid in pids):
            assert time.monotonic() < deadline, "a node outlived its supervisor"
            time.sleep(0.1)
    finally:
        process.kill()
        process.stdout.close()
