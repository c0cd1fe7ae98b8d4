"""The strategies that plan ahead, in the symbolic kitchen, with models that want one thing after the other."""

from dataclasses import replace

import numpy as np
import pytest

from fmrl_ros import plugins
from fmrl_ros.planning.by_name import PlannerModel, make_planner
from fmrl_ros.planning.choice import ChoiceRule
from fmrl_ros.planning.embodiment import EmbodimentError
from fmrl_ros.planning.prompt import Transcript
from fmrl_ros.planning.strategies.generative import nearest
from fmrl_ros.planning.strategies.imagination import Draft, draft, imagine, tabletop_state
from fmrl_ros.planning.strategies.plan4mc import Plan4MCConfig, Wanted, enabling, wanted
from fmrl_ros.planning.symbolic_embodiment import Imperfection, SymbolicEmbodiment
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.scene import Relation
from fmrl_ros.worlds.symbolic import HAND, TABLE, SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")
FETCH = ("find the apple", "pick up the apple", "bring it to you", "done")
AHEAD = ("text2motion", "lgts", "plan4mc")


class Wishes:
    """Wants one phrase after the other, and if that is impossible, what is said to come instead."""

    name = "wishes"

    def __init__(self, *phrases: str, instead: str = "done") -> None:
        self.phrases, self.instead = phrases, instead

    def score(self, prompt, options):
        wanted = f" {self.phrases[min(prompt.count('Robot:'), len(self.phrases)) - 1]}\n"
        second = f" {self.instead}\n"
        return np.array([-0.01 if o == wanted else -6.0 if o == second else -30.0 for o in options])

    def generate(self, prompt, stop, max_tokens, grammar=None):
        return f" {self.phrases[prompt.count('Robot:') - 1]} now"


@pytest.fixture
def robot() -> SymbolicEmbodiment:
    return SymbolicEmbodiment(start_state(WORLD, {"robot_at": "user", "objects": {"apple": "table", "tea": "table"}}))


def run(name, robot, *phrases, **kwargs):
    planner = make_planner(name, PlannerModel(Wishes(*phrases, **kwargs), None, ""), robot.state.world)
    return planner.run("bring me the apple", robot)


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


class Explaining(Wishes):
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


@pytest.mark.parametrize("name", [*AHEAD, "saycan", "saycan_no_affordance", "generative"])
def test_a_model_that_explains_instructions_does_so_once_before_the_first_step(name, robot):
    model = Explaining(*FETCH)
    result = make_planner(name, PlannerModel(model, None, "", explains=True), robot.state.world).run("I need it", robot)
    assert result.success and model.asked == 1
    assert (
        next(line.text for line in result.monologue if line.speaker == "Planner") == "hand: empty; fruit: apple to user"
    )


def test_a_model_that_explains_reads_a_mistyped_word_as_it_was_meant(robot):
    model = Explaining(*FETCH)
    planner = make_planner("saycan", PlannerModel(model, None, "", explains=True), robot.state.world)
    result = planner.run("I need an aple, pleese", robot)
    assert [line.text for line in result.monologue[:3]] == [
        "I need an aple, pleese", "I read 'aple' as 'apple'.", "I read 'pleese' as 'please'."
    ]  # fmt: skip
    assert "Task: I need an apple, please\n" in model.prompt


class Doubting(Wishes):
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


class Meaning(Wishes):
    """Takes every instruction for the same."""

    def __init__(self, meaning, *phrases, **kwargs):
        super().__init__(*phrases, **kwargs)
        self.meaning = meaning

    def generate(self, prompt, stop, max_tokens, grammar=None):
        return f" {self.meaning}"


def meaning(name, robot, meant, *phrases, **kwargs):
    model = PlannerModel(Meaning(meant, *phrases, **kwargs), None, "", explains=True)
    return make_planner(name, model, robot.state.world).run("please do", robot)


@pytest.mark.parametrize("name", [*AHEAD, "saycan", "inner_monologue"])
def test_what_is_so_already_is_a_success_without_a_step(name, robot):
    result = meaning(name, robot, "apple to table", *FETCH)
    assert result.success and result.reason == "it is so already" and not robot.executed


@pytest.mark.parametrize("name", [*AHEAD, "saycan", "inner_monologue"])
@pytest.mark.parametrize("phrases", [("done",), ("find the apple", "done")])
def test_no_strategy_claims_what_the_scene_does_not_show(name, phrases, robot):
    assert not meaning(name, robot, "apple to user", *phrases).success


