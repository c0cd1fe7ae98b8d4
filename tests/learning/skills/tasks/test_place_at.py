import numpy as np
import pytest

from fmrl_ros.learning.skills.tasks.place_at import TOLERANCE, placed


@pytest.mark.parametrize("seed", [0, 1])
def test_the_script_sets_the_block_down_at_the_spot(run_script, seed):
    environment, outcome = run_script("place_at", seed=seed)
    attempt = environment.attempt
    assert outcome.success and placed(attempt) == 1.0
    away = np.linalg.norm(attempt.simulation.pose(attempt.held)[:2] - environment.goal.position[:2])
    assert away < TOLERANCE


def test_a_feasible_spot_is_free(environment_of):
    for seed in range(5):
        environment = environment_of("place_at", seed=seed)
        spot, skill = environment.goal.position[:2], environment.skill
        others = [
            o.name for o in environment.world.objects if o.name not in (environment.attempt.held, *skill.arguments)
        ]
        assert all(np.linalg.norm(environment.simulation.pose(name)[:2] - spot) > 0.08 for name in others)


def test_an_occupied_spot_is_not(environment_of):
    environment = environment_of("place_at", "occupied")
    spot = environment.goal.position[:2]
    others = [o.name for o in environment.world.objects if o.name != environment.attempt.held]
    assert min(np.linalg.norm(environment.simulation.pose(name)[:2] - spot) for name in others) < 0.06


def test_a_block_in_the_hand_lies_nowhere(environment_of):
    assert placed(environment_of("place_at").attempt) == 0.0
