import re

import pytest

from fmrl_ros.bringup.graph import GraphOptions, nodes
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


def test_one_process_describes_what_several_robots_see():
    shared, *others = nodes("robot", GraphOptions(namespace="left,right/arm"))
    assert (shared.name, shared.path, shared.robots) == ("scene_describer", "scene_describer", ("left", "right/arm"))
    assert len({spec.path for spec in others}) == len(others) == 6
    assert {spec.namespace for spec in others} == {"left", "right/arm"}
    assert {spec.path for spec in nodes("robot", GraphOptions(namespace="/left/"))} >= {"left/scene_describer"}


@pytest.mark.parametrize("namespace", ["left,", "2nd", "left right", "a//b"])
def test_what_is_no_namespace_is_named(namespace):
    with pytest.raises(ValueError, match="is not a ROS namespace"):
        nodes("robot", GraphOptions(namespace=namespace))


def test_simulated_robots_are_not_put_on_one_clock():
    with pytest.raises(ValueError, match="2 simulated robots would share one clock"):
        nodes("sim", GraphOptions(namespace="left,right"))


def test_an_unknown_profile_lists_the_valid_ones():
    with pytest.raises(UnknownNameError, match="robot, sim"):
        nodes("sin")


@pytest.mark.parametrize(("seed", "factor"), [("7", "2"), ("7.0", "2.0"), (" 7", "2e0")])
def test_numbers_are_the_same_however_they_are_written(seed, factor):
    options = GraphOptions.from_text({"seed": seed, "real_time_factor": factor})
    assert (options.seed, options.real_time_factor) == (7, 2.0)
    assert (type(options.seed), type(options.real_time_factor)) == (int, float)


@pytest.mark.parametrize("text", ["1", "1.0", "on", "null", "[front]", "a: b", "'quoted'", "#", ""])
def test_text_that_looks_like_yaml_stays_text(text):
    assert GraphOptions.from_text({"language_model": text}).language_model == text


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("seed", "1.5", "seed:=1.5 is not a whole number; for example seed:=0"),
        ("seed", "", "seed:= is not a whole number; for example seed:=0"),
        ("real_time_factor", "fast", "real_time_factor:=fast is not a number; for example real_time_factor:=1.0"),
        ("real_time_factor", "nan", "real_time_factor:=nan is not a number"),
    ],
)
def test_an_argument_that_is_no_number_is_named_with_an_example(name, text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        GraphOptions.from_text({name: text})
