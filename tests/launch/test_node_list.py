import pytest

from fmrl_ros.graph import GraphOptions, nodes
from fmrl_ros.plugins import UnknownNameError


def test_the_simulated_profile_adds_the_driver_and_its_clock():
    robot, sim = nodes("robot"), nodes("sim")
    assert {s.name for s in sim} - {s.name for s in robot} == {"mujoco_bridge"}
    for spec in robot:
        assert spec.parameters.get("use_sim_time", False) is False
        assert "mujoco_bridge" not in spec.parameters.get("needs", [])
    for spec in sim:
        assert spec.parameters.get("use_sim_time", False) is (spec.name not in ("mujoco_bridge", "success_detector"))


def test_only_the_bridge_is_told_where_to_write_the_truth():
    for spec in nodes("sim", GraphOptions(truth_path="truth.json")):
        assert ("truth_path" in spec.parameters) is (spec.name == "mujoco_bridge")


def test_every_node_that_is_needed_is_started():
    names = {spec.name for spec in nodes("sim")}
    for spec in nodes("sim"):
        assert set(spec.parameters.get("needs", [])) <= names


def test_an_unknown_profile_lists_the_valid_ones():
    with pytest.raises(UnknownNameError, match="robot, sim"):
        nodes("sin")
