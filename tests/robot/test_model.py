import importlib.util
from pathlib import Path

import mujoco
import numpy as np
import pytest

from fmrl_ros.robot.model import ARM_JOINTS, FINGER_JOINTS, HOME, TCP, franka_spec, kinematic_model


@pytest.fixture(scope="module")
def model():
    return franka_spec().compile()


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
    tool = at_home.site(TCP)
    assert tool.xpos == pytest.approx([0.35, 0.0, 0.32], abs=0.005)
    assert tool.xmat.reshape(3, 3)[:, 2] == pytest.approx([0, 0, -1], abs=1e-3)


def test_the_fingers_open_along_the_tool_s_y_axis(at_home):
    between = at_home.body("left_finger").xpos - at_home.body("right_finger").xpos
    across = between / np.linalg.norm(between)
    assert abs(across @ at_home.site(TCP).xmat.reshape(3, 3)[:, 1]) == pytest.approx(1.0, abs=1e-6)


def test_the_arm_does_not_sag(model, at_home):
    mujoco.mj_step(model, at_home, nstep=round(0.5 / model.opt.timestep))
    assert [at_home.joint(name).qpos[0] for name in ARM_JOINTS] == pytest.approx(HOME, abs=1e-3)


def test_the_hand_follows_its_command_from_open_to_closed(model, at_home):
    at_home.actuator("hand").ctrl = 0
    mujoco.mj_step(model, at_home, nstep=round(0.5 / model.opt.timestep))
    assert [at_home.joint(name).qpos[0] for name in FINGER_JOINTS] == pytest.approx(
        [0, 0], abs=2e-3
    )  # the pads touch first


def test_only_the_hand_and_the_finger_pads_touch_things(model):
    touching = {model.body(body).name for body in model.geom_bodyid[model.geom_contype > 0]}
    assert touching == {"hand", "left_finger", "right_finger"}


def test_the_kinematic_model_has_the_same_joints_and_no_shapes(model):
    bare = kinematic_model()
    assert bare.nmesh == 0 and bare.ngeom == 1
    for name in (*ARM_JOINTS, *FINGER_JOINTS):
        assert bare.joint(name).range == pytest.approx(model.joint(name).range)
        assert bare.joint(name).qposadr == model.joint(name).qposadr


def test_the_visual_meshes_are_fewer_faces_than_the_wheel_s():
    wheel = Path(next(iter(importlib.util.find_spec("franky_sim").submodule_search_locations))) / "assets" / "meshes"
    kept = Path(franka_spec().meshdir)
    assert {file.name for file in kept.glob("*.obj")} == {file.name for file in wheel.glob("*.obj")}

    def faces(folder):
        return sum(line.startswith("f ") for file in folder.glob("*.obj") for line in file.read_text().splitlines())

    assert 0 < faces(kept) < 0.25 * faces(wheel)


def test_without_the_wheel_the_command_that_installs_it_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(FileNotFoundError, match="pip install franky-sim"):
        franka_spec()