def test_an_explanation_without_an_end_ends_the_run(robot):
    result = meaning("saycan", robot, "2 fruit: apple, ", *FETCH)
    assert not result.success and "has no end: '2 fruit: apple,'" in result.reason and not robot.executed


@pytest.mark.parametrize("name", AHEAD)
def test_what_the_model_refuses_half_way_is_no_success(name, robot):
    assert not run(name, robot, *FETCH[:2], "say that it cannot be done").success


@pytest.mark.parametrize("name", AHEAD)
def test_a_run_ends_on_request(name, robot):
    planner = make_planner(name, PlannerModel(Wishes(*FETCH), None, ""), robot.state.world)
    result = planner.run("bring me the apple", robot, should_stop=lambda: True)
    assert not result.success and result.reason == "stopped on request" and not robot.executed


def test_text2motion_falls_back_to_one_step_after_the_other(robot):
    result = run("text2motion", robot, "pick up the apple", *FETCH[1:], instead="find the apple")
    assert robot.executed[0].phrase == "find the apple"
    assert any("step by step" in line.text for line in result.monologue)


def test_lgts_takes_another_path_when_a_skill_fails():
    state = start_state(WORLD, {"robot_at": "user", "objects": {"apple": "table"}})
    robot = SymbolicEmbodiment(state, Imperfection(failure=0.4), seed=3)
    result = run("lgts", robot, *FETCH)
    assert len(robot.executed) > 3 and result.success == (robot.state.locations["apple"] == "user")


def test_plan4mc_inserts_what_a_skill_needs(robot):
    result = run("plan4mc", robot, "pick up the apple", "bring it to you", "done")
    assert result.success and tuple(s.phrase for s in robot.executed) == FETCH[:-1]


def test_plan4mc_tries_again_and_gives_up(robot):
    robot.imperfection = Imperfection(failure=1.0)
    result = run("plan4mc", robot, *FETCH)
    assert not result.success and "failed 3 times" in result.reason


def test_plan4mc_ends_where_only_the_skills_in_between_succeed(robot):
    class Greasy(SymbolicEmbodiment):
        def execute_skill(self, skill):
            self.imperfection = Imperfection(failure=float(skill.name == "bring"))
            return super().execute_skill(skill)

    arm = Greasy(robot.state)
    result = run("plan4mc", arm, *FETCH)
    assert not result.success and "'bring it to you' failed 3 times" in result.reason and len(arm.executed) < 12


def test_plan4mc_takes_no_detour_to_what_is_so_already():
    start = {"robot_at": "table", "objects": {"apple": "table"}, "open": ["top drawer"]}
    robot = SymbolicEmbodiment(start_state(WORLD, start))
    steps = ("go to the table", "pick up the apple", "open the top drawer", "place the apple in the top drawer")
    result = run("plan4mc", robot, *steps, "done")
    assert result.success and [s.phrase for s in robot.executed] == [steps[1], steps[3]]


def test_lgts_does_not_take_a_plan_with_impossible_steps_for_one_without():
    start = start_state(WORLD, {"robot_at": "table", "objects": {"apple": "table"}})
    robot = SymbolicEmbodiment(start)
    result = run("lgts", robot, "pick up the apple", "place the apple in the top drawer", "done")
    assert not result.success and "none of the plans goes on" in result.reason


def test_text2motion_moves_nothing_without_a_plan_to_the_end():
    robot = SymbolicEmbodiment(start_state(WORLD, {"robot_at": "table", "objects": {"apple": "table"}}))
    steps = ("pick up the apple", "place the apple in the top drawer")
    result = run("text2motion", robot, *steps, "done", instead=steps[1])
    assert not result.success and "after pick up the apple nothing more is possible" in result.reason
    assert not robot.executed


def test_lgts_claims_nothing_where_a_plan_leads_back_to_where_it_began(robot):
    result = run("lgts", robot, "go to the table", "go to the user", "done")
    assert not result.success and "nothing to do" in result.reason and not robot.executed


