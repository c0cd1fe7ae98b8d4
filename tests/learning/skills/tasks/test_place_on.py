import numpy as np

from fmrl_ros.learning.skills.tasks.place_on import stacked


def test_the_script_stacks_the_block_on_the_other(run_script):
    environment, outcome = run_script("place_on")
    attempt = environment.attempt
    assert outcome.success and stacked(attempt) == 1.0
    assert attempt.simulation.on(attempt.held, attempt.skill.arguments[0])


def test_a_block_cannot_be_stacked_on_itself(environment_of):
    environment = environment_of("place_on", "on_itself")
    assert environment.attempt.held == environment.skill.arguments[0] and stacked(environment.attempt) == 0.0


def test_an_empty_hand_stacks_nothing(environment_of):
    assert stacked(environment_of("place_on", "hand_empty").attempt) == 0.0


def test_where_the_place_is_taken_a_block_stands_on_the_other(environment_of):
    environment = environment_of("place_on", "occupied")
    (target,), simulation = environment.skill.arguments, environment.simulation
    others = [
        name for name in environment.world.names_of_kind("block") if name not in (target, environment.attempt.held)
    ]
    assert any(simulation.on(name, target) for name in others)


def test_a_block_that_is_let_go_elsewhere_is_not_stacked(environment_of):
    environment = environment_of("place_on")
    for _ in range(12):
        environment.step(np.array([0, 0, 0, 1], np.float32))
    assert stacked(environment.attempt) == 0.0
