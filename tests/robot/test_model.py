"""A robot's model is what its profile names, and a mistake names the field and what it may be."""

import importlib.util
import sys
from dataclasses import replace

import numpy as np
import pytest

from fmrl_ros.assets import share
from fmrl_ros.robot.model import HAND, TOOL, ModelError, arm_spec, model_path, package_folders
from fmrl_ros.robot.profile import HandProfile, load_profile

PROFILE = load_profile("six_joint_sim")
ARM = share("sim") / "six_joint" / "arm.xml"
URDF = """<robot name="two">
  <link name="base_link"/>
  <link name="upper"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><mesh filename="package://mine/meshes/upper.stl"/></geometry></collision></link>
  <link name="tool0"/>
  <joint name="pan" type="revolute"><parent link="base_link"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="9" velocity="1"/></joint>
  <joint name="flange" type="fixed"><parent link="upper"/><child link="tool0"/><origin xyz="0 0 0.5"/></joint>
</robot>"""


def changed(**fields):
    """The six-joint arm's profile with other fields of its model."""
    return replace(PROFILE, model=replace(PROFILE.model, **fields))


def refusal(profile):
    with pytest.raises(ModelError) as caught:
        arm_spec(profile)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.fixture
def urdf(tmp_path):
    (tmp_path / "mine" / "urdf").mkdir(parents=True)
    (tmp_path / "mine" / "meshes").mkdir()
    (tmp_path / "mine" / "meshes" / "upper.stl").touch()
    path = tmp_path / "mine" / "urdf" / "two.urdf"
    path.write_text(URDF)
    return path


def two_joints(path, **fields):
    model = replace(PROFILE.model, file=str(path), base="base_link", joints=("pan",), tool="tool0", hand=None)
    return replace(PROFILE, joints=("pan",), model=replace(model, **fields))


def test_a_hand_is_mounted_on_the_arm_s_flange():
    arm = arm_spec(PROFILE)
    assert arm.root == "base" and arm.tool == f"{HAND}tcp"
    assert arm.spec.body(f"{HAND}hand").parent.name == "flange"
    assert arm.spec.joint(f"{HAND}left") is not None


def test_a_registered_model_is_found_by_its_name():
    arm = arm_spec(load_profile("franka_sim"))
    assert (arm.root, arm.tool) == ("base", "tcp")


def test_a_urdf_keeps_the_frames_that_nothing_moves(urdf):
    arm = arm_spec(two_joints(urdf))
    assert arm.root == "base_link" and arm.tool == TOOL
    assert arm.spec.site(TOOL).parent.name == "tool0"


def test_a_urdf_s_meshes_are_found_in_the_package_that_it_lies_in(urdf):
    (mesh,) = arm_spec(two_joints(urdf)).spec.meshes
    assert mesh.file == str(urdf.parents[1] / "meshes" / "upper.stl")


def test_the_tool_may_be_a_place_in_a_frame(urdf):
    pose = np.eye(4)
    pose[:3, 3] = 0.1, 0.2, 0.3
    site = arm_spec(two_joints(urdf, tool_pose=pose)).spec.site(TOOL)
    assert site.pos == pytest.approx([0.1, 0.2, 0.3])


def test_a_model_in_a_package_is_found_in_python_s_and_in_ros_s(tmp_path, monkeypatch):
    python, ros = tmp_path / "site" / "arms", tmp_path / "ros" / "share" / "arms"
    for folder in (python, ros):
        folder.mkdir(parents=True)
    (ros / "arm.urdf").touch()
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "ros"))
    assert package_folders("arms") == [python, ros]
    assert model_path("package:arms/arm.urdf") == ros / "arm.urdf"
    assert model_path("package:arms/other.urdf") == python / "other.urdf"
    assert "arms" not in sys.modules


def test_a_package_that_is_not_there_is_named():
    assert refusal(changed(file="package:no_such_arms/arm.xml")) == (
        "model.file: there is no package 'no_such_arms' here, neither of Python nor of ROS; install it, or name a path"
    )


def test_a_file_that_is_not_there_gets_those_beside_it():
    message = refusal(changed(file=str(ARM.with_name("leg.xml"))))
    assert message.startswith("model.file: there is no file") and message.endswith("arm.xml, hand.xml")


