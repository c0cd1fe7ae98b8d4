"""A robot's kinematics is in the base frame, keeps the profile's limits, and lets skills begin at home."""

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from fmrl_ros.robot.kinematic_model import kinematic_model
from fmrl_ros.robot.model import ModelError
from fmrl_ros.robot.profile import load_profile

FR3 = load_profile("franka_sim")
PROFILE = load_profile("six_joint_sim")


def tool_at(kinematics, q):
    data = mujoco.MjData(kinematics.model)
    data.qpos[:] = kinematics.home
    data.qpos[kinematics.arm] = q
    mujoco.mj_kinematics(kinematics.model, data)
    return data.site(kinematics.tool).xpos.copy()


def at_home(**joints):
    home = dict(zip(PROFILE.joints, PROFILE.home, strict=True)) | joints
    return replace(PROFILE, home=np.array(list(home.values())))


def refusal(profile):
    with pytest.raises(ModelError) as caught:
        kinematic_model(profile)
    robot, _, message = str(caught.value).partition(": ")
    assert robot == "robot 'six_joint_sim'"
    return message


@pytest.mark.parametrize("profile", [FR3, PROFILE], ids=lambda profile: profile.name)
def test_it_has_the_arm_s_joints_and_the_fingers_and_no_shapes(profile):
    kinematics = kinematic_model(profile)
    model = kinematics.model
    names = [model.joint(i).name for i in range(model.njnt)]
    assert names == [*profile.model.joints, *profile.model.gripper_joints]
    assert (model.nmesh, model.ngeom, model.nu) == (0, 1, 0)
    assert kinematics.home[kinematics.arm] == pytest.approx(profile.home)
    assert kinematics.home[len(profile.joints) :] == pytest.approx([0.04, 0.04])
    assert kinematics.placement == pytest.approx(np.eye(4))


@pytest.mark.parametrize("profile", [FR3, PROFILE], ids=lambda profile: profile.name)
def test_both_arms_begin_with_the_tool_at_the_same_place(profile):
    assert tool_at(kinematic_model(profile), profile.home) == pytest.approx([0.35, 0.0, 0.32], abs=1e-3)


def test_joint_ranges_are_those_of_profile_and_model_together():
    limits = PROFILE.position_limits.copy()
    limits[0], limits[2] = [-2.0, 1.0], [-9.0, 9.0]
    model = kinematic_model(replace(PROFILE, position_limits=limits)).model
    assert model.joint("shoulder_pan").range == pytest.approx([-2.0, 1.0])
    assert model.joint("elbow").range == pytest.approx([-3.1416, 3.1416])


def test_a_base_frame_that_is_not_the_model_s_world_is_where_poses_are_seen_from(tmp_path):
    text = Path(PROFILE.model.file).read_text()
    moved = text.replace('<body name="base">', '<body name="stand" pos="1 2 3" euler="0 0 1.5"><body name="base">')
    (tmp_path / "arm.xml").write_text(moved.replace("</worldbody>", "</body></worldbody>"))
    there = replace(PROFILE, model=replace(PROFILE.model, file=str(tmp_path / "arm.xml")))
    here, kinematics = kinematic_model(PROFILE), kinematic_model(there)
    q = PROFILE.home + 0.1
    assert tool_at(kinematics, q) == pytest.approx(tool_at(here, q))
    assert kinematics.root == "stand"
    assert kinematics.placement[:3, 3] == pytest.approx([-2.066, 0.856, -3.0], abs=1e-3)


def test_a_model_that_cannot_be_compiled_is_named_with_the_reason(tmp_path):
    text = Path(PROFILE.model.file).read_text()
    (tmp_path / "arm.xml").write_text(text.replace('<joint name="elbow"', '<joint name="elbow" axis="0 0 0"'))
    message = refusal(replace(PROFILE, model=replace(PROFILE.model, file=str(tmp_path / "arm.xml"))))
    assert message.startswith(f"model.file: {tmp_path / 'arm.xml'} is no model: ") and "\n" not in message


def test_a_home_outside_of_the_model_s_range_is_named():
    assert refusal(at_home(elbow=3.3)) == "arm.home: elbow at 3.3000 is outside the model's range [-3.1416, 3.1416]"


HERE = "with the tool at (0.35, 0, 0.32) m, pointing down, the arm is at ["


def test_a_home_outside_of_the_workspace_is_named():
    message = refusal(at_home(shoulder_pan=np.pi - 0.3929))
    assert message.startswith(f"arm.home: the tool is at x = -0.350 m there, outside of workspace; {HERE}")


def test_a_home_with_the_hand_askew_is_named_with_the_angle():
    message = refusal(at_home(wrist_1=0.43))
    assert "arm.home: the hand, z of model.tool, is 29 degrees off pointing down there" in message


def test_the_home_that_is_named_instead_is_one():
    message = refusal(at_home(wrist_1=0.43))
    posture = [float(q) for q in message.split("[")[1].strip("]").split(", ")]
    kinematics = kinematic_model(at_home(**dict(zip(PROFILE.joints, posture, strict=True))))
    assert tool_at(kinematics, posture) == pytest.approx([0.35, 0.0, 0.32], abs=1e-3)


def test_an_arm_that_cannot_bring_its_tool_where_skills_begin_is_told(tmp_path):
    text = Path(PROFILE.model.file).read_text()
    (tmp_path / "arm.xml").write_text(text.replace('pos="0 0 0.1625"', 'pos="0 0 2"'))
    message = refusal(replace(PROFILE, model=replace(PROFILE.model, file=str(tmp_path / "arm.xml"))))
    assert "the tool is at z = 2.15" in message
    assert message.endswith("no posture with the tool at (0.35, 0, 0.32) m, pointing down, where skills begin")


def test_a_home_from_where_the_tool_cannot_be_moved_is_named(tmp_path):
    text = Path(PROFILE.model.file).read_text()
    (tmp_path / "arm.xml").write_text(text.replace('<joint name="wrist_3"/>', ""))
    five = PROFILE.joints[:5]
    model = replace(PROFILE.model, file=str(tmp_path / "arm.xml"), joints=five)
    limits = PROFILE.position_limits[:5]
    message = refusal(replace(PROFILE, joints=five, home=PROFILE.home[:5], position_limits=limits, model=model))
    assert "arm.home: the tool cannot move" in message and "about the vertical" in message
