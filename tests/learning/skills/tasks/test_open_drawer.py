from dataclasses import replace

from fmrl_ros.learning.skills.tasks.open_drawer import opened


def test_the_script_pulls_the_drawer_out(run_script):
    environment, outcome = run_script("open_drawer")
    assert outcome.success and opened(environment.attempt) == 1.0
    assert environment.simulation.drawer > environment.attempt.drawer + 0.05


def test_a_drawer_that_was_open_pays_nothing(environment_of):
    environment = environment_of("open_drawer", "already_open")
    assert environment.simulation.drawer > 0.1 and opened(environment.attempt) == 0.0


def test_with_a_full_hand_an_opened_drawer_pays_nothing(run_script):
    environment, _ = run_script("open_drawer")
    assert opened(replace(environment.attempt, held="red block")) == 0.0


def test_the_drawer_is_shut_or_half_open_in_a_feasible_start(environment_of):
    assert all(environment_of("open_drawer", seed=seed).simulation.drawer < 0.08 for seed in range(5))
