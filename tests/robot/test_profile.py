import copy
from pathlib import Path

import numpy as np
import pytest
import yaml

from fmrl_ros.assets import share
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.robot.camera import CameraModel
from fmrl_ros.robot.kinematics import ForwardKinematics
from fmrl_ros.robot.profile import (
    ProfileError,
    load_profile,
    parse_profile,
    profile_names,
)
from fmrl_ros.simulation.rendering import camera_model
from fmrl_ros.simulation.robot import ROBOT
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.worlds.world import load_world


@pytest.fixture
def tree():
    return yaml.safe_load((share("config") / "franka_sim.yaml").read_text())


def test_the_simulated_robot_is_what_its_profile_says():
    profile = load_profile("franka_sim")
    simulation = TabletopSimulation(load_world("tabletop"))
    simulation.reset({})
    limits = [simulation.model.joint(ROBOT + name).range for name in profile.joints]
    assert np.allclose(profile.position_limits, limits, atol=1e-3)
    hand = ForwardKinematics(profile).link(profile.home, "hand")
    for camera in profile.cameras:
        true = camera_model(simulation.model, simulation.data, camera.name, camera.width, camera.height)
        said = camera.model(hand if camera.parent == "hand" else None)
        assert isinstance(said, CameraModel)
        assert np.allclose(said.pose, true.pose, atol=1e-4), camera.name
        assert np.allclose(said.K, true.K, atol=1e-3), camera.name


def test_an_unknown_profile_lists_the_valid_ones():
    with pytest.raises(UnknownNameError, match="franka_sim"):
        load_profile("frankenstein")


def test_a_file_of_ones_own_is_read(tmp_path, tree):
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump({**tree, "name": "mine"}))
    assert load_profile(str(path)).name == "mine"


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        (("watchdog",), -1, "watchdog: must be a number greater than 0"),
        (("arm", "velocity_limits"), [1, 2], "arm.velocity_limits: must be 7 finite numbers"),
        (("arm", "position_limits", 3), [1, -1], "arm.position_limits: each entry must be"),
        (("arm", "home", 0), 9.0, "arm.home: outside arm.position_limits at fr3_joint1"),
        (("arm", "joints"), ["a", "a"], "arm.joints: a name appears twice"),
        (("workspace", "z"), [0, float("nan")], "workspace.z: must be 2 finite numbers"),
        (("topics",), None, "topics: must be a mapping"),
        (("topics", "joint_states"), "", "topics.joint_states: must be a name"),
        (("arm", "joints"), "fr3_joint1", "arm.joints: must be a list of names"),
        (("arm", "velocity_limits", 2), 0.0, "arm.velocity_limits: every limit must be greater than 0"),
        (("workspace", "x"), [0.7, 0.2], "workspace.x: must be .* lower < upper"),
        (("cameras", "front", "orientation"), [0, 0, 0, 2], "cameras.front.orientation: must be a unit quaternion"),
        (("cameras", "front", "rate"), "fast", "cameras.front.rate: must be a number"),
    ],
)
def test_an_error_names_the_field_and_what_it_may_be(tree, where, value, message):
    broken = copy.deepcopy(tree)
    node = broken
    for key in where[:-1]:
        node = node[key]
    node[where[-1]] = value
    with pytest.raises(ProfileError, match=message):
        parse_profile(broken)


JOINTS = [f"fr3_joint{i}" for i in range(1, 8)]


@pytest.mark.parametrize(
    ("section", "joints", "message"),
    [
        ("gripper", ["finger_joint1"], r"gripper\.joints: .* 2 finger joints.* here are 1: finger_joint1"),
        ("gripper", ["finger_joint1", JOINTS[0]], r"gripper\.joints: fr3_joint1 stands among arm\.joints, too"),
    ],
)
def test_a_robot_that_the_skills_are_not_made_for_is_refused(tree, section, joints, message):
    tree[section]["joints"] = joints
    with pytest.raises(ProfileError, match=message):
        parse_profile(tree)


@pytest.mark.parametrize(
    "joints", [[f"panda_joint{i}" for i in range(1, 8)], list("abcdefg"), [f"a{i}_x" for i in "7654321"]]
)
def test_joints_may_have_names_of_ones_own(tree, joints):
    tree["arm"]["joints"] = joints
    assert parse_profile(tree).joints == tuple(joints)


