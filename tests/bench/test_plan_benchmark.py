import json

import pytest

from fmrl_ros.bench.plan import (
    CONDITIONS,
    STRATEGIES,
    Condition,
    PlanBenchmark,
    Result,
    as_json,
    as_table,
    by_family,
    conditions,
    label,
    run_trial,
)
from fmrl_ros.planning.goals import next_skills
from fmrl_ros.planning.inner_monologue import InnerMonologue
from fmrl_ros.planning.instructions import InstructionGenerator
from fmrl_ros.planning.prompt import option_text
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


class Oracle:
    """Replays the expert's plan of one task, whatever the prompt."""

    name = "oracle"

    def __init__(self, task) -> None:
        self.plan, state = [], task.start
        while not self.plan or self.plan[-1].name not in ("done", "refuse"):
            self.plan.append(next_skills(state, task.goal)[0])
            state = state.after(self.plan[-1])

    def score(self, prompt, options):
        best = option_text(self.plan[prompt.count("Robot:") - 1])
        return [0.0 if o == best else -20.0 for o in options]

    def generate(self, prompt, stop, max_tokens, grammar=None):
        raise NotImplementedError


def test_an_expert_planner_succeeds_at_every_generated_task():
    generator = InstructionGenerator(WORLD, "test", 0)
    result = Result(Condition("inner_monologue"))
    for index in range(150):
        task = generator.draw()
        trial, seconds = run_trial(InnerMonologue(Oracle(task), WORLD), task, result.condition, index)
        assert trial.success, (trial.instruction, trial.reason)
        assert all(s >= 0 for s in seconds)
        result.trials.append(trial)
    assert result.rate() == (150, 150)
    written = json.loads(json.dumps(as_json(PlanBenchmark(), [result])))
    assert written["results"][0]["overall"]["rate"] == 1.0 and written["settings"]["seed"] == 1
    assert as_table([result]).row_count == 1
    families = by_family([result])
    assert families.row_count == len({trial.family for trial in result.trials})
    assert sum(int(cell.partition("/")[0]) for cell in families.columns[1].cells) == 150


def test_doing_nothing_succeeds_only_where_nothing_is_to_be_done():
    class Lazy(Oracle):
        def score(self, prompt, options):
            return [0.0 if o == " done\n" else -20.0 for o in options]

    generator = InstructionGenerator(WORLD, "test", 1)
    for index in range(60):
        task = generator.draw()
        trial, _ = run_trial(InnerMonologue(Lazy(task), WORLD), task, Condition("inner_monologue"), index)
        assert trial.success == task.goal.satisfied(task.start)


def test_conditions_can_be_chosen_by_the_name_in_the_table():
    assert [c.split for c in conditions("kitchen", ["saycan on new"])] == ["new"]
    assert len(conditions("kitchen")) == len({label(c) for c in conditions("kitchen")}) == len(CONDITIONS["kitchen"])
    with pytest.raises(UnknownNameError, match="saycan on new"):
        conditions("kitchen", ["magic"])


def test_every_condition_names_a_strategy():
    assert {c.strategy for conditions in CONDITIONS.values() for c in conditions} <= set(STRATEGIES)
