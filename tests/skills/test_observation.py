"""The observation says what it claims, and training and run time build it with the same code."""

import numpy as np

from fmrl_ros.perception.scene import Relation, Scene, SceneObject
from fmrl_ros.robot.cartesian import ToolPose
from fmrl_ros.skills.observation import COMPONENTS, SIZE, SkillMemory, observe
from fmrl_ros.skills.task import Goal, object_goal, place_goal
from fmrl_ros.worlds.world import load_world


def block(name: str, x: float, y: float) -> SceneObject:
    return SceneObject(name, "block", (x, y, 0.02), 0.0, (0.04, 0.04, 0.04), 0.9)


def part(observation: np.ndarray, name: str) -> np.ndarray:
    start = 0
    for component, size in COMPONENTS:
        if component == name:
            return observation[start : start + size]
        start += size
    raise KeyError(name)


TOOL = ToolPose(np.array([0.4, 0.0, 0.3]), 0.0)
MEMORY = SkillMemory(np.array([0.4, 0.0, 0.3]), True, False)


def test_goal_is_relative_to_the_tool():
    goal = Goal("red block", np.array([0.5, 0.1, 0.02]), 0.0, 0.9)
    observation = observe(goal, Scene(0.0, (block("red block", 0.5, 0.1),)), TOOL, 0.08, MEMORY)
    assert observation.shape == (SIZE,)
    assert np.allclose(part(observation, "goal_from_tool"), [1.0, 1.0, -2.8], atol=1e-6)


def test_a_quarter_turn_of_a_cube_changes_nothing():
    scene = Scene(0.0, ())
    plain = observe(Goal("red block", np.zeros(3), 0.1, 1.0), scene, TOOL, 0.08, MEMORY)
    turned = observe(Goal("red block", np.zeros(3), 0.1 + np.pi / 2, 1.0), scene, TOOL, 0.08, MEMORY)
    assert np.allclose(plain, turned, atol=1e-6)


def test_the_held_block_is_told_apart_from_its_goal():
    objects = (block("red block", 0.4, 0.0), block("blue block", 0.6, 0.2))
    scene = Scene(0.0, objects, (Relation("red block", "held"),))
    own = observe(Goal("red block", np.array([0.4, 0, 0.02]), 0.0, 1.0), scene, TOOL, 0.04, MEMORY)
    other = observe(Goal("blue block", np.array([0.6, 0.2, 0.02]), 0.0, 1.0), scene, TOOL, 0.04, MEMORY)
    assert part(own, "holding").tolist() == [1, 1]
    assert part(other, "holding").tolist() == [1, 0]


def test_a_neighbour_of_the_goal_is_noticed_only_when_near():
    goal = Goal("middle", np.array([0.5, -0.04, 0.02]), 0.0, 1.0)
    near = observe(goal, Scene(0.0, (block("red block", 0.5, 0.01),)), TOOL, 0.08, MEMORY)
    far = observe(goal, Scene(0.0, (block("red block", 0.5, 0.5),)), TOOL, 0.08, MEMORY)
    assert np.isclose(part(near, "nearest_block")[0], 0.5)
    assert np.isclose(part(far, "nearest_block")[0], 1.5)


def test_an_object_that_was_never_seen_has_no_confidence_and_a_place_is_always_known():
    world = load_world("tabletop")
    empty = Scene(0.0, ())
    assert object_goal(world, world.skill("pick up the red block"), empty).confidence == 0
    assert place_goal(world, world.skill("place it at the middle"), empty).confidence == 1
