from fmrl_ros.learning.skills.tasks.close_drawer import closed


def test_the_script_pushes_the_drawer_shut(run_script):
    environment, outcome = run_script("close_drawer")
    assert outcome.success and closed(environment.attempt) == 1.0
    assert environment.simulation.drawer < environment.attempt.drawer


def test_a_drawer_that_was_closed_pays_nothing(environment_of):
    environment = environment_of("close_drawer", "already_closed")
    assert environment.simulation.drawer < 0.02 and closed(environment.attempt) == 0.0


def test_an_open_drawer_pays_nothing(environment_of):
    environment = environment_of("close_drawer")
    assert environment.simulation.drawer > 0.04 and closed(environment.attempt) == 0.0


def test_a_full_hand_holds_a_block_before_the_open_drawer(environment_of):
    environment = environment_of("close_drawer", "hand_full")
    assert environment.simulation.held(environment.attempt.held) and environment.simulation.drawer > 0.04
