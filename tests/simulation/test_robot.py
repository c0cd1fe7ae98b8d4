"""Any arm is put into a world as its controller would have it: standing where it is told to, following, gripping."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import mujoco
import numpy as np
import pytest

from fmrl_ros.robot.kinematics import ForwardKinematics
from fmrl_ros.robot.model import ModelError
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.state import JointCommand
from fmrl_ros.simulation.robot import ROBOT, add_robot, drives, robot_parts, servo_of, simulated_arm, simulated_profile
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
SIX = load_profile("six_joint_sim")


@pytest.fixture(scope="module")
def simulation():
    return TabletopSimulation(WORLD, SIX)


def arm_file(tmp_path, *changes):
    """The six-joint arm's profile with its model's file changed."""
    text = Path(SIX.model.file).read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "arm.xml").write_text(text)
    return replace(SIX, model=replace(SIX.model, file=str(tmp_path / "arm.xml")))


def spec_of(profile):
    return simulated_arm(profile).spec


def test_the_simulated_robot_of_the_package_has_seven_joints():
    assert len(simulated_profile().joints) == 7


def test_an_arm_of_six_joints_stands_at_home_and_does_not_sag(simulation):
    simulation.reset({})
    simulation.step(0.5)
    assert simulation.robot_state.q == pytest.approx(SIX.home, abs=1e-4)
    assert simulation.tcp == pytest.approx(ForwardKinematics(SIX).tool(SIX.home), abs=1e-4)


def test_its_joints_follow_and_lag_as_the_servos_are_made_to(simulation):
    simulation.reset({})
    wanted = SIX.home.copy()
    for _ in range(20):
        wanted = wanted + 0.01  # 0.2 rad/s on every joint, in steps of 0.05 s
        simulation.command(JointCommand(wanted, 0.04))
        simulation.step(0.05)
    lag = (wanted - simulation.robot_state.q) / 0.2
    assert lag == pytest.approx(np.full(6, 0.049 - 0.025), abs=0.015)
    simulation.step(1.0)
    assert simulation.robot_state.q == pytest.approx(wanted, abs=0.005)


def test_its_hand_opens_closes_and_holds_a_block(simulation):
    x, y, z = ForwardKinematics(SIX).tool(SIX.home)
    simulation.reset({"red block": np.array([x, y, z, 0.0])}, finger=0.0205)
    simulation.command(JointCommand(SIX.home, 0.0))
    simulation.step(0.6)
    assert simulation.held("red block")
    assert simulation.robot_state.gripper_width == pytest.approx(0.04, abs=0.003)
    simulation.command(JointCommand(SIX.home, 0.04))
    simulation.step(0.6)
    assert not simulation.held("red block")
    assert simulation.robot_state.gripper_width == pytest.approx(0.08, abs=0.003)


def test_the_arm_s_cameras_are_where_the_profile_has_them(simulation):
    camera = SIX.camera("wrist")
    simulation.reset({})
    seen = simulation.data.camera("wrist")
    there = ForwardKinematics(SIX).link(SIX.home, camera.parent) @ camera.mount
    assert seen.xpos == pytest.approx(there[:3, 3], abs=1e-6)
    assert seen.xmat.reshape(3, 3) @ np.diag([1, -1, -1]) == pytest.approx(there[:3, :3], abs=1e-6)


def test_a_camera_that_stands_where_the_world_has_none_is_added():
    above = replace(SIX.camera("front"), name="above")
    spec = mujoco.MjSpec()
    add_robot(spec, replace(SIX, cameras=(above,)))
    model = spec.compile()
    assert model.camera("above").bodyid[0] == 0
    assert model.camera("above").pos == pytest.approx(above.mount[:3, 3])


def test_a_base_frame_away_from_the_model_s_world_stands_in_the_world_s(tmp_path):
    stand = '<body name="stand" pos="0 0 0.7"><body name="base">'
    profile = arm_file(tmp_path, ('<body name="base">', stand), ("</worldbody>", "</body></worldbody>"))
    simulation = TabletopSimulation(WORLD, profile)
    simulation.reset({})
    assert simulation.tcp == pytest.approx([0.35, 0.0, 0.32], abs=1e-3)


def test_a_torque_motor_gives_way_to_a_servo(tmp_path):
    motor = '</contact><actuator><motor name="m" joint="elbow"/></actuator>'
    spec = spec_of(arm_file(tmp_path, ("</contact>", motor)))
    (servo,) = drives(spec, "elbow")
    assert servo.name == "elbow" and servo.gainprm[0] > 100


def test_a_joint_s_greatest_torque_does_not_hold_its_servo_back(tmp_path):
    profile = arm_file(tmp_path, ('<joint name="elbow"', '<joint name="elbow" actuatorfrcrange="-5 5"'))
    simulation = TabletopSimulation(WORLD, profile)
    simulation.reset({})
    wanted = SIX.home + np.array([0, 0, -0.3, 0, 0, 0])
    simulation.command(JointCommand(wanted, 0.04))
    simulation.step(1.0)
    assert simulation.robot_state.q == pytest.approx(wanted, abs=0.005)


LINKS = {  # joint: child link, where it is in its parent, axis
    "shoulder_pan": ("shoulder", "0 0 0.1625", "0 0 1"),
    "shoulder_lift": ("upper_arm", "0 0.138 0", "0 1 0"),
    "elbow": ("forearm", "0 -0.131 0.425", "0 1 0"),
    "wrist_1": ("hand_1", "0 0 0.3922", "0 1 0"),
    "wrist_2": ("hand_2", "0 0.127 0", "0 0 1"),
    "wrist_3": ("hand_3", "0 0 0.0997", "0 1 0"),
}


def urdf():
    """The six-joint arm as a URDF."""
    parts, parent = ['<robot name="six"><link name="base"/>'], "base"
    for joint, (child, place, axis) in LINKS.items():
        parts.append(
            f'<link name="{child}"><inertial><mass value="2"/>'
            '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
            '<collision><geometry><sphere radius="0.03"/></geometry></collision></link>'
            f'<joint name="{joint}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{place}"/><axis xyz="{axis}"/>'
            '<limit lower="-3.2" upper="3.2" effort="20" velocity="3"/></joint>'
        )
        parent = child
    flange = '<origin xyz="0 0.0996 0" rpy="-1.5707963 0 0"/>'
    joint = f'<joint name="f" type="fixed"><parent link="{parent}"/><child link="flange"/>{flange}</joint>'
    return "".join((*parts, '<link name="flange"/>', joint, "</robot>"))


def test_an_arm_that_is_described_by_a_urdf_moves_as_the_same_in_mjcf(tmp_path):
    (tmp_path / "six.urdf").write_text(urdf())
    profile = replace(SIX, model=replace(SIX.model, file=str(tmp_path / "six.urdf")))
    q = SIX.home + 0.05
    assert ForwardKinematics(profile).tool(q) == pytest.approx(ForwardKinematics(SIX).tool(q), abs=1e-6)
    simulation = TabletopSimulation(WORLD, profile)
    simulation.reset({})
    simulation.command(JointCommand(q, 0.04))
    simulation.step(1.0)
    assert simulation.robot_state.q == pytest.approx(q, abs=0.002)


def test_a_servo_that_the_model_has_stays_as_it_is(tmp_path):
    own = '</contact><actuator><position name="own" joint="elbow" kp="1234" kv="77"/></actuator>'
    spec = spec_of(arm_file(tmp_path, ("</contact>", own)))
    assert [servo.name for servo in drives(spec, "elbow")] == ["own"]
    assert servo_of(spec, "elbow").gainprm[0] == 1234
    assert servo_of(spec, "wrist_1").name == "wrist_1"


def test_a_hand_without_actuators_gets_them(tmp_path):
    text = Path(SIX.model.hand.file).read_text()
    bare = text[: text.index("  <tendon>")] + "</mujoco>"
    (tmp_path / "hand.xml").write_text(bare)
    hand = replace(SIX.model.hand, file=str(tmp_path / "hand.xml"))
    simulation = TabletopSimulation(WORLD, replace(SIX, model=replace(SIX.model, hand=hand)))
    simulation.reset({}, finger=0.0)
    simulation.command(JointCommand(SIX.home, 0.04))
    simulation.step(0.6)
    assert simulation.robot_state.gripper_width == pytest.approx(0.08, abs=0.004)


def test_fingers_without_pads_grip_with_all_that_they_have(tmp_path):
    text = Path(SIX.model.hand.file).read_text().replace('name="left_pad" ', "").replace('name="right_pad" ', "")
    (tmp_path / "hand.xml").write_text(text)
    hand = replace(SIX.model.hand, file=str(tmp_path / "hand.xml"))
    spec = mujoco.MjSpec()
    profile = replace(SIX, model=replace(SIX.model, hand=hand))
    add_robot(spec, profile)
    assert [len(pads) for pads in robot_parts(spec.compile(), profile).pads] == [3, 3]


def test_an_arm_without_a_hand_cannot_be_simulated_and_gets_what_to_do():
    profile = replace(SIX, model=replace(SIX.model, hand=None, tool="flange"))
    with pytest.raises(ModelError, match=r"needs a hand; the model has no joint 'hand/left, hand/right', only shou"):
        simulated_arm(profile)


def test_a_model_s_own_solver_settings_give_way_to_the_world_s(tmp_path, recwarn):
    settings = '<compiler angle="radian"/><option integrator="implicitfast" timestep="0.001"/>'
    simulation = TabletopSimulation(WORLD, arm_file(tmp_path, ('<compiler angle="radian"/>', settings)))
    assert simulation.model.opt.integrator == mujoco.mjtIntegrator.mjINT_EULER
    assert simulation.model.opt.timestep == 0.0025
    assert len(recwarn) == 0


def test_the_ur5e_of_a_wheel_stands_at_home():
    if find_spec("robosuite") is None:
        pytest.skip("robosuite is not installed: pip install --no-deps robosuite")
    arm = load_profile("ur5e_sim")
    simulation = TabletopSimulation(WORLD, arm)
    simulation.reset({})
    simulation.step(0.5)
    assert simulation.robot_state.q == pytest.approx(arm.home, abs=1e-4)
    assert simulation.tcp == pytest.approx([0.35, 0.0, 0.32], abs=1e-3)


def test_every_name_of_the_robot_begins_alike(simulation):
    names = [simulation.model.body(i).name for i in range(simulation.model.nbody)]
    assert f"{ROBOT}flange" in names and f"{ROBOT}hand/hand" in names
