import subprocess
import sys

import pytest
from source_tree import ROOT, brain, imported, module_name

ROS = {"rclpy", "fmrl_interfaces", "launch", "launch_ros"}


@pytest.mark.parametrize("path", brain(), ids=module_name)
def test_a_brain_module_names_no_ros_package(path):
    assert not {name for name in imported(path) if name in ROS or name.endswith("_msgs")}


def test_language_models_know_no_planner():
    of_language = [path for path in brain() if module_name(path).startswith("fmrl_ros.language.")]
    assert of_language
    for path in of_language:
        assert "fmrl_ros.planning" not in path.read_text(encoding="utf-8"), path.name


@pytest.mark.slow
def test_importing_the_whole_brain_loads_no_ros():
    names = [module_name(path) for path in brain()]
    program = (
        "import importlib, sys\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        f"print(sorted({{module.split('.')[0] for module in sys.modules}} & {ROS!r}))"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[-1] == "[]"
