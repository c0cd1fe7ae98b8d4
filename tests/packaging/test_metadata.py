import os
import re
import sys
from distutils.core import run_setup
from importlib import import_module
from importlib.metadata import packages_distributions

import pytest
from source_tree import INTERFACES, PACKAGE, ROOT, imported, manifest, modules

import fmrl_ros

# Distributions whose rosdep key is not "python3-<name>".
ROSDEP = {"opencv-python-headless": "python3-opencv", "pillow": "python3-pil", "pyyaml": "python3-yaml"}
# Modules whose ROS package has another name.
ROS_PACKAGE = {"tf2_ros": "tf2_ros_py"}
# Needed without an import: read by another library, or found by name for the files inside.
OPTIONAL = {"open_clip": "open-clip-torch"}
"""What a part that nothing else needs imports, and the extra's distribution that brings it."""
INDIRECT = {"franky-sim", "gguf", "imageio-ffmpeg", "qpsolvers"}


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="module")
def setup():
    here = os.getcwd()
    os.chdir(ROOT)
    try:
        return run_setup("setup.py", stop_after="init")
    finally:
        os.chdir(here)


@pytest.fixture(scope="module")
def required(setup):
    return {normal(re.split(r"[\[<>=!~;]", line)[0]) for line in setup.install_requires}


@pytest.fixture(scope="module")
def declared():
    """Package names and rosdep keys in package.xml, and the names in its comment on those without a key."""
    root = manifest(ROOT)
    keys = {e.text for e in root if isinstance(e.tag, str) and e.tag.endswith("depend")}
    comments = " ".join(e.text for e in root if not isinstance(e.tag, str))
    return keys | set(comments.split(":", 1)[1].split())


def extras(setup):
    return {normal(re.split(r"[\[<>=!~;]", line)[0]) for extra in setup.extras_require.values() for line in extra}


def test_every_file_states_the_same_version(setup):
    pyproject = re.search(r'^version = "(.+)"$', (INTERFACES / "pyproject.toml").read_text(), re.MULTILINE)
    stated = {setup.metadata.version, pyproject[1], *(manifest(f).findtext("version") for f in (ROOT, INTERFACES))}
    assert stated == {fmrl_ros.__version__}


def test_everything_imported_is_declared(setup, required, declared):
    owners = packages_distributions()
    undeclared = {}
    for path in modules():
        foreign = set(imported(path)) - sys.stdlib_module_names - {"fmrl_ros"}
        for name in {n for n in foreign if ROS_PACKAGE.get(n, n) not in declared}:
            distributions = {normal(d) for d in owners.get(name, [OPTIONAL.get(name, name)])}
            if not distributions & (required | extras(setup)):
                undeclared.setdefault(str(path.relative_to(PACKAGE)), set()).add(name)
    assert not undeclared, "neither in setup.py nor in package.xml"


def test_every_python_requirement_has_a_rosdep_key_or_is_named_as_having_none(required, declared):
    def named(name):
        key = ROSDEP.get(name, f"python3-{name}")
        return name in declared or key in declared or f"{key}-pip" in declared

    assert [name for name in sorted(required) if not named(name)] == []


def test_nothing_is_required_that_nobody_imports(required):
    owners = packages_distributions()
    used = {normal(d) for path in modules() for name in imported(path) for d in owners.get(name, [])}
    assert required - used - INDIRECT == set()


def test_every_python_requirement_is_pinned(setup, required):
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {normal(line.split("==")[0]) for line in lines if "==" in line}
    assert (required | extras(setup)) - pinned == set()


def scripts_and_plugins():
    here = os.getcwd()
    os.chdir(ROOT)
    try:
        groups = run_setup("setup.py", stop_after="init").entry_points
    finally:
        os.chdir(here)
    return [entry for group in groups.values() for entry in group]


@pytest.mark.parametrize("entry", scripts_and_plugins())
def test_every_executable_and_plugin_leads_to_something_callable(entry):
    module, _, attribute = entry.split(" = ")[1].partition(":")
    assert callable(getattr(import_module(module), attribute))


def test_every_shared_file_is_installed(setup):
    installed = {source for _, sources in setup.data_files for source in sources}
    for folder in ("sim", "models", "launch", "config"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix != ".pyc" and not path.name.startswith("."):
                assert str(path.relative_to(ROOT)) in installed
