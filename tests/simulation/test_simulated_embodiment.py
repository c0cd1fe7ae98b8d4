"""The whole robot without ROS, with the committed models: it sees, judges what is possible, and picks a block up."""

import numpy as np
import pytest

from fmrl_ros.perception.backends.backend import load_backend
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.simulation.simulated_embodiment import SimulatedEmbodiment
from fmrl_ros.skills.library import SkillLibrary
from fmrl_ros.worlds.world import DONE, load_world

PROFILE = load_profile("franka_sim")

WORLD = load_world("tabletop")
PICK, PLACE = WORLD.skill("pick up the red block"), WORLD.skill("place it at the middle")


@pytest.fixture(scope="module")
def robot():
    robot = SimulatedEmbodiment(WORLD, SkillLibrary.load(WORLD, PROFILE), load_backend("embedded", WORLD, threads=1))
    yield robot
    robot.close()


def test_after_a_reset_everything_on_the_table_is_seen_where_it_is(robot):
    robot.reset(0)
    scene = robot.describe_scene()
    for entry in WORLD.objects:
        seen = scene.find(entry.name)
        assert seen is not None, entry.name
        assert seen.position == pytest.approx(robot.simulation.pose(entry.name)[:3], abs=0.015), entry.name


def test_a_scene_is_one_frame_period_old(robot):
    robot.reset(0)
    scene = robot.describe_scene()
    assert robot.simulation.data.time - scene.stamp == pytest.approx(0.1)


def test_a_seed_gives_the_same_pictures_again(robot):
    robot.reset(1)
    first = robot.frames[-1]
    robot.reset(2)
    other = robot.frames[-1]
    robot.reset(1)
    assert np.array_equal(robot.frames[-1], first) and not np.array_equal(other, first)


def test_a_block_is_picked_up_and_seen_to_be(robot):
    robot.reset(0)
    before = robot.describe_scene()
    possible, impossible = robot.score_affordances([PICK, PLACE])
    assert possible > 0.8 > 0.2 > impossible
    outcome = robot.execute_skill(PICK)
    assert outcome.finished and outcome.reason == "done"
    assert robot.detect_success(PICK, before).value is True
    assert robot.simulation.held("red block")
    assert robot.score_affordances([PLACE])[0] > 0.8


def test_what_is_no_skill_of_the_robot_is_refused(robot):
    assert DONE not in robot.list_skills() and PICK in robot.list_skills()
    with pytest.raises(UnknownNameError, match="pick up the red block"):
        robot.execute_skill(DONE)
