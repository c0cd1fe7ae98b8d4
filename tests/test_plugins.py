import sys

import pytest

from fmrl_ros import plugins
from fmrl_ros.plugins import UnknownNameError


@pytest.fixture
def another_package(tmp_path, monkeypatch):
    """An installed package that registers a planner of its own."""
    (tmp_path / "lab_planner.py").write_text("class Careful:\n    pass\n")
    installed = tmp_path / "lab_planner-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: lab-planner\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text(
        "[fmrl_ros.planners]\ncareful = lab_planner:Careful\nabsent = lab_nothing:Nothing\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("lab_planner", None)


def test_what_another_package_registers_is_found_beside_our_own(another_package):
    assert {"careful", "inner_monologue", "saycan"} <= set(plugins.names("planners"))
    assert plugins.names("planners") == sorted(plugins.names("planners"))
    assert plugins.load("planners", "careful").__name__ == "Careful"


def test_a_plug_in_is_imported_only_when_it_is_loaded(another_package):
    assert "absent" in plugins.names("planners")
    with pytest.raises(ModuleNotFoundError, match="lab_nothing"):
        plugins.load("planners", "absent")


def test_a_name_that_nobody_registers_gets_the_valid_ones(another_package):
    with pytest.raises(UnknownNameError, match="unknown planner 'oracle'; valid: absent, careful,") as error:
        plugins.load("planners", "oracle")
    assert (error.value.kind, error.value.name) == ("planner", "oracle")
    assert error.value.valid == plugins.names("planners")


def test_a_group_that_nobody_registers_in_is_empty():
    assert plugins.names("teapots") == []
    with pytest.raises(UnknownNameError, match="unknown teapot 'mine'; valid: none installed"):
        plugins.load("teapots", "mine")


@pytest.mark.parametrize("group", ["planners", "perception_backends"])
def test_every_plug_in_of_this_package_can_be_loaded(group):
    for name in plugins.names(group):
        assert plugins.load(group, name).__module__.startswith("fmrl_ros.")


def test_valid_names_are_listed_in_order():
    assert str(UnknownNameError("world", "moon", ["b", "a"])) == "unknown world 'moon'; valid: a, b"
