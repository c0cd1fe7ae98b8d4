import os
import subprocess
import sys

import numpy as np
import pytest

from fmrl_ros.learning.planner.curriculum import KitchenCurriculum
from fmrl_ros.learning.planner.kitchen_instructions import FAMILIES, KitchenGenerator
from fmrl_ros.meaning.kitchen_goals import solve
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")


@pytest.mark.parametrize("split", ["train", "dev", "test", "new"])
def test_every_task_is_solved_by_its_plan_and_by_nothing_shorter(split):
    rng = np.random.default_rng(0)
    for task in KitchenCurriculum(WORLD).tasks(split, 3, 250):
        solution = solve(task.start, task.goal, rng)
        skills = solution.skills
        assert solution.explanation and ("none" in solution.explanation) == bool(task.goal.missing)
        if task.impossible:
            assert [s.name for s in skills] == ["refuse"]
            assert task.fulfilled(task.start)
            continue
        assert len(skills) > 1 or task.void, task.instruction
        state = task.start
        for skill in skills[:-1]:
            state = state.after(skill)
        assert skills[-1].name == "done" and task.fulfilled(state), task.instruction


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_every_family_draws_sentences_without_open_slots(split):
    generator = KitchenGenerator(WORLD, split, 0)
    for family in FAMILIES:
        tasks = [generator.draw(family) for _ in range(5)]
        assert {task.family for task in tasks} == {family}
        assert all(task.instruction and "{" not in task.instruction for task in tasks)


def test_tasks_of_one_kitchen_share_their_things():
    drawn = KitchenGenerator(WORLD, "train", 1).draw_together(40)
    assert len(drawn) > 10 and len({frozenset(task.start.locations) for task in drawn}) == 1


def test_what_is_done_already_is_void_and_nothing_stands_in_its_way():
    void = [task for task in KitchenGenerator(WORLD, "test", 2).draw_together(400) if task.void]
    assert void and all(task.fulfilled(task.start) and not task.impossible for task in void)
    assert not any(task.obstructed for task in void)


def test_a_kitchen_is_the_same_in_every_process():
    script = (
        "from fmrl_ros.learning.planner.kitchen_instructions import KitchenGenerator\n"
        "from fmrl_ros.worlds.world import load_world\n"
        "drawn = KitchenGenerator(load_world('kitchen'), 'train', 3).draw_together(30)\n"
        "print([(task.instruction, task.start.world.objects) for task in drawn])"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
