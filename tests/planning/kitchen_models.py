"""Language models that prefer given phrases in the symbolic kitchen, and runs of a strategy with them."""

import numpy as np

from fmrl_ros.planning.by_name import PlannerModel, make_planner

FETCH = ("find the apple", "pick up the apple", "bring it to you", "done")
"""What brings the apple."""


class Preferring:
    """Prefers one phrase after the other, and where that is impossible, the phrase `instead`."""

    name = "preferring"

    def __init__(self, *phrases: str, instead: str = "done") -> None:
        self.phrases, self.instead = phrases, instead

    def score(self, prompt, options):
        first = f" {self.phrases[min(prompt.count('Robot:'), len(self.phrases)) - 1]}\n"
        second = f" {self.instead}\n"
        return np.array([-0.01 if o == first else -6.0 if o == second else -30.0 for o in options])

    def generate(self, prompt, stop, max_tokens, grammar=None):
        return f" {self.phrases[prompt.count('Robot:') - 1]} now"


class Explaining(Preferring):
    """Gives every instruction the same explanation."""

    def __init__(self, explanation, *phrases, **kwargs):
        super().__init__(*phrases, **kwargs)
        self.explanation = explanation

    def generate(self, prompt, stop, max_tokens, grammar=None):
        return f" {self.explanation}"


def run(name, robot, *phrases, **kwargs):
    """Carry an instruction out by a strategy whose model prefers some phrases."""
    planner = make_planner(name, PlannerModel(Preferring(*phrases, **kwargs), ""), robot.state.world)
    return planner.run("bring me the apple", robot)


def run_explained(name, robot, explanation, *phrases, **kwargs):
    """Carry an instruction out by a strategy whose model explains it, then prefers some phrases."""
    model = PlannerModel(Explaining(explanation, *phrases, **kwargs), "", explains=True)
    return make_planner(name, model, robot.state.world).run("please do", robot)
