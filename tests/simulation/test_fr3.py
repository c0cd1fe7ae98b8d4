import importlib.util
from pathlib import Path

import mujoco
import numpy as np
import pytest

from fmrl_ros.robot.kinematic_model import kinematic_model
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.simulation.fr3 import fr3_spec
from fmrl_ros.simulation.robot import simulated_arm

PROFILE = load_profile("franka_sim")
ARM_JOINTS, FINGER_JOINTS, HOME = PROFILE.joints, PROFILE.gripper_joints, PROFILE.home


@pytest.fixture(scope="module")
def model():
    return simulated_arm(PROFILE).spec.compile()


@pytest.fixture
def at_home(model):
    state = mujoco.MjData(model)
    for name, value in zip((*ARM_JOINTS, *FINGER_JOINTS), (*HOME, 0.04, 0.04), strict=True):
        state.joint(name).qpos = value
    for name, value in zip(ARM_JOINTS, HOME, strict=True):
        state.actuator(name).ctrl = value
    state.actuator("hand").ctrl = 255
    mujoco.mj_forward(model, state)
    return state


def test_at_home_the_tool_points_down_at_the_table(at_home):
    tool = at_home.site("tcp")
    assert tool.xpos == pytest.approx([0.35, 0.0, 0.32], abs=0.005)
    assert tool.xmat.reshape(3, 3)[:, 2] == pytest.approx([0, 0, -1], abs=1e-3)


def test_the_fingers_open_along_the_tool_s_y_axis(at_home):
    between = at_home.body("left_finger").xpos - at_home.body("right_finger").xpos
    across = between / np.linalg.norm(between)
    assert abs(across @ at_home.site("tcp").xmat.reshape(3, 3)[:, 1]) == pytest.approx(1.0, abs=1e-6)


def test_the_arm_does_not_sag(model, at_home):
    mujoco.mj_step(model, at_home, nstep=round(0.5 / model.opt.timestep))
    assert [at_home.joint(name).qpos[0] for name in ARM_JOINTS] == pytest.approx(HOME, abs=1e-3)


def test_the_hand_follows_its_command_from_open_to_closed(model, at_home):
    at_home.actuator("hand").ctrl = 0
    mujoco.mj_step(model, at_home, nstep=round(0.5 / model.opt.timestep))
    assert [at_home.joint(name).qpos[0] for name in FINGER_JOINTS] == pytest.approx(
        [0, 0], abs=2e-3
    )  # the pads touch first


def test_every_link_of_the_arm_touches_things(model):
    touching = {model.body(body).name for body in model.geom_bodyid[model.geom_contype > 0]}
    assert touching == {*(f"fr3_link{i}" for i in range(8)), "hand", "left_finger", "right_finger"}


def test_a_link_does_not_pass_through_what_stands_in_its_way():
    spec = fr3_spec()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, pos=[0.0, 0.25, 0.4], size=[0.5, 0.02, 0.4])
    model = spec.compile()
    data = mujoco.MjData(model)
    arm = [model.joint(name).qposadr[0] for name in ARM_JOINTS]
    data.qpos[arm] = data.ctrl[: len(arm)] = HOME
    mujoco.mj_forward(model, data)
    for turned in np.linspace(0, np.pi / 2, 500):
        data.ctrl[0] = turned  # towards the wall at the arm's side
        mujoco.mj_step(model, data, nstep=4)
    assert data.qpos[arm[0]] < 1.0


def test_the_kinematic_model_has_the_same_joints_and_no_shapes(model):
    bare = kinematic_model(PROFILE).model
    assert bare.nmesh == 0 and bare.ngeom == 1
    for name in (*ARM_JOINTS, *FINGER_JOINTS):
        assert bare.joint(name).range == pytest.approx(model.joint(name).range)
        assert bare.joint(name).qposadr == model.joint(name).qposadr


def test_the_visual_meshes_are_fewer_faces_than_the_wheel_s():
    wheel = Path(next(iter(importlib.util.find_spec("franky_sim").submodule_search_locations))) / "assets" / "meshes"
    kept = Path(fr3_spec().meshdir)
    assert {file.name for file in kept.glob("*.obj")} == {file.name for file in wheel.glob("*.obj")}

    def faces(folder):
        return sum(line.startswith("f ") for file in folder.glob("*.obj") for line in file.read_text().splitlines())

    assert 0 < faces(kept) < 0.25 * faces(wheel)


def test_without_the_wheel_the_command_that_installs_it_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(FileNotFoundError, match="pip install franky-sim"):
        fr3_spec()
