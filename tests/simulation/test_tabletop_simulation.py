"""The simulated table at rest and in motion, and the relations that are true in it."""

import numpy as np
import pytest

from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.robot.kinematics import ForwardKinematics
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.state import JointCommand
from fmrl_ros.simulation.tabletop import sample_layout
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.worlds.world import load_world

PROFILE = load_profile("franka_sim")
HOME = PROFILE.home

WORLD = load_world("tabletop")
BOWL = np.array([0.6, 0.0, 0.02, 0.0])


@pytest.fixture(scope="module")
def simulation():
    return TabletopSimulation(WORLD)


def let_fall(simulation, position, **others):
    """Reset to a red block at rest at `position`, and other objects; let it fall."""
    layout = {"red block": np.array([*position, 0.0])}
    simulation.reset({**layout, **{name.replace("_", " "): np.array(pose) for name, pose in others.items()}})
    simulation.step(0.5)


@pytest.mark.parametrize("seed", range(5))
def test_a_reset_world_stays_where_it_was_put(simulation, seed):
    layout = sample_layout(WORLD, np.random.default_rng(seed))
    simulation.reset(layout)
    simulation.step(1.0)
    for name, pose in layout.items():
        assert np.linalg.norm(simulation.pose(name)[:3] - pose[:3]) < 0.003, name
    assert np.abs(simulation.robot_state.dq).max() < 0.01


def test_an_object_that_the_layout_lacks_is_put_away(simulation):
    layout = sample_layout(WORLD, np.random.default_rng(0))
    del layout["red block"]
    simulation.reset(layout)
    assert simulation.pose("red block")[2] < -0.1


def test_an_object_is_at_the_pose_that_it_was_placed_at(simulation):
    let_fall(simulation, (0.5, 0.0, 0.02))
    simulation.place("red block", np.array([0.4, -0.1, 0.02, 0.5]))
    simulation.step(simulation.model.opt.timestep)
    assert simulation.pose("red block") == pytest.approx([0.4, -0.1, 0.02, 0.5], abs=1e-3)


def test_the_robot_s_state_is_that_of_its_joints_and_the_clock(simulation):
    posture = HOME + 0.1
    simulation.reset({}, posture, finger=0.03)
    state = simulation.robot_state
    assert state.q == pytest.approx(posture) and state.dq == pytest.approx(np.zeros(7))
    assert state.gripper_width == pytest.approx(0.06)
    assert simulation.tcp == pytest.approx(ForwardKinematics(PROFILE).tool(posture), abs=1e-6)
    simulation.step(0.25)
    assert simulation.robot_state.stamp - state.stamp == pytest.approx(0.25)


def test_the_arm_goes_where_it_is_commanded(simulation):
    simulation.reset({})
    simulation.command(JointCommand(HOME + 0.1, 0.0))
    simulation.step(1.5)
    assert simulation.robot_state.q == pytest.approx(HOME + 0.1, abs=0.01)
    assert simulation.robot_state.gripper_width == pytest.approx(0.0, abs=0.005)


def test_a_closed_hand_holds_a_block_and_an_open_one_does_not(simulation):
    layout = sample_layout(WORLD, np.random.default_rng(0))
    simulation.reset(layout)
    layout["red block"] = np.array([*simulation.tcp, 0.0])
    simulation.reset(layout, HOME, finger=0.0205)
    simulation.command(JointCommand(HOME, 0.0))
    simulation.step(1.0)
    assert simulation.held("red block")
    assert simulation.pose("red block")[2] > 0.25
    simulation.command(JointCommand(HOME, 0.04))
    simulation.step(1.0)
    assert not simulation.held("red block")
    assert simulation.pose("red block")[2] < 0.1


def test_what_the_hand_holds_over_a_bowl_is_not_in_it(simulation):
    x, y, z = ForwardKinematics(PROFILE).tool(HOME)
    layout = {"blue bowl": np.array([x, y, z - 0.02, 0.0]), "red block": np.array([x, y, z, 0.0])}
    simulation.reset(layout, HOME, finger=0.0205)
    simulation.command(JointCommand(HOME, 0.0))
    simulation.step(0.1)
    assert simulation.held("red block") and not simulation.inside("red block", "blue bowl")


