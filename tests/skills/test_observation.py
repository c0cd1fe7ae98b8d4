"""The observation says what it claims, and training and run time build it with the same code."""

import numpy as np

from fmrl_ros.robot.kinematics import ToolPose
from fmrl_ros.skills import observation as terms
from fmrl_ros.skills.observation import SIZE, TERMS, SkillMemory, observation_context, observe
from fmrl_ros.skills.task import Goal, object_goal, place_goal
from fmrl_ros.worlds.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
TOOL = ToolPose(np.array([0.4, 0.0, 0.3]), 0.0)
MEMORY = SkillMemory(np.array([0.4, 0.0, 0.3]), True, False)


def block(name: str, x: float, y: float, z: float = 0.02) -> SceneObject:
    return SceneObject(name, "block", (x, y, z), 0.0, (0.04, 0.04, 0.04), 0.9)


def goal(name: str, x: float, y: float, yaw: float = 0.0) -> Goal:
    return Goal(name, np.array([x, y, 0.02]), yaw, 0.9, name)


def seen(aim: Goal, scene: Scene, memory: SkillMemory = MEMORY):
    return observation_context([aim], scene, TOOL, 0.08, memory)


def test_goal_is_relative_to_the_tool():
    scene = Scene(0.0, (block("red block", 0.5, 0.1),))
    assert observe([goal("red block", 0.5, 0.1)], scene, TOOL, 0.08, MEMORY).shape == (1, SIZE)
    assert np.allclose(terms.goal_from_tool(seen(goal("red block", 0.5, 0.1), scene)), [[1.0, 1.0, -2.8]])


def test_a_quarter_turn_of_a_cube_changes_nothing():
    scene = Scene(0.0, ())
    plain = observe([goal("red block", 0.4, 0.0, 0.1)], scene, TOOL, 0.08, MEMORY)
    turned = observe([goal("red block", 0.4, 0.0, 0.1 + np.pi / 2)], scene, TOOL, 0.08, MEMORY)
    assert np.allclose(plain, turned, atol=1e-6)


def test_the_held_block_is_told_apart_from_its_goal():
    objects = (block("red block", 0.4, 0.0), block("blue block", 0.6, 0.2))
    scene = Scene(0.0, objects, (Relation("red block", "held"),))
    assert terms.holding(seen(goal("red block", 0.4, 0.0), scene)).tolist() == [[1, 1]]
    assert terms.holding(seen(goal("blue block", 0.6, 0.2), scene)).tolist() == [[1, 0]]


def test_a_neighbour_of_the_goal_is_noticed_only_when_near():
    middle = Goal("middle", np.array([0.5, -0.04, 0.02]), 0.0, 1.0)
    near = terms.neighbours(seen(middle, Scene(0.0, (block("red block", 0.5, 0.01),))))
    far = terms.neighbours(seen(middle, Scene(0.0, (block("red block", 0.5, 0.5),))))
    assert np.isclose(near[0, 0], 0.5) and np.isclose(far[0, 0], 1.5)


def test_what_stands_on_the_goal_covers_it():
    objects = (block("red block", 0.5, 0.1), block("blue block", 0.5, 0.1, 0.06))
    assert terms.covered(seen(goal("red block", 0.5, 0.1), Scene(0.0, objects)))[0, 0] == 1
    assert terms.covered(seen(goal("blue block", 0.5, 0.1), Scene(0.0, objects[:1])))[0, 0] == 0


def test_what_is_held_has_moved_on_with_the_hand_since_it_was_seen():
    scene = Scene(1.0, (block("red block", 0.30, 0.0, 0.3),), (Relation("red block", "held"),))
    memory = SkillMemory(TOOL.position, False, True, ((1.0, np.array([0.31, 0.0, 0.3])), (1.1, TOOL.position)))
    aim = goal("blue block", 0.6, 0.0)
    assert np.allclose(terms.subject_from_tool(seen(aim, scene, memory)), [[-0.1, 0.0, 0.0]], atol=1e-9)


def test_a_batch_of_goals_is_the_same_as_one_after_the_other():
    objects = tuple(block(name, 0.4 + 0.07 * k, 0.05 * k) for k, name in enumerate(WORLD.names_of_kind("block")))
    goals = [goal(o.name, *o.position[:2]) for o in objects] + [Goal("middle", np.array([0.5, 0, 0.02]), 0.0, 1.0)]
    scene = Scene(0.0, objects)
    batch = observe(goals, scene, TOOL, 0.08, MEMORY)
    assert np.array_equal(batch, np.concatenate([observe([g], scene, TOOL, 0.08, MEMORY) for g in goals]))
    assert sum(size for _, size in TERMS) == SIZE


def test_an_object_that_was_never_seen_has_no_confidence_and_a_place_is_always_known():
    empty = Scene(0.0, ())
    assert object_goal(WORLD, WORLD.skill("pick up the red block"), empty, empty).confidence == 0
    assert place_goal(WORLD, WORLD.skill("place it at the middle"), empty, empty).confidence == 1
