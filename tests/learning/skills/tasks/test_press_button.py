from dataclasses import replace

import pytest

from fmrl_ros.learning.skills.tasks.press_button import pressed


@pytest.mark.parametrize("seed", [0, 1])
def test_the_script_switches_the_lamp_once(run_script, seed):
    environment, outcome = run_script("press_button", seed=seed)
    assert outcome.success and pressed(environment.attempt) == 1.0
    assert environment.simulation.lamp != environment.attempt.lamp


def test_a_lamp_that_stays_as_it_was_pays_nothing(environment_of):
    assert pressed(environment_of("press_button").attempt) == 0.0


def test_with_a_full_hand_a_lamp_that_is_switched_pays_nothing(run_script):
    environment, _ = run_script("press_button")
    assert pressed(replace(environment.attempt, held="red block")) == 0.0