def test_an_arm_may_have_any_number_of_joints(tree):
    for field in ("joints", "home", "position_limits", "velocity_limits"):
        del tree["arm"][field][3]
    assert len(parse_profile(tree).joints) == 6


def test_without_a_model_the_arm_is_the_registered_fr3(tree):
    del tree["model"]
    model = parse_profile(tree).model
    assert (model.file, model.tool, model.hand) == ("fr3", "tcp", None)
    assert model.joints == tuple(tree["arm"]["joints"])


def test_a_model_s_path_begins_where_the_profile_is(tree, tmp_path):
    tree["model"] = {"file": "arm.urdf", "tool": "tool0", "base": "base_link", "joints": list("abcdefg")}
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(tree))
    model = load_profile(str(file)).model
    assert (model.file, model.base) == (str(tmp_path / "arm.urdf"), "base_link")
    assert (model.tool, model.tool_pose) == ("tool0", None)
    assert model.joints == tuple("abcdefg")


def test_the_tool_may_be_at_some_place_in_a_body_and_the_hand_a_model_of_its_own(tree):
    place = {"parent": "flange", "position": [0, 0, 0.1], "orientation": [0, 0, 0, 1]}
    tree["model"] = {"file": "package:arms/arm.xml", "tool": place, "hand": {"file": "~/hand.xml", **place}}
    model = parse_profile(tree).model
    assert model.file == "package:arms/arm.xml" and model.tool == "flange"
    assert model.tool_pose[:3, 3] == pytest.approx([0, 0, 0.1])
    assert model.hand.parent == "flange" and model.hand.file == str(Path.home() / "hand.xml")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ({"tool": "tcp"}, r"model\.file: missing"),
        ({"file": "fr3"}, r"model\.tool: missing; present: file"),
        ({"file": "fr3", "tool": 3}, r"model\.tool: must be a name"),
        (
            {"file": "fr3", "tool": "tcp", "joints": ["a"]},
            r"model\.joints: must be 7 names, one for each of fr3_j",
        ),
        ({"file": "fr3", "tool": "tcp", "gripper_joints": "a"}, r"model\.gripper_joints: must be a list"),
        ({"file": "fr3", "tool": {"parent": "hand", "position": [0, 0, 1]}}, r"model\.tool\.orientation: missing"),
        ({"file": "fr3", "tool": "tcp", "hand": {"file": "h.xml"}}, r"model\.hand\.parent: missing"),
    ],
)
def test_a_model_that_is_not_described_as_it_must_be_names_the_field(tree, model, message):
    tree["model"] = model
    with pytest.raises(ProfileError, match=message):
        parse_profile(tree)


def test_a_missing_field_is_named(tree):
    del tree["arm"]["home"]
    with pytest.raises(ProfileError, match=r"arm\.home: missing; present: joints"):
        parse_profile(tree)


def test_a_camera_whose_pose_comes_from_tf_needs_none_in_the_profile(tree):
    front = tree["cameras"]["front"]
    tree["cameras"]["front"] = {"parent": "tf"} | {k: front[k] for k in ("width", "height", "intrinsics", "rate")}
    camera = parse_profile(tree).camera("front")
    pose = np.eye(4)
    pose[:3, 3] = 1.0, 2.0, 3.0
    assert camera.parent == "tf"
    assert np.allclose(camera.model(pose).pose, pose)


def test_an_unknown_camera_gets_the_valid_ones():
    with pytest.raises(UnknownNameError, match="unknown camera 'back'; valid: front"):
        load_profile("franka_sim").camera("back")


def test_a_file_that_is_wrong_is_named_with_its_field(tmp_path, tree):
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump({**tree, "watchdog": 0}))
    with pytest.raises(ProfileError, match=r"mine\.yaml: watchdog: must be a number greater than 0"):
        load_profile(str(path))
    path.write_text("arm: [")
    with pytest.raises(ProfileError, match=r"mine\.yaml: "):
        load_profile(str(path))


def test_the_profiles_of_the_package_are_listed():
    assert {"franka_sim", "six_joint_sim", "ur5e_sim"} <= set(profile_names())
    assert all(load_profile(name).name == name for name in profile_names())