def test_lgts_remembers_what_has_failed(robot):
    class Stubborn(SymbolicEmbodiment):
        def execute_skill(self, skill):
            self.imperfection = Imperfection(failure=float(skill.arguments == ("apple",)))
            return super().execute_skill(skill)

    class Either(Wishes):
        """Would find the apple, or else the tea, then be done."""

        def score(self, prompt, options):
            worth = (
                {" done\n": -0.1} if "Robot:" in prompt[:-6] else {" find the apple\n": -0.5, " find the tea\n": -0.9}
            )
            return np.array([worth.get(option, -30.0) for option in options])

    arm = Stubborn(start_state(WORLD, {"robot_at": "user", "objects": {"apple": "table", "tea": "far counter"}}))
    planner = make_planner("lgts", PlannerModel(Either("done"), None, ""), arm.state.world)
    assert planner.run("find something", arm).success and len(arm.executed) < 10


def test_plan4mc_leaves_out_what_the_symbolic_table_does_not_know():
    world = load_world("tabletop")
    state = SymbolicState(world, dict.fromkeys(world.names_of_kind("block"), TABLE))

    class Able(SymbolicEmbodiment):
        def list_skills(self):
            return [s for s in world.options if s.name != "done"]

    def run(*phrases):
        planner = make_planner("plan4mc", PlannerModel(Wishes(*phrases), None, ""), world)
        return planner.run("put the red block in the red bowl", Able(state))

    result = run("pick up the red block", "pick up the blue block", "place it in the red bowl", "done")
    assert len({step.chosen.name for step in result.steps}) > 1
    result = run("place it in the red bowl", "done")
    assert not result.success and not result.steps and "nothing makes 'place it in the red bowl'" in result.reason


def test_plan4mc_brings_what_the_plan_brings_though_it_fell(robot):
    class Slippery(SymbolicEmbodiment):
        def execute_skill(self, skill):
            first = skill.name == "bring" and skill not in self.executed
            self.imperfection = Imperfection(failure=float(first))
            return super().execute_skill(skill)

    arm = Slippery(start_state(WORLD, {"robot_at": "user", "objects": {"coke can": "table", "apple": "table"}}))
    result = run("plan4mc", arm, *FETCH)
    assert result.success and arm.state.locations == {"coke can": "table", "apple": "user"}


def test_plan4mc_plans_anew_where_what_it_planned_is_of_no_use_any_more():
    class Dropping(SymbolicEmbodiment):
        def execute_skill(self, skill):
            self.imperfection = Imperfection(failure=float(not self.executed))
            return super().execute_skill(skill)

    arm = Dropping(start_state(WORLD, {"robot_at": "user", "holding": "tea", "objects": {"apple": "table"}}))

    class Seeing(Meaning):
        """Puts down first what the hand holds."""

        def score(self, prompt, options):
            full = "Explanation: hand: tea" in prompt
            self.phrases = ("go to the table", "put down the tea", *FETCH) if full else FETCH
            return super().score(prompt, options)

    model = PlannerModel(Seeing("apple to user", "done"), None, "", explains=True)
    result = make_planner("plan4mc", model, arm.state.world).run("please do", arm)
    assert result.success and arm.state.locations["apple"] == "user", result.reason


def test_plan4mc_puts_down_what_the_plan_names():
    start = start_state(WORLD, {"robot_at": "table", "objects": {"apple": "table", "tea": "table"}})
    picks = [start.world.skill(f"pick up the {thing}") for thing in ("apple", "tea")]
    ends = [start.world.skill(phrase) for phrase in ("put down the apple", "bring it to you")]
    assert [each.holding for each in wanted(Draft((*picks, *ends), 0.0, (), (start,)))] == [None] * 3 + ["tea"]
    assert [each.holding for each in wanted(Draft((*picks, ends[1]), 0.0, (), (start,)))] == [None, None, "tea"]


@pytest.mark.parametrize("name", ["lgts", "plan4mc"])
def test_what_comes_about_by_accident_is_a_success(name):
    class Dropping(SymbolicEmbodiment):
        def execute_skill(self, skill):
            self.imperfection = Imperfection(failure=1.0)
            return super().execute_skill(skill)

    arm = Dropping(start_state(WORLD, {"robot_at": "user", "holding": "tea", "objects": {"apple": "table"}}))
    result = meaning(name, arm, "put down", "go to the table", "put down the tea", "done")
    assert result.success and len(arm.executed) == 1


@pytest.mark.parametrize("name", AHEAD)
def test_a_plan_ends_where_all_is_as_it_was_asked(name, robot):
    result = meaning(name, robot, "apple to user", *FETCH[:3], "go to the table")
    assert result.success and len(robot.executed) == 3, result.reason


