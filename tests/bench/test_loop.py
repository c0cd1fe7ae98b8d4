"""The loop benchmark asks for what the world has, the same for a seed, and counts by the truth."""

from fmrl_ros.bench.loop import LoopEpisode, LoopTask, summary, tasks
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


def test_tasks_name_what_the_world_has_and_alternate():
    todo = list(tasks(WORLD, 0, 12))
    assert [task.relation for task in todo] == ["in", "at"] * 6
    for task in todo:
        assert task.block in task.instruction
        assert task.target in task.instruction
        assert task.target in WORLD.names_of_kind("bowl" if task.relation == "in" else "place")


def test_a_seed_gives_the_same_tasks_again():
    assert list(tasks(WORLD, 7, 5)) == list(tasks(WORLD, 7, 5))
    assert list(tasks(WORLD, 7, 5)) != list(tasks(WORLD, 8, 5))


def test_success_is_what_is_true_and_belief_is_compared_with_it():
    task = LoopTask(0, "put it there", "red block", "in", "blue bowl")
    outcomes = [(True, True), (True, False), (False, False), (False, True)]
    totals = summary([LoopEpisode(task, believed, true, 3, 1.0, "") for believed, true in outcomes])
    assert totals.success == 0.5
    assert totals.belief_agrees == 0.5
    assert totals.mean_decisions == 3
