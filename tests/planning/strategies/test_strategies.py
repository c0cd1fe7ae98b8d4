"""What every strategy does, in the symbolic kitchen."""

from dataclasses import replace

import numpy as np
import pytest
from kitchen_models import FETCH, Explaining, Preferring, run, run_explained

from fmrl_ros import plugins
from fmrl_ros.planning.by_name import PlannerModel, make_planner
from fmrl_ros.planning.endings import STOPPED
from fmrl_ros.planning.repetition import MAX_TIMES
from fmrl_ros.planning.strategy import MAX_RESETS
from fmrl_ros.planning.symbolic_embodiment import Imperfection, SymbolicEmbodiment
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")
AHEAD = ("text2motion", "lgts", "plan4mc")
"""Strategies that plan ahead."""


@pytest.mark.parametrize("name", [*AHEAD, "saycan", "saycan_no_affordance", "generative"])
def test_every_strategy_is_registered_and_carries_a_possible_plan_out(name, robot):
    assert name in plugins.names("planners")
    result = run(name, robot, *FETCH)
    assert result.success, result.reason
    assert tuple(s.phrase for s in robot.executed) == FETCH[:-1]
    assert robot.state.locations["apple"] == "user"


@pytest.mark.parametrize("name", [*AHEAD, "saycan", "saycan_no_affordance"])
def test_every_strategy_refuses_when_the_model_does(name, robot):
    result = run(name, robot, "say that it cannot be done")
    assert not result.success and not robot.executed and "none of my skills" in result.reason


@pytest.mark.parametrize("name", [*AHEAD, "saycan", "inner_monologue"])
def test_a_goal_that_is_reached_already_is_a_success_without_a_step(name, robot):
    result = run_explained(name, robot, "apple to table", *FETCH)
    assert result.success and result.reason == "it is so already" and not robot.executed


@pytest.mark.parametrize("name", [*AHEAD, "saycan", "inner_monologue"])
@pytest.mark.parametrize("phrases", [("done",), ("find the apple", "done")])
def test_no_strategy_claims_success_that_the_scene_does_not_show(name, phrases, robot):
    assert not run_explained(name, robot, "apple to user", *phrases).success


@pytest.mark.parametrize("name", AHEAD)
def test_what_the_model_refuses_half_way_is_no_success(name, robot):
    assert not run(name, robot, *FETCH[:2], "say that it cannot be done").success


@pytest.mark.parametrize("name", AHEAD)
def test_a_run_ends_on_request(name, robot):
    planner = make_planner(name, PlannerModel(Preferring(*FETCH), ""), robot.state.world)
    result = planner.run("bring me the apple", robot, should_stop=lambda: True)
    assert not result.success and result.reason == STOPPED and not robot.executed


@pytest.mark.parametrize("name", ["lgts", "plan4mc"])
def test_what_comes_about_by_accident_is_a_success(name):
    class Dropping(SymbolicEmbodiment):
        def execute_skill(self, skill):
            self.imperfection = Imperfection(failure=1.0)
            return super().execute_skill(skill)

    arm = Dropping(start_state(WORLD, {"robot_at": "user", "holding": "tea", "objects": {"apple": "table"}}))
    result = run_explained(name, arm, "put down", "go to the table", "put down the tea", "done")
    assert result.success and len(arm.executed) == 1


@pytest.mark.parametrize("name", AHEAD)
def test_a_plan_ends_where_all_is_as_it_was_asked(name, robot):
    result = run_explained(name, robot, "apple to user", *FETCH[:3], "go to the table")
    assert result.success and len(robot.executed) == 3, result.reason


@pytest.mark.parametrize("name", [*AHEAD, "saycan", "inner_monologue"])
def test_a_plan_may_be_as_long_as_the_longest(name, robot, monkeypatch):
    monkeypatch.setattr("fmrl_ros.planning.strategies.imagination.MAX_SKILLS", 3)
    model = PlannerModel(Explaining("apple to user", *FETCH), "", explains=True)
    planner = make_planner(name, model, robot.state.world)
    if name != "text2motion":
        planner.config = replace(planner.config, max_steps=3)
    result = planner.run("please do", robot)
    assert result.success and len(robot.executed) == 3, result.reason


@pytest.mark.parametrize("name", [*AHEAD, "saycan", "inner_monologue"])
@pytest.mark.parametrize(
    "phrases, instead",
    [
        (("find the apple", "pick up the apple", "done"), "bring it to you"),
        (("find the tea", "pick up the tea", "bring it to you", "done"), "find the apple"),
    ],
)
def test_every_strategy_that_sees_the_scene_keeps_its_steps_to_the_explanation(name, phrases, instead, robot):
    result = run_explained(name, robot, "apple to user", *phrases, instead=instead)
    assert robot.state.locations["tea"] == "table"
    assert result.success == (robot.state.locations["apple"] == "user")
    if instead == "bring it to you" and name != "plan4mc":  # whose every plan is the model's own
        assert result.success, result.reason


