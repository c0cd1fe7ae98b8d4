"""What a strategy does before its own loop: it has the instruction explained, and weighs a refusal."""

import numpy as np
import pytest
from kitchen_models import FETCH, Preferring, run_explained

from fmrl_ros.planning.by_name import PlannerModel, make_planner


class ExplainingOnce(Preferring):
    """Says what it makes of an instruction, once."""

    asked = 0

    def score(self, prompt, options):
        assert "\nExplanation: hand: empty; fruit: apple to user\nWhere: robot: user; apple: table\nRobot:" in prompt
        return super().score(prompt, options)

    def generate(self, prompt, stop, max_tokens, grammar=None):
        if not prompt.endswith("\nExplanation: hand: empty;"):
            return super().generate(prompt, stop, max_tokens)
        self.asked, self.prompt = self.asked + 1, prompt
        assert grammar.viable(" fruit: apple to user", ended=True) and not grammar.viable(" fruit: tea", ended=False)
        return " fruit: apple to user"


@pytest.mark.parametrize("name", ["text2motion", "lgts", "plan4mc", "saycan", "saycan_no_affordance", "generative"])
def test_a_model_that_explains_instructions_does_so_once_before_the_first_step(name, robot):
    model = ExplainingOnce(*FETCH)
    result = make_planner(name, PlannerModel(model, None, "", explains=True), robot.state.world).run("I need it", robot)
    assert result.success and model.asked == 1
    assert (
        next(line.text for line in result.monologue if line.speaker == "Planner") == "hand: empty; fruit: apple to user"
    )


def test_a_model_that_explains_reads_a_mistyped_word_as_it_was_meant(robot):
    model = ExplainingOnce(*FETCH)
    planner = make_planner("saycan", PlannerModel(model, None, "", explains=True), robot.state.world)
    result = planner.run("I need an aple, pleese", robot)
    assert [line.text for line in result.monologue[:3]] == [
        "I need an aple, pleese", "I read 'aple' as 'apple'.", "I read 'pleese' as 'please'."
    ]  # fmt: skip
    assert "Task: I need an apple, please\n" in model.prompt


class Doubting(Preferring):
    """Would rather refuse, by so many nats."""

    def __init__(self, nats, *wishes):
        super().__init__(*wishes)
        self.nats = nats

    def score(self, prompt, options):
        if list(options) == [" seat: none\n", " fruit: apple to user\n"]:
            return np.array([-1.0, -1.0 - self.nats])
        if "seat: none" in prompt:
            return np.array([0.0 if "cannot be done" in option else -9.0 for option in options])
        return super().score(prompt, options)

    def generate(self, prompt, stop, max_tokens, grammar=None):
        refusal = " seat: none"
        return refusal if grammar.viable(refusal, ended=True) else " fruit: apple to user"


@pytest.mark.parametrize(("nats", "refused"), [(0.5, False), (5.0, True)])
def test_only_a_certain_refusal_is_believed(nats, refused, robot):
    model = PlannerModel(Doubting(nats, *FETCH), None, "", explains=True)
    result = make_planner("saycan", model, robot.state.world).run("I need vitamins", robot)
    assert result.success != refused and bool(robot.executed) != refused


def test_an_explanation_without_an_end_ends_the_run(robot):
    result = run_explained("saycan", robot, "2 fruit: apple, ", *FETCH)
    assert not result.success and "has no end: '2 fruit: apple,'" in result.reason and not robot.executed