@pytest.mark.parametrize("name", [*AHEAD, "saycan", "inner_monologue"])
def test_a_plan_may_be_as_long_as_the_longest(name, robot, monkeypatch):
    monkeypatch.setattr("fmrl_ros.planning.strategies.imagination.LONGEST", 3)
    model = PlannerModel(Meaning("apple to user", *FETCH), None, "", explains=True)
    planner = make_planner(name, model, robot.state.world)
    if name != "text2motion":
        planner.config = replace(planner.config, max_steps=3)
    result = planner.run("please do", robot)
    assert result.success and len(robot.executed) == 3, result.reason


def test_plan4mc_gives_nothing_away_to_free_a_hand():
    start = start_state(WORLD, {"robot_at": "user", "holding": "tea", "objects": {"apple": "table"}})
    arm = SymbolicEmbodiment(start)
    result = run("plan4mc", arm, *FETCH)
    assert result.success and arm.state.locations["apple"] == "user" != arm.state.locations["tea"]


@pytest.mark.parametrize("name", [*AHEAD, "saycan", "inner_monologue"])
@pytest.mark.parametrize(
    "phrases, instead",
    [
        (("find the apple", "pick up the apple", "done"), "bring it to you"),
        (("find the tea", "pick up the tea", "bring it to you", "done"), "find the apple"),
    ],
)
def test_every_strategy_that_looks_keeps_to_what_the_model_said(name, phrases, instead, robot):
    result = meaning(name, robot, "apple to user", *phrases, instead=instead)
    assert robot.state.locations["tea"] == "table"
    assert result.success == (robot.state.locations["apple"] == "user")
    if instead == "bring it to you" and name != "plan4mc":  # whose every plan is the model's own
        assert result.success, result.reason


def test_a_drawn_plan_has_no_skill_that_a_careful_one_leaves_out(robot):
    model, rng = Wishes("find the tea", "pick up the tea", "done", instead="find the apple"), np.random.default_rng(0)
    start = Transcript("bring me the apple")
    for _ in range(5):
        drawn = draft(model, start, robot.state, ChoiceRule(), rng=rng, explanation="apple to user")
        assert all(affordance > 0.5 for affordance in drawn.affordances)
        assert "tea" not in " ".join(skill.phrase for skill in drawn.steps)
        assert drawn.ending is None or drawn.fulfilled


def test_one_impossible_skill_spoils_a_long_plan(robot):
    way = [phrase for _ in range(12) for phrase in ("go to the table", "go to the user")]
    result = run("text2motion", robot, *way, "pick up the apple", "done", instead="go to the far counter")
    assert not any(skill.name == "pick" for skill in robot.executed), result.reason


def test_what_nothing_makes_possible_is_not_searched_for_ever(robot):
    skill = robot.state.world.skill("pick up the sponge")
    assert enabling(robot.state, Wanted(skill), robot.list_skills(), Plan4MCConfig(states=200)) is None


def test_free_text_is_matched_to_the_nearest_option(robot):
    assert nearest(" Pick the apple up", robot.list_skills())[0][0].phrase == "pick up the apple"


def test_a_model_that_writes_nothing_moves_nothing(robot):
    class Silent(Wishes):
        def generate(self, prompt, stop, max_tokens, grammar=None):
            return ""

    planner = make_planner("generative", PlannerModel(Silent("done"), None, ""), robot.state.world)
    result = planner.run("bring me the apple", robot)
    assert not result.success and "like any of my skills" in result.reason and not robot.executed


def test_a_tabletop_is_imagined_from_what_is_seen():
    world = load_world("tabletop")
    locations = dict.fromkeys(world.names_of_kind("block"), TABLE) | {"red block": HAND, "blue block": "green bowl"}
    state = SymbolicState(world, locations)
    assert tabletop_state(world, state.scene()) == state

    class Eyes:
        def describe_scene(self):
            return state.scene()

    assert imagine(Eyes(), world) == state
    hidden = replace(state.scene(), relations=(Relation("red block", "in", "drawer"),))
    with pytest.raises(ValueError, match=r"'red block' is in 'drawer'.*saycan"):
        tabletop_state(world, hidden)
    with pytest.raises(EmbodimentError, match="kitchen"):
        imagine(Eyes(), WORLD)