class Repeating:
    """Wants the same again and again, in turn, whatever came of it; a little also what `instead` says."""

    name = "repeating"

    def __init__(self, *phrases, instead=lambda: ""):
        self.phrases, self.instead, self.prompts = phrases, instead, []

    def _wanted(self, prompt):
        self.prompts.append(prompt.split("Task: ")[-1])
        return self.phrases[(self.prompts[-1].count("Robot:") - 1) % len(self.phrases)]

    def score(self, prompt, options):
        worth = {f" {self.instead()}\n": -3.0, f" {self._wanted(prompt)}\n": -0.1}
        return np.array([worth.get(option, -30.0) for option in options])

    def generate(self, prompt, stop, max_tokens, grammar=None):
        return f" {self._wanted(prompt)}"


@pytest.mark.parametrize("name", sorted(plugins.names("planners")))
@pytest.mark.parametrize("phrases", [("find the apple",), ("go to the table", "go to the user")])
def test_no_strategy_repeats_in_one_scene_what_leads_to_nothing_more_than_three_times(name, phrases, robot):
    model = Repeating(*phrases)
    result = make_planner(name, PlannerModel(model, ""), robot.state.world).run("bring me the apple", robot)
    assert not result.success and any(f"'{phrase}'" in result.reason for phrase in phrases), result.reason
    most = MAX_TIMES + (phrases[0] == "find the apple")  # the first leads to the apple
    for phrase in phrases:
        assert [skill.phrase for skill in robot.executed].count(phrase) <= most
        assert max(prompt.count(phrase) for prompt in model.prompts) <= most


@pytest.mark.parametrize("name", ["saycan", "saycan_no_affordance", "inner_monologue"])
def test_instead_of_what_leads_to_nothing_the_next_best_is_done(name, robot):
    def helpful():
        return "bring it to you" if robot.state.held else "pick up the apple"

    model = PlannerModel(Repeating("find the apple", instead=helpful), "")
    make_planner(name, model, robot.state.world).run("bring me the apple", robot)
    done = [skill.phrase for skill in robot.executed]
    assert "pick up the apple" in done and robot.state.locations["apple"] == "user", done


class PutBack(SymbolicEmbodiment):
    """Everything is put back after so many skills, or during one."""

    def __init__(self, start, after, during=False):
        super().__init__(start)
        self.start, self.after, self.during = start, after, during

    def execute_skill(self, skill):
        outcome = super().execute_skill(skill)
        if len(self.executed) == self.after and self.during:
            self.reset(self.start)
        return outcome


class Resetting(Preferring):
    """Has everything put back while it thinks about the decision after so many skills."""

    def __init__(self, robot, *phrases):
        super().__init__(*phrases)
        self.robot = robot

    def score(self, prompt, options):
        if len(self.robot.executed) == self.robot.after and not self.robot.world_resets():
            self.robot.reset(self.robot.start)
        return super().score(prompt, options)

    def generate(self, prompt, stop, max_tokens, grammar=None):
        self.score(prompt, [])
        return super().generate(prompt, stop, max_tokens, grammar)


@pytest.mark.parametrize("name", sorted(plugins.names("planners")))
@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_reset_during_a_skill_lets_every_strategy_begin_anew_from_what_is_seen(name, after, robot):
    arm = PutBack(robot.state, after, during=True)
    planner = make_planner(name, PlannerModel(Preferring(*FETCH), ""), WORLD)
    result = planner.run("bring me the apple", arm)
    said = [line.text for line in result.monologue]
    assert f"the world was reset while I should {FETCH[after - 1]}; I begin anew with what I see" in said
    assert result.success and arm.state.locations["apple"] == "user"
    assert [skill.phrase for skill in arm.executed] == [*FETCH[:after], *FETCH[:3]]
    assert [step.index for step in result.steps] == list(range(len(result.steps)))


@pytest.mark.parametrize("name", ["saycan", "saycan_no_affordance", "generative", "inner_monologue"])
def test_a_reset_while_the_model_finds_all_done_is_no_success_of_before(name, robot):
    arm = PutBack(robot.state, 3)
    result = make_planner(name, PlannerModel(Resetting(arm, *FETCH), ""), WORLD).run("bring me the apple", arm)
    assert arm.world_resets() == 1 and len(arm.executed) == 6
    assert result.success and arm.state.locations["apple"] == "user"
    assert [line.text for line in result.monologue if line.text.startswith("Done")] == [f"Done: {result.reason}"]


@pytest.mark.parametrize("name", sorted(plugins.names("planners")))
def test_a_world_that_is_put_back_again_and_again_ends_the_run(name, robot):
    class Restless(SymbolicEmbodiment):
        def execute_skill(self, skill):
            outcome = super().execute_skill(skill)
            self.reset(robot.state)
            return outcome

    arm = Restless(robot.state)
    result = make_planner(name, PlannerModel(Preferring(*FETCH), ""), WORLD).run("bring me the apple", arm)
    assert not result.success and result.broken and len(arm.executed) == MAX_RESETS + 1
    assert result.reason == "the world was reset while I should find the apple; say it again"


def test_what_was_done_before_a_reset_does_not_count_for_the_plan_after_it(robot):
    class Forgetful(Preferring):
        """Is done at once after the reset."""

        def score(self, prompt, options):
            self.phrases = ("done",) if arm.world_resets() else FETCH
            return super().score(prompt, options)

    arm = PutBack(robot.state, 2, during=True)
    result = make_planner("plan4mc", PlannerModel(Forgetful(), ""), WORLD).run("bring me the apple", arm)
    assert not result.success and "nothing to do" in result.reason
