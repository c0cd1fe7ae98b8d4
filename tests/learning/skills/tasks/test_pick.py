from dataclasses import replace

import numpy as np
import pytest

from fmrl_ros.learning.skills.tasks.pick import dropped, lifted


def test_the_script_lifts_the_block_that_was_asked_for(run_script):
    environment, outcome = run_script("pick")
    (block,) = environment.skill.arguments
    assert outcome.success and outcome.reason == "done"
    assert environment.simulation.held(block) and lifted(environment.attempt) == 1.0


def test_a_block_that_is_held_already_pays_nothing(environment_of):
    environment = environment_of("pick", "already_held")
    assert environment.simulation.held(environment.skill.arguments[0])
    assert lifted(environment.attempt) == 0.0


def test_a_lifted_block_pays_nothing_if_another_stood_on_it(run_script):
    environment, _ = run_script("pick")
    attempt, (block,) = environment.attempt, environment.skill.arguments
    other = next(name for name in environment.world.names_of_kind("block") if name != block)
    stacked = {**attempt.before, other: attempt.before[block] + [0, 0, 0.04, 0]}
    assert lifted(attempt) == 1.0 and lifted(replace(attempt, before=stacked)) == 0.0


def test_a_full_hand_that_lets_go_ends_the_episode(environment_of):
    environment, over = environment_of("pick", "hand_full"), False
    assert not dropped(environment.attempt)
    while not over:
        _, reward, finished, truncated, info = environment.step(np.array([0, 0, 0, 1], np.float32))
        over = finished or truncated
    assert info["outcome"].reason == "dropped" and reward == 0.0


@pytest.mark.parametrize("scenario, gap", [("blocked", 0.05), ("in_bowl", 0.06), ("under_another", 0.02)])
def test_what_makes_a_start_infeasible_is_near_the_block(environment_of, scenario, gap):
    environment = environment_of("pick", scenario)
    (block,), simulation = environment.skill.arguments, environment.simulation
    others = [name for name in environment.world.names_of_kind("block") if name != block]
    away = [np.linalg.norm(simulation.pose(name)[:2] - simulation.pose(block)[:2]) for name in others]
    assert min(away) < gap
