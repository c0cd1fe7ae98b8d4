"""Skills begin where the hand points down and the tool can be moved; an arm that has such a posture is told it."""

import mujoco
import numpy as np
import pytest

from fmrl_ros.robot.home_posture import START, posture_at_start, stuck_motions, tilt
from fmrl_ros.robot.kinematic_model import kinematic_model
from fmrl_ros.robot.profile import load_profile

PROFILES = [load_profile(name) for name in ("franka_sim", "six_joint_sim")]


def arm(profile):
    kinematics = kinematic_model(profile)
    model = kinematics.model
    joints = np.array([model.joint(name).id for name in profile.model.joints])
    return model, joints, model.site(kinematics.tool).id


def standing(model, q):
    data = mujoco.MjData(model)
    data.qpos[: len(q)] = q
    mujoco.mj_kinematics(model, data)
    return data


def test_a_tool_that_points_down_is_not_tilted():
    assert tilt(np.diag([1.0, -1.0, -1.0])) == pytest.approx(0.0)
    assert tilt(np.eye(3)) == pytest.approx(np.pi)


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_at_home_the_tool_can_be_moved_every_way(profile):
    model, _, tool = arm(profile)
    assert stuck_motions(model, standing(model, profile.home), tool) == []


def test_an_arm_that_is_stretched_out_cannot_reach_further():
    model, _, tool = arm(PROFILES[1])
    stretched = np.array([0.0, np.pi / 2, 0.0, np.pi / 2, -np.pi / 2, 0.0])
    assert "along x" in stuck_motions(model, standing(model, stretched), tool)


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_a_posture_with_the_tool_where_skills_begin_is_found(profile):
    model, joints, tool = arm(profile)
    q = posture_at_start(model, joints, tool)
    data = standing(model, q)
    assert data.site_xpos[tool] == pytest.approx(START, abs=1e-5)
    assert tilt(data.site_xmat[tool].reshape(3, 3)) < 1e-3
    assert stuck_motions(model, data, tool) == []
    low, high = model.jnt_range[joints].T
    assert ((low <= q) & (q <= high)).all()


def test_none_is_found_for_an_arm_that_may_not_turn_as_it_must():
    model, joints, tool = arm(PROFILES[1])
    model.jnt_range[joints[0]] = [2.0, 2.5]
    model.jnt_range[joints[4]] = [0.0, 0.1]
    assert posture_at_start(model, joints, tool) is None
