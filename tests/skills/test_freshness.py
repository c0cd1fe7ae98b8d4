"""A skill works only with joint states and scenes that are neither too old nor ahead of the time."""

import math

import numpy as np
import pytest

from fmrl_ros.robot.state import RobotState
from fmrl_ros.skills.freshness import JOINTS_TIMEOUT, Freshness
from fmrl_ros.worlds.scene import Scene


def defect(now=5.0, joints=5.0, scene=5.0, silence=0.0):
    state = None if joints is None else RobotState(joints, np.zeros(7), np.zeros(7), 0.08)
    return Freshness(0.5, 0.2).defect(None if scene is None else Scene(scene, ()), state, now, silence)


@pytest.mark.parametrize(("joints", "scene"), [(5.0, 5.0), (5.1, 5.2), (5.1, 5.55), (4.85, 4.55)])
def test_what_is_new_enough_has_no_defect(joints, scene):
    assert defect(joints=joints, scene=scene) == ""


@pytest.mark.parametrize(
    ("joints", "scene", "words"),
    [
        (None, 5.0, "no joint_states for 1.0 s"),
        (4.7, 5.0, "joint_states older than 0.2 s"),
        (5.3, 5.0, "joint_states more than 0.2 s ahead of the time"),
        (5.0, None, "no scene received"),
        (5.0, 4.4, "scene older than 0.5 s"),
        (5.1, 4.55, "scene older than 0.5 s"),
        (5.0, 5.6, "scene more than 0.5 s ahead of the time"),
    ],
)
def test_what_is_missing_too_old_or_ahead_of_the_time_is_named(joints, scene, words):
    assert words in defect(joints=joints, scene=scene)


WALL = 1.7e9


@pytest.mark.parametrize(
    ("now", "joints", "scene", "words"),
    [
        (WALL, 0.0, WALL, "joint_states are stamped 0; the driver must fill in header.stamp"),
        (
            WALL,
            12.0,
            WALL,
            "joint_states are stamped with a simulation's time, but this node goes by wall time; set use",
        ),
        (
            12.0,
            WALL,
            12.0,
            "joint_states are stamped with wall time, but this node goes by a simulation's time; set use",
        ),
        (0.0, 50.0, 50.0, "the time here stands at 0: use_sim_time is set and no /clock comes"),
        (
            WALL,
            WALL - 60,
            WALL,
            "joint_states are stamped 60 s before the time here; synchronise the computers' clocks",
        ),
        (WALL, WALL + 3600, WALL, "joint_states are stamped 3600 s after the time here"),
        (WALL, WALL, 0.0, "the cameras' pictures are stamped 0"),
        (WALL, WALL, 12.0, "the cameras' pictures are stamped with a simulation's time"),
        (WALL, WALL, WALL - 60, "scene older than 0.5 s; is scene_describer running?"),
    ],
)
def test_stamps_of_another_clock_are_named_as_such(now, joints, scene, words):
    assert words in defect(now, joints, scene)


def test_a_simulation_that_begins_at_zero_has_no_defect():
    assert defect(now=0.0, joints=0.0, scene=0.0) == ""


def test_silence_has_the_cause_that_is_known():
    said = Freshness().defect(None, None, 5.0, math.inf, lambda: "nobody publishes /joint_states")
    assert said == "no joint_states for 1.0 s; nobody publishes /joint_states"


def test_stamps_do_not_hide_a_driver_that_has_fallen_silent():
    assert "no joint_states" in defect(silence=JOINTS_TIMEOUT + 0.1)
    assert "no joint_states" in defect(silence=math.inf)


def test_joint_states_are_named_before_a_scene():
    assert "joint_states older" in defect(joints=4.0, scene=None)
