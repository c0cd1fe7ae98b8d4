import numpy as np
import pytest

from fmrl_ros.learning.skills.tasks.place_in import contained


@pytest.mark.parametrize("seed", [0, 2])
def test_the_script_lets_the_block_go_in_the_container(run_script, seed):
    environment, outcome = run_script("place_in", seed=seed)
    attempt = environment.attempt
    assert outcome.success and contained(attempt) == 1.0
    assert attempt.simulation.inside(attempt.held, *attempt.skill.arguments)


def test_a_block_that_is_still_in_the_hand_pays_nothing(environment_of):
    assert contained(environment_of("place_in").attempt) == 0.0


def test_a_block_that_is_let_go_beside_the_container_pays_nothing(environment_of):
    environment = environment_of("place_in")
    for _ in range(12):
        environment.step(np.array([0, 0, 0, 1], np.float32))
    assert not environment.simulation.held(environment.attempt.held)
    assert contained(environment.attempt) == 0.0


def test_a_full_bowl_holds_every_other_block(environment_of):
    environment = environment_of("place_in", "full")
    bowl = environment.simulation.pose(*environment.skill.arguments)[:2]
    others = set(environment.world.names_of_kind("block")) - {environment.attempt.held}
    assert all(np.linalg.norm(environment.simulation.pose(name)[:2] - bowl) < 0.07 for name in others)


def test_a_closed_drawer_is_closed_when_the_skill_starts(environment_of):
    environment = environment_of("place_in", "drawer_closed")
    assert environment.simulation.drawer < 0.05 and environment.attempt.held is not None
