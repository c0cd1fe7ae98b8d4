from collections import Counter

import numpy as np
import pytest

from fmrl_ros.learning.planner.episodes import next_skill
from fmrl_ros.learning.planner.own_requests import FAMILIES, OwnRequests
from fmrl_ros.learning.planner.table_requests import Request
from fmrl_ros.learning.planner.table_tasks import TableTask
from fmrl_ros.meaning.goal_grammar import GoalGrammar
from fmrl_ros.meaning.pursuit import Pursuit
from fmrl_ros.worlds.world import DONE


def drawn(split, seed=0, worlds=12):
    requests = OwnRequests(split, seed)
    return [each for _ in range(worlds) for each in requests.draw_together(10) if isinstance(each, Request)]


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_every_meaning_is_a_goal_of_its_world_written_as_it_is_read(split):
    for request in drawn(split):
        grammar = GoalGrammar(request.start.world, request.start.scene(), request.instruction)
        assert str(grammar.parse(request.explanation)) == request.explanation


def test_whoever_follows_the_meaning_does_what_was_asked():
    rng = np.random.default_rng(0)
    failed = [request.instruction for request in drawn("test", 1) if not done(TableTask(request), rng)]
    assert len(failed) <= 2, failed


def done(task, rng, most=40):
    if task.impossible:
        return task.fulfilled(task.start)
    state, pursuit = task.start, Pursuit(task.goal, task.start.world)
    for _ in range(most):
        pursuit.observe(state)
        skill = next_skill(pursuit, task, state, rng)
        if skill is DONE:
            break
        state = state.after(skill)
        pursuit.note(skill)
    return task.fulfilled(state)


def test_every_family_is_drawn():
    assert Counter(request.family for request in drawn("train", 2, worlds=60)).keys() == FAMILIES.keys()


def test_the_same_seed_draws_the_same():
    assert [r.instruction for r in drawn("test", 3, 2)] == [r.instruction for r in drawn("test", 3, 2)]
