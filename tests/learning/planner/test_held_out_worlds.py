import numpy as np

from fmrl_ros.learning.planner.episodes import next_skill
from fmrl_ros.learning.planner.held_out_worlds import held_out_tasks
from fmrl_ros.meaning.pursuit import Pursuit
from fmrl_ros.worlds.world import DONE


def test_there_are_a_hundred_of_two_worlds_in_turn():
    tasks = held_out_tasks()
    assert len(tasks) == 100 and len({task.instruction for task in tasks}) > 95
    assert [task.family for task in tasks[:2]] == ["studio", "clinic"]


def test_every_goal_can_be_written_and_whoever_follows_it_does_what_was_asked():
    rng = np.random.default_rng(0)
    for task in held_out_tasks():
        assert str(task.goal) == task.explanation
        state, pursuit = task.start, Pursuit(task.goal, task.start.world)
        for _ in range(0 if task.impossible else 40):
            pursuit.observe(state)
            skill = next_skill(pursuit, task, state, rng)
            if skill is DONE:
                break
            state = state.after(skill)
            pursuit.note(skill)
        assert task.fulfilled(state), task.explanation
