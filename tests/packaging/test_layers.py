"""The house rules of docs/architecture.md: who may import whom."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from source_tree import PACKAGE, ROOT, brain, imported, module_name, modules

ROS = {"rclpy", "fmrl_interfaces", "launch", "launch_ros"}
MAY_IMPORT = {
    "worlds": set(),
    "meaning": {"worlds"},
    "language": set(),
    "robot": set(),
    "skills": {"worlds", "robot"},
    "perception": {"worlds", "language", "robot", "skills"},
    "planning": {"worlds", "meaning", "language", "perception"},
    "simulation": {"worlds", "robot", "skills", "perception", "planning"},
    "recording": {"planning"},
    "bringup": {"perception"},
    "learning": {"worlds", "meaning", "language", "robot", "skills", "perception", "planning", "simulation"},
    "bench": {"meaning", "worlds", "language", "robot", "skills", "perception", "planning", "simulation", "learning"},
    "nodes": {"worlds", "meaning", "robot", "skills", "perception", "planning", "simulation", "recording", "bringup"},
    "cli": {
        *("worlds", "meaning", "language", "robot", "skills", "perception", "planning"),
        *("recording", "bringup", "bench", "nodes"),
    },
}
"""For every folder the folders that it may import, beside the single files at the package's top."""
TRAINING = Path("cli", "train.py")
"""The one file outside of learning and bench that may import learning."""


def folder(name: str) -> str:
    """The folder of a module's dotted name; empty for the files at the package's top."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and (PACKAGE / parts[1]).is_dir() else ""


def own_imports(path: Path) -> Iterator[str]:
    """Dotted names of the package's own modules that a file imports, at its head or inside a function."""
    names = {module_name(other) for other in modules()}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module in names:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in names else node.module for name in inner)


@pytest.mark.parametrize("path", modules(), ids=module_name)
def test_no_import_leads_upward(path):
    here = folder(module_name(path))
    reached = {folder(name) for name in own_imports(path)} - {here, ""}
    allowed = MAY_IMPORT.get(here, set())
    if path.relative_to(PACKAGE) == TRAINING:
        allowed = allowed | {"learning"}
    assert reached <= allowed


def test_the_allowed_imports_form_no_circle():
    assert list(TopologicalSorter(MAY_IMPORT).static_order())
    assert set(MAY_IMPORT) == {folder(module_name(path)) for path in modules()} - {""}


def test_no_two_files_import_each_other():
    graph = {module_name(path): {*own_imports(path)} - {module_name(path)} for path in modules()}
    assert list(TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


@pytest.mark.parametrize("path", brain(), ids=module_name)
def test_a_brain_module_names_no_ros_package(path):
    assert not {name for name in imported(path) if name in ROS or name.endswith("_msgs")}


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


@pytest.mark.slow
def test_importing_all_that_runs_on_a_robot_loads_no_learning():
    names = [module_name(path) for path in brain() if folder(module_name(path)) not in ("learning", "bench")]
    program = (
        "import importlib, sys\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        "print([name for name in sys.modules if name.startswith('fmrl_ros.learning')])"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[-1] == "[]"
