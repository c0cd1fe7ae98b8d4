import numpy as np
import pytest

from fmrl_ros.bench.plan import benchmark
from fmrl_ros.bench.plan.benchmark import STRATEGIES, PlanBenchmark, Result, run_trial
from fmrl_ros.bench.plan.conditions import CONDITIONS, Condition
from fmrl_ros.language.language_model import LanguageModelError
from fmrl_ros.learning.planner.curriculum import KitchenCurriculum, curriculum
from fmrl_ros.learning.planner.episodes import Mishaps
from fmrl_ros.planning.by_name import PlannerModel
from fmrl_ros.planning.strategies.inner_monologue import InnerMonologue
from fmrl_ros.worlds.kitchen import start_of, start_state
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


class Oracle:
    """Knows what one task means, and says the same of every skill."""

    name = "oracle"

    def __init__(self, task) -> None:
        self.task = task

    def score(self, prompt, options):
        return np.zeros(len(options))

    def generate(self, prompt, stop, max_tokens, grammar=None):
        text = self.task.explanation
        return text if grammar.viable(text, ended=True) else "nothing"


def trial_of(task, model, seed=(0, 0)):
    return run_trial(InnerMonologue(model, WORLD, explains=True, writes_goals=True), task, Condition("saycan"), seed)


def test_who_knows_what_is_meant_succeeds_at_nearly_every_generated_task():
    tasks = curriculum(WORLD, Mishaps()).tasks("test", 0, 80)
    result = Result(Condition("inner_monologue"))
    result.trials += [trial_of(task, Oracle(task), (0, index)) for index, task in enumerate(tasks)]
    assert result.rate()[0] >= 76, [(t.instruction, t.reason) for t in result.trials if not t.success]


def test_who_takes_everything_for_talk_is_right_only_where_it_is():
    class Deaf(Oracle):
        def generate(self, prompt, stop, max_tokens, grammar=None):
            return "talk"

    said = [task for task in curriculum(WORLD, Mishaps()).tasks("sayings", 1, 60) if task.impossible]
    for task in (task for task in said if task.reply != "question"):  # some of those are known by their form
        assert trial_of(task, Deaf(task)).success == (task.reply == "talk"), task.instruction


def test_the_model_reads_what_a_task_says_was_asked_for_before(monkeypatch):
    read = []

    class Reader(Oracle):
        def generate(self, prompt, stop, max_tokens, grammar=None):
            read.append(prompt)
            return "talk"

    model = PlannerModel(Reader(None), "", explains=True, writes_goals=True)
    monkeypatch.setattr(benchmark, "load_planner_model", lambda *_: model)
    conditions = (Condition("inner_monologue"),)
    next(benchmark.run(PlanBenchmark(tasks=60, conditions=conditions)))
    before = {line for task in curriculum(WORLD, Mishaps()).tasks("test", 1, 60) for line in task.before}
    assert before and {line[8:] for prompt in read for line in prompt.splitlines() if line[:8] == "Before: "} <= before
    with_goals = ["\nBefore: " in prompt for prompt in read]
    assert any(with_goals) and not all(with_goals)


def test_every_condition_names_a_strategy():
    assert {c.strategy for conditions in CONDITIONS.values() for c in conditions} <= set(STRATEGIES)


def test_a_model_that_does_not_answer_is_no_result():
    class Dead(Oracle):
        def score(self, prompt, options):
            raise LanguageModelError("nobody is there")

    tasks = curriculum(WORLD, Mishaps()).tasks("test", 0, 20)
    task = next(task for task in tasks if not task.impossible and not task.fulfilled(task.start))
    with pytest.raises(LanguageModelError, match="nobody is there"):
        trial_of(task, Dead(task))


def test_what_stands_in_the_json_of_a_failure_can_be_planned_for_again():
    task = next(KitchenCurriculum(load_world("kitchen")).kitchens("dev", 3))[0]
    assert start_state(task.start.world, start_of(task.start)) == task.start


@pytest.mark.parametrize(("said", "right"), [("no skill", True), ("unclear", False)])
def test_whoever_does_not_understand_has_not_seen_that_it_cannot_be_done(said, right):
    task = next(t for t in curriculum(WORLD, Mishaps()).tasks("test", 0, 200) if t.explanation == "no skill")

    class Says(Oracle):
        def generate(self, prompt, stop, max_tokens, grammar=None):
            return said

    assert trial_of(task, Says(task)).success == right
