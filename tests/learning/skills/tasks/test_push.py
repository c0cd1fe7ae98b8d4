import numpy as np

from fmrl_ros.learning.skills.tasks.push import DEVIATION, moved
from fmrl_ros.skills.task import PUSH_DISTANCE


def test_the_script_pushes_the_block_as_far_as_it_should_go(run_script):
    environment, outcome = run_script("push")
    attempt, (block, way) = environment.attempt, environment.skill.arguments
    assert outcome.success and moved(attempt) == 1.0
    target = attempt.before[block][:2] + PUSH_DISTANCE * environment.world.direction(way)
    assert np.linalg.norm(environment.simulation.pose(block)[:2] - target) < 2 * DEVIATION


def test_a_block_that_was_not_moved_or_is_held_pays_nothing(environment_of):
    assert moved(environment_of("push").attempt) == 0.0
    assert moved(environment_of("push", "already_held").attempt) == 0.0


def test_a_feasible_way_is_free(environment_of):
    for seed in range(5):
        environment = environment_of("push", seed=seed)
        block, way = environment.skill.arguments
        start = environment.simulation.pose(block)[:2]
        path = [start + reach * environment.world.direction(way) for reach in (0.0, PUSH_DISTANCE / 2, PUSH_DISTANCE)]
        others = [o.name for o in environment.world.objects if o.name != block]
        poses = [environment.simulation.pose(name)[:2] for name in others]
        assert min(np.linalg.norm(pose - point) for pose in poses for point in path) > 0.09


def test_a_block_that_is_absent_is_not_on_the_table(environment_of):
    environment = environment_of("push", "absent")
    assert environment.simulation.pose(environment.skill.arguments[0])[2] < -0.1
