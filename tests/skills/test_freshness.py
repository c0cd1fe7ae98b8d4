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


def test_stamps_do_not_hide_a_driver_that_has_fallen_silent():
    assert "no joint_states" in defect(silence=JOINTS_TIMEOUT + 0.1)
    assert "no joint_states" in defect(silence=math.inf)


def test_joint_states_are_named_before_a_scene():
    assert "joint_states older" in defect(joints=4.0, scene=None)
