"""A skill that cannot go on says why, and the hand keeps what it holds."""

from dataclasses import replace

import numpy as np

from fmrl_ros.robot.cartesian import CartesianController
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.state import RobotState
from fmrl_ros.skills.execution import HAND_NOT_FOLLOWING, NOT_FOLLOWING, STANDSTILL_STEPS, Execution
from fmrl_ros.skills.observation import SIZE
from fmrl_ros.skills.policy import Layer, Policy
from fmrl_ros.skills.task import skill_task
from fmrl_ros.worlds.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.world import load_world

PROFILE = load_profile("franka_sim")
HOME = PROFILE.home

WORLD = load_world("tabletop")
STILL = (Layer(np.zeros((4, SIZE), np.float32), np.array([0, 0, 0, -5], np.float32)),)
CRITIC = (Layer(np.zeros((1, SIZE + 4), np.float32), np.zeros(1, np.float32)),)
POLICY = Policy(STILL, (CRITIC, CRITIC))
PICK = WORLD.skill("pick up the red block")


def block(x=0.5, y=0.0, z=0.02, name="red block", confidence=0.9):
    return SceneObject(name, "block", (x, y, z), 0.0, (0.04, 0.04, 0.04), confidence)


def state(step=0, width=0.08):
    return RobotState(1.0 + 0.05 * step, HOME.copy(), np.zeros(7), width)


def begin(scene, skill=PICK):
    return Execution(skill_task(skill.name), POLICY, WORLD, skill, CartesianController(PROFILE), scene, state())


def run(execution, scene_at, steps=300, width=0.04):
    for step in range(1, steps):
        if execution.over:
            break
        command = execution.step(scene_at(step), state(step, width))
    return command


def test_what_was_never_seen_is_not_reached_for():
    execution = begin(Scene(1.0, ()))
    assert execution.over and execution.reason == "cannot see the red block"


def test_what_is_out_of_reach_is_named_with_its_place():
    execution = begin(Scene(1.0, (block(0.9),)))
    assert execution.over and "unreachable: the red block is at (0.90, 0.00) m" in execution.reason


def test_what_is_outside_of_the_robot_s_workspace_is_out_of_reach():
    small = replace(PROFILE, workspace=np.array([[0.2, 0.4], [-0.5, 0.5], [0.0, 0.7]]))
    scene = Scene(1.0, (block(0.5),))
    execution = Execution(skill_task("pick"), POLICY, WORLD, PICK, CartesianController(small), scene, state())
    assert execution.over and "unreachable: the red block is at (0.50, 0.00) m" in execution.reason


def test_a_number_that_is_none_holds_the_arm_and_names_the_term():
    execution = begin(Scene(1.0, (block(),)))
    command = execution.step(Scene(1.1, (block(float("nan")),)), state(1))
    assert execution.over and "goal_from_tool" in execution.reason
    assert np.allclose(command.q, HOME)


def test_a_joint_position_that_is_no_number_holds_the_arm_where_it_was_measured_last():
    execution = begin(Scene(1.0, (block(),)))
    broken = RobotState(1.1, np.full(7, np.nan), np.zeros(7), 0.08)
    command = execution.step(Scene(1.1, (block(),)), broken)
    assert execution.over and execution.reason == "a joint position is not a finite number"
    assert np.allclose(command.q, HOME) and command.finger == 0.04


def test_an_action_that_is_no_number_holds_the_arm():
    nowhere = (Layer(np.zeros((4, SIZE), np.float32), np.full(4, np.nan, np.float32)),)
    skill = WORLD.skill("push the red block to the left")
    scene, controller = Scene(1.0, (block(),)), CartesianController(PROFILE)
    policy = Policy(nowhere, (CRITIC, CRITIC))
    execution = Execution(skill_task(skill.name), policy, WORLD, skill, controller, scene, state())
    command = execution.step(Scene(1.1, (block(),)), state(1))
    assert execution.over and execution.reason == "not a finite number in the action of the skill's policy"
    assert np.allclose(command.q, HOME)


def test_a_skill_that_takes_too_long_says_so():
    execution = begin(Scene(1.0, (block(),)))
    run(execution, lambda step: Scene(1 + 0.05 * step, (block(),)))
    assert execution.reason.startswith("timed out after 80 steps") and not execution.finished


def test_lost_sight_is_the_reason_if_it_was_lost():
    execution = begin(Scene(1.0, (block(),)))
    run(execution, lambda step: Scene(1 + 0.05 * step, (block(confidence=0.1),)))
    assert execution.reason == "lost sight of the red block"


def test_a_block_that_slipped_is_the_reason_if_it_did():
    held = Scene(1.0, (block(z=0.3),), (Relation("red block", "held"),))
    execution = begin(held, WORLD.skill("place it in the drawer"))
    assert execution.reason == "cannot see the drawer"
    bowl = SceneObject("red bowl", "bowl", (0.5, 0.1, 0.02), 0.0, (0.13, 0.13, 0.04), 0.9)
    execution = begin(Scene(1.0, (*held.objects, bowl), held.relations), WORLD.skill("place it in the red bowl"))
    run(execution, lambda step: Scene(1 + 0.05 * step, (block(), bowl)))
    assert execution.reason == "slipped: the red block was in the hand and no longer is"


def test_a_failed_skill_does_not_drop_what_is_held():
    held = (Relation("red block", "held"),)
    scene = Scene(1.0, (block(z=0.3), block(name="green block", confidence=0.1)), held)
    execution = begin(scene, WORLD.skill("place it on the green block"))
    command = run(execution, lambda step: Scene(1 + 0.05 * step, scene.objects, held))
    assert not execution.finished and command.finger == 0.0


FORWARD = (Layer(np.zeros((4, SIZE), np.float32), np.array([5, 0, 0, 5], np.float32)),)


def test_an_arm_that_does_not_follow_its_commands_ends_the_skill_where_it_stands():
    policy = Policy(FORWARD, (CRITIC, CRITIC))
    scene = Scene(1.0, (block(),))
    execution = Execution(skill_task("pick"), policy, WORLD, PICK, CartesianController(PROFILE), scene, state())
    command = run(execution, lambda step: scene, width=0.08)
    assert execution.over and execution.reason == NOT_FOLLOWING
    assert execution.steps <= STANDSTILL_STEPS + 5
    assert np.allclose(command.q, HOME)


def test_a_hand_that_stays_open_though_it_is_told_to_close_ends_the_skill():
    execution = begin(Scene(1.0, (block(),)))
    run(execution, lambda step: Scene(1.0 + 0.05 * step, (block(),)), width=0.08)
    assert execution.over and execution.reason == HAND_NOT_FOLLOWING and execution.steps <= STANDSTILL_STEPS + 5


def test_a_hand_that_closes_on_nothing_or_on_a_block_follows():
    for width in (0.0, 0.04):
        execution = begin(Scene(1.0, (block(),)))
        for step in range(1, 60):
            execution.step(Scene(1.0 + 0.05 * step, (block(),)), state(step, width=width if step > 5 else 0.08))
        assert execution.reason != HAND_NOT_FOLLOWING
