import pytest
from kitchen_models import FETCH, Preferring

from fmrl_ros.language.fallback import WithFallback
from fmrl_ros.language.language_model import LanguageModelError
from fmrl_ros.planning.standby import Standby
from fmrl_ros.planning.strategies.saycan import SayCan


class Silent(Preferring):
    """Does not answer while it is silent."""

    silent = True

    def score(self, prompt, options):
        if self.silent:
            raise LanguageModelError("nobody is there")
        return super().score(prompt, options)


class Recording(Preferring):
    """Keeps the prompts."""

    def __init__(self, *phrases):
        super().__init__(*phrases)
        self.prompts = []

    def score(self, prompt, options):
        self.prompts.append(prompt)
        return super().score(prompt, options)


@pytest.fixture
def pair(robot):
    """A planner with two models, the models, and a clock that the test sets."""
    time = [0.0]
    first, second = Silent(*FETCH), Recording(*FETCH)
    both = WithFallback(first, second, pause=60.0, clock=lambda: time[0])
    world = robot.state.world
    planner = Standby(SayCan(both, world), SayCan(second, world, preamble="An example.\n"), both)
    return planner, first, second, time


def test_a_run_in_which_the_first_model_stops_answering_goes_on_in_its_format(pair, robot):
    planner, _, second, _ = pair
    assert planner.run("bring me the apple", robot).success
    assert second.prompts and not any("An example." in prompt for prompt in second.prompts)


def test_the_next_run_has_the_format_of_the_second_model(pair, robot):
    planner, _, second, _ = pair
    planner.run("bring me the apple", robot)
    second.prompts.clear()
    planner.run("bring me the apple", robot)
    assert second.prompts and all(prompt.startswith("An example.") for prompt in second.prompts)


def test_a_first_model_that_answers_again_plans_again(pair, robot):
    planner, first, second, time = pair
    planner.run("bring me the apple", robot)
    second.prompts.clear()
    first.silent, time[0] = False, 61.0
    planner.run("bring me the apple", robot)
    assert not second.prompts
