from dataclasses import replace

import numpy as np
import pytest

from fmrl_ros.learning.skills.task_config import CLOSE, OPEN, come_down, over, rise, towards
from fmrl_ros.learning.skills.tasks import task_config


def test_actions_stay_within_their_limits_and_turn_with_the_offset():
    far, near = towards(np.array([1.0, -1.0, 0.0]), OPEN), towards(np.array([0.001, -0.001, 0.0]), CLOSE)
    assert far.tolist() == [1.0, -1.0, 0.0, 1.0] and near.dtype == np.float32
    assert 0 < near[0] < 1 and near[1] == -near[0] and near[3] == -1.0


def test_a_script_travels_high_until_it_is_above_the_point(environment_of):
    view = environment_of("pick").view
    point = view.tool * [1, 1, 0]
    elsewhere = np.add(point, [0.2, 0, 0])
    assert over(view, point, view.tool[2], OPEN) is None
    away = over(view, elsewhere, view.tool[2] - 0.02, OPEN)
    assert away[0] == 1.0 and abs(away[2]) < 0.5
    assert over(replace(view, tool=view.tool - [0, 0, 0.1]), elsewhere, view.tool[2], OPEN) is None


def test_coming_down_is_slower_near_the_end_and_rising_goes_straight_up(environment_of):
    gently, fast = (come_down(np.array([0, 0, -depth]), CLOSE)[2] for depth in (0.02, 0.2))
    assert fast < gently < 0
    view = environment_of("pick").view
    assert rise(replace(view, tool=np.array([0.5, 0.0, 0.05])), CLOSE).tolist() == [0.0, 0.0, 1.0, -1.0]


def test_an_attempt_knows_what_was_shifted(environment_of):
    attempt = environment_of("pick").attempt
    block, other = attempt.simulation.world.names_of_kind("block")[:2]
    shifted = replace(attempt, before={**attempt.before, block: attempt.before[block] + [0.1, 0, 0, 0]})
    assert attempt.undisturbed() and not shifted.undisturbed(other)
    assert shifted.undisturbed(block) and replace(shifted, held=block).undisturbed()


@pytest.mark.parametrize("skill, gym_id", [("pick", "fmrl/Pick-v0"), ("open_drawer", "fmrl/OpenDrawer-v0")])
def test_a_task_is_known_to_gymnasium_by_its_skills_name(skill, gym_id):
    config = task_config(skill)
    assert config.gym_id == gym_id and "feasible" not in config.infeasible
    assert {"feasible", *config.infeasible} == set(config.resets)
