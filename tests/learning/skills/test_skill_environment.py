"""The skill environments keep Gymnasium's contract, and their reward follows the truth."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common import env_checker

from fmrl_ros.learning.skills.evaluation import (
    SuccessRate,
    policy_actions,
    random_actions,
    run_episodes,
    script_actions,
)
from fmrl_ros.learning.skills.randomisation import Randomisation
from fmrl_ros.learning.skills.skill_environment import SkillEnvironment, register
from fmrl_ros.learning.skills.tasks import CONFIGS
from fmrl_ros.skills.execution import Execution
from fmrl_ros.skills.observation import SIZE
from fmrl_ros.skills.policy import Layer, Policy

EMPTY_HANDED = {"pick", "open_drawer", "close_drawer", "push", "press_button"}


@pytest.fixture(scope="module", params=sorted(CONFIGS))
def environment(request):
    return SkillEnvironment(request.param, randomisation=Randomisation())


def test_it_passes_the_checkers_of_gymnasium_and_stable_baselines3(environment):
    check_env(environment, skip_render_check=True)
    env_checker.check_env(environment)


def test_gymnasium_makes_it_by_its_id(environment):
    register()
    made = gymnasium.make(environment.config.gym_id)
    assert made.unwrapped.task is environment.task
    made.close()


def test_the_script_mostly_succeeds_and_random_actions_do_not(environment):
    script = SuccessRate.of(run_episodes(environment, script_actions(), range(6), "feasible"))
    chance = SuccessRate.of(run_episodes(environment, random_actions(0), range(2), "feasible"))
    assert script.successes >= 4
    assert chance.rate < script.rate


def test_every_start_is_what_its_name_says(environment):
    skill = environment.task.name
    for scenario in environment.config.resets:
        environment.reset(seed=1, options={"scenario": scenario})
        goal_seen = environment.goal.confidence > 0
        holding = environment.scene.held is not None
        assert goal_seen == (scenario != "absent"), scenario
        full = scenario in ("hand_full", "already_held") if skill in EMPTY_HANDED else scenario != "hand_empty"
        assert holding == full, scenario


def test_the_robot_observes_what_training_observed(environment):
    """`Execution`, which `skill_server` runs, builds the very observation that the environment returned."""
    seen = []

    class Recorder(Policy):
        def affordance(self, observations):
            seen.append(observations[0].copy())
            return super().affordance(observations)

    rng = np.random.default_rng(0)
    network = tuple(Layer(rng.normal(0, 0.1, (n, m)).astype(np.float32), np.zeros(n, np.float32)) for n, m in _SHAPES)
    critic = (Layer(np.zeros((1, SIZE + 4), np.float32), np.zeros(1, np.float32)),)
    policy = Recorder(network, (critic, critic))
    expected, _ = environment.reset(seed=3, options={"scenario": "feasible"})
    execution = Execution(
        environment.task,
        policy,
        environment.world,
        environment.skill,
        environment.controller,
        environment.scene,
        environment.state,
    )
    act, over = policy_actions(policy)(environment), False
    for _ in range(30):
        execution.step(environment.scene, environment.state)
        if over or execution.reason:
            break
        assert np.allclose(seen[-1], expected, atol=1e-5)
        expected, _, finished, truncated, _ = environment.step(act(expected))
        over = finished or truncated
    assert len(seen) > 3


_SHAPES = ((32, SIZE), (4, 32))


def test_the_same_seed_varies_the_table_in_the_same_way(environment):
    environment.reset(seed=8)
    masses = environment.simulation.model.body_mass.copy()
    environment.reset(seed=9)
    assert not np.allclose(masses, environment.simulation.model.body_mass)
    environment.reset(seed=8)
    assert np.array_equal(masses, environment.simulation.model.body_mass)


def test_a_seed_gives_the_same_episode_again(environment):
    first, _ = environment.reset(seed=5)
    again, _ = environment.reset(seed=5)
    assert np.array_equal(first, again)


def test_an_unknown_scenario_is_named_with_the_valid_ones():
    with pytest.raises(ValueError, match=r"unknown scenarios \['upside_down'\].*feasible"):
        SkillEnvironment("pick", scenarios={"upside_down": 1.0})
