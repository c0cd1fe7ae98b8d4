"""The skill environments keep Gymnasium's contract, and their reward follows the truth."""

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from fmrl_ros.simulation.skill_environment import SkillEnvironment
from fmrl_ros.simulation.skill_resets import SCENARIOS
from fmrl_ros.skills.evaluation import SuccessRate, random_actions, run_episodes, script_actions


@pytest.fixture(scope="module", params=sorted(SCENARIOS))
def environment(request):
    return SkillEnvironment(request.param)


def test_it_passes_gymnasiums_checker(environment):
    check_env(environment, skip_render_check=True)


def test_the_script_mostly_succeeds_and_random_actions_do_not(environment):
    script = SuccessRate.of(run_episodes(environment, script_actions(), range(6)))
    chance = SuccessRate.of(run_episodes(environment, random_actions(0), range(2)))
    assert script.successes >= 4
    assert chance.rate < script.rate


def test_every_start_is_what_its_name_says(environment):
    skill = environment.task.name
    for scenario in SCENARIOS[skill]:
        environment.reset(seed=1, options={"scenario": scenario})
        goal_seen = environment.goal.confidence > 0
        holding = environment.scene.held is not None
        assert goal_seen == (scenario != "absent"), scenario
        assert holding == ((scenario == "hand_full") if skill == "pick" else (scenario != "hand_empty")), scenario


def test_a_seed_gives_the_same_episode_again(environment):
    first, _ = environment.reset(seed=5)
    again, _ = environment.reset(seed=5)
    assert np.array_equal(first, again)


def test_an_unknown_scenario_is_named_with_the_valid_ones():
    with pytest.raises(ValueError, match=r"unknown scenarios \['upside_down'\].*feasible"):
        SkillEnvironment("pick", scenarios={"upside_down": 1.0})