def test_a_name_that_is_not_registered_gets_the_valid_ones():
    assert "model.file: no model is registered as 'r2d2'; it may be fr3, the path" in refusal(changed(file="r2d2"))


def test_an_installation_from_before_there_were_models_is_told_to_be_renewed(monkeypatch):
    monkeypatch.setattr("fmrl_ros.plugins.entry_points", lambda group: ())
    assert refusal(changed(file="fr3")) == "model.file: no models are registered; install fmrl_ros again (make env)"


def test_a_registered_model_whose_files_are_missing_gets_the_command_that_installs_them(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert "model.file: the robot model is missing; install it with: pip install franky-sim" in refusal(
        load_profile("franka_sim")
    )


def test_a_broken_file_is_named_with_the_mistake(tmp_path):
    (tmp_path / "arm.xml").write_text("<mujoco><worldbody>")
    assert f"model.file: {tmp_path / 'arm.xml'} cannot be read: XML" in refusal(changed(file=str(tmp_path / "arm.xml")))


def test_a_xacro_gets_the_command_that_makes_a_urdf(tmp_path):
    message = refusal(changed(file=str(tmp_path / "ur.urdf.xacro")))
    assert "xacro ur.urdf.xacro > ur.urdf" in message


def test_a_hand_s_mistakes_are_told_from_the_arm_s():
    hand = PROFILE.model.hand
    assert "model.hand.file: there is no file" in refusal(changed(hand=replace(hand, file="/nowhere/hand.xml")))
    message = refusal(changed(hand=replace(hand, parent="wrist_9")))
    assert message.startswith("model.hand.parent: the model has no body 'wrist_9'; its bodies are base, shoulder")


def test_a_hand_has_one_root(tmp_path):
    (tmp_path / "hands.xml").write_text("<mujoco><worldbody><body name='a'/><body name='b'/></worldbody></mujoco>")
    two = HandProfile(str(tmp_path / "hands.xml"), "flange", np.eye(4))
    assert "model.hand.file: a hand is one body with what hangs on it; here are 2" in refusal(changed(hand=two))


def test_a_tool_that_the_model_has_not_gets_what_it_has():
    message = refusal(changed(tool="grip"))
    assert message.startswith("model.tool: the model has no site or body 'grip'; it has hand/tcp, base, shoulder")
    assert "no body 'hand/tcp'; it has base" in refusal(changed(tool="hand/tcp", tool_pose=np.eye(4)))


def test_a_joint_that_the_model_has_not_gets_what_it_has():
    joints = (*PROFILE.joints[:5], "wrist_4")
    message = refusal(replace(changed(joints=joints), joints=joints))
    assert message.startswith("arm.joints: the model has no joint 'wrist_4'; its joints are shoulder_pan, ")
    assert "list in model.joints" in message
    assert refusal(changed(joints=joints)).startswith("model.joints: the model has no joint 'wrist_4'")


def test_joints_in_another_order_get_the_right_one():
    message = refusal(changed(joints=PROFILE.joints[::-1]))
    assert message == "model.joints: must go from the base to the hand: " + ", ".join(PROFILE.joints)


def test_a_joint_of_the_arm_that_is_left_out_is_named():
    six = PROFILE.joints
    message = refusal(replace(changed(joints=six[:5]), joints=six[:5]))
    assert message.startswith("arm.joints: wrist_3 moves the tool, too")


def test_a_joint_that_does_not_move_the_tool_is_named():
    joints = (*PROFILE.joints, f"{HAND}left")
    message = refusal(replace(changed(joints=joints), joints=joints))
    assert message.startswith("arm.joints: hand/left does not move the tool; shoulder_pan,")


def test_a_base_that_moves_or_is_not_there_is_named():
    assert "base_frame: forearm is moved by shoulder_pan, shoulder_lift, elbow" in refusal(changed(base="forearm"))
    assert refusal(changed(base="link0")).startswith("model.base: the model has no body 'link0'; its bodies are base")
    message = refusal(replace(changed(base="link0"), base_frame="link0"))
    assert message.startswith("base_frame: the model has no body 'link0'") and message.endswith("calls it")
