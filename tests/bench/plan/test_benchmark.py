import pytest

from fmrl_ros.bench.plan.benchmark import STRATEGIES, Result, run_trial
from fmrl_ros.bench.plan.conditions import CONDITIONS, Condition
from fmrl_ros.language.language_model import LanguageModelError
from fmrl_ros.learning.planner.curriculum import KitchenCurriculum
from fmrl_ros.learning.planner.instructions import InstructionGenerator
from fmrl_ros.meaning.goals import next_skills
from fmrl_ros.planning.prompt import option_text
from fmrl_ros.planning.strategies.inner_monologue import InnerMonologue
from fmrl_ros.worlds.kitchen import start_of, start_state
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
        trial = run_trial(InnerMonologue(Oracle(task), WORLD), task, result.condition, (0, index))
        assert trial.success, (trial.instruction, trial.reason)
        result.trials.append(trial)
    assert result.rate() == (150, 150)


def test_doing_nothing_succeeds_only_where_nothing_is_to_be_done():
    class Lazy(Oracle):
        def score(self, prompt, options):
            return [0.0 if o == " done\n" else -20.0 for o in options]

    generator = InstructionGenerator(WORLD, "test", 1)
    for index in range(60):
        task = generator.draw()
        trial = run_trial(InnerMonologue(Lazy(task), WORLD), task, Condition("inner_monologue"), (1, index))
        assert trial.success == task.goal.satisfied(task.start)


def test_every_condition_names_a_strategy():
    assert {c.strategy for conditions in CONDITIONS.values() for c in conditions} <= set(STRATEGIES)


def test_a_model_that_does_not_answer_is_no_result():
    class Dead(Oracle):
        def score(self, prompt, options):
            raise LanguageModelError("nobody is there")

    task = InstructionGenerator(WORLD, "test", 0).draw()
    with pytest.raises(LanguageModelError, match="nobody is there"):
        run_trial(InnerMonologue(Dead(task), WORLD), task, Condition("inner_monologue"), (0, 0))


def test_what_stands_in_the_json_of_a_failure_can_be_planned_for_again():
    task = next(KitchenCurriculum(load_world("kitchen")).kitchens("dev", 3))[0]
    assert start_state(task.start.world, start_of(task.start)) == task.start