def test_a_block_that_fell_into_a_bowl_is_inside_that_bowl_alone(simulation):
    let_fall(simulation, (0.6, 0.0, 0.08), blue_bowl=BOWL, red_bowl=(0.4, -0.2, 0.02, 0))
    assert simulation.inside("red block", "blue bowl")
    assert not simulation.inside("red block", "red bowl")
    let_fall(simulation, (0.45, 0.1, 0.02), blue_bowl=BOWL)
    assert not simulation.inside("red block", "blue bowl")


def test_a_block_in_the_drawer_is_inside_it_however_far_it_is_out(simulation):
    for out in (0.0, 0.12):
        simulation.reset({"red block": np.array([0.55 - out, 0.47, 0.05, 0.0])}, drawer=out)
        simulation.step(0.3)
        assert simulation.inside("red block", "drawer"), out
    simulation.reset({"red block": np.array([0.55, 0.2, 0.02, 0.0])})
    assert not simulation.inside("red block", "drawer")


def test_a_block_rests_on_another_only_when_it_lies_straight_on_it(simulation):
    let_fall(simulation, (0.5, 0.0, 0.061), green_block=(0.5, 0.0, 0.02, 0))
    assert simulation.on("red block", "green block")
    assert not simulation.on("green block", "red block")
    let_fall(simulation, (0.5, 0.05, 0.02), green_block=(0.5, 0.0, 0.02, 0))
    assert not simulation.on("red block", "green block")


def test_a_block_is_at_a_place_within_five_centimetres_of_it(simulation):
    x, y = WORLD.place("middle").position
    let_fall(simulation, (x + 0.04, y, 0.02))
    assert simulation.at("red block", "middle") and not simulation.at("red block", "top left corner")
    let_fall(simulation, (x + 0.06, y, 0.02))
    assert not simulation.at("red block", "middle")
    assert simulation.near("red block", np.array([x, y]), tolerance=0.07)


def test_a_block_in_a_bowl_or_on_another_is_at_no_place(simulation):
    x, y = WORLD.place("middle").position
    let_fall(simulation, (x, y, 0.08), blue_bowl=(x, y, 0.02, 0))
    assert not simulation.at("red block", "middle")
    let_fall(simulation, (x, y, 0.061), green_block=(x, y, 0.02, 0))
    assert simulation.at("green block", "middle") and not simulation.at("red block", "middle")


def test_the_drawer_s_handle_moves_with_the_drawer(simulation):
    shut = np.array(WORLD.fixture("drawer").position)
    simulation.reset({}, drawer=0.0)
    assert simulation.fixture("drawer") == pytest.approx(shut)
    simulation.reset({}, drawer=0.1)
    assert simulation.drawer == pytest.approx(0.1)
    assert simulation.fixture("drawer") == pytest.approx(shut - [0.1, 0, 0])
    assert simulation.fixture("button") == pytest.approx(WORLD.fixture("button").position)
    with pytest.raises(UnknownNameError, match="button, drawer"):
        simulation.fixture("door")


def press(simulation, depth):
    simulation.data.joint("button").qpos[:] = depth
    simulation.data.joint("button").qvel[:] = 0
    simulation.step(simulation.model.opt.timestep)


def test_the_lamp_changes_once_a_press_however_long_it_lasts(simulation):
    simulation.reset({})
    dark = simulation.model.geom("button_cap").rgba.copy()
    states = []
    for depth in (0.007, 0.007, 0.004, 0.007, 0.0, 0.007, 0.0):
        press(simulation, depth)
        states.append(simulation.lamp)
    assert states == [True, True, True, True, True, False, False]
    simulation.reset({}, lamp=True)
    assert simulation.lamp and (simulation.model.geom("button_cap").rgba > dark + 0.5)[:3].all()


def test_settling_ends_when_everything_lies_still_and_not_before(simulation):
    simulation.reset(sample_layout(WORLD, np.random.default_rng(0)))
    began = simulation.data.time
    simulation.settle(0.1, at_most=3.0)
    assert simulation.data.time - began < 0.5
    simulation.place("red block", np.array([0.5, -0.06, 0.35, 0.0]))
    simulation.settle(0.1, at_most=3.0)
    assert simulation.pose("red block")[2] < 0.06 and simulation.data.time - began < 3.0
