"""The first start on a machine: everything that is made once and kept is made by several processes' wish at once."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fmrl_ros.bringup.graph import nodes
from fmrl_ros.bringup.supervisor import Supervisor
from fmrl_ros.cache import cache_folder

pytestmark = pytest.mark.graph
OF_THE_ROBOT_MODEL = ("mujoco_bridge", "scene_describer", "skill_server", "success_detector")
MESHES = "from fmrl_ros.simulation.fr3 import fr3_spec; print(fr3_spec().compile().nmesh)"
WEIGHTS = "from fmrl_ros.language.weights import model_folder; print(model_folder('smollm2'))"


@pytest.fixture
def empty_cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "fmrl_ros"


@pytest.mark.parametrize("attempt", range(3))
def test_all_nodes_start_at_once_on_an_empty_cache(empty_cache, domain, tmp_path, attempt):
    specs = [spec for spec in nodes("sim") if spec.name in OF_THE_ROBOT_MODEL]
    with Supervisor(specs, tmp_path / "logs", {"ROS_DOMAIN_ID": str(domain)}) as graph:
        graph.wait_ready(120)
        assert graph.deaths() == []
    (meshes,) = [path for path in empty_cache.iterdir() if path.is_dir()]
    assert len(list(meshes.glob("*.obj"))) > 20


@pytest.mark.slow
@pytest.mark.parametrize(("program", "sign"), [(MESHES, "*.obj"), (WEIGHTS, "*.gguf")], ids=str)
def test_a_process_that_is_killed_in_the_middle_leaves_nothing_and_the_next_one_succeeds(empty_cache, program, sign):
    victim = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not half_made(empty_cache, sign):
        assert victim.poll() is None and time.monotonic() < deadline, "it was over before it could be killed"
        time.sleep(0.005)
    os.kill(victim.pid, signal.SIGKILL)
    victim.wait()
    assert not whole(empty_cache)
    after = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240, check=False)
    assert after.returncode == 0, after.stderr
    (made,) = whole(empty_cache)
    assert not half_made(empty_cache, "*")
    if program == WEIGHTS:
        assert made == cache_folder("models/smollm2") and (made / "config.json").is_file()


def half_made(cache: Path, pattern: str) -> list[Path]:
    """What lies in the hidden folders in which something is being made."""
    with contextlib.suppress(FileNotFoundError):  # a folder that vanishes while it is looked through
        return [path for hidden in cache.rglob(".*-*") if hidden.is_dir() for path in hidden.rglob(pattern)]
    return []


def whole(cache: Path) -> list[Path]:
    """The folders that count as complete."""
    found = [path for folder in (cache, cache / "models") if folder.is_dir() for path in folder.iterdir()]
    return [path for path in found if path.is_dir() and not path.name.startswith(".") and path.name != "models"]
