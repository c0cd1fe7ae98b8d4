from dataclasses import replace

from kitchen_models import FETCH, Explaining, Preferring, run

from fmrl_ros.planning.by_name import PlannerModel, make_planner
from fmrl_ros.planning.strategies.imagination import Draft
from fmrl_ros.planning.strategies.plan4mc import Plan4MCConfig, PlannedSkill, enabling_skills, planned_skills
from fmrl_ros.planning.symbolic_embodiment import Imperfection, SymbolicEmbodiment
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.symbolic import TABLE, SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")


def test_inserts_what_a_skill_needs(robot):
    result = run("plan4mc", robot, "pick up the apple", "bring it to you", "done")
    assert result.success and tuple(s.phrase for s in robot.executed) == FETCH[:-1]


def test_tries_again_and_gives_up(robot):
    robot.imperfection = Imperfection(failure=1.0)
    result = run("plan4mc", robot, *FETCH)
    assert not result.success and "failed 3 times" in result.reason


def test_ends_where_only_the_skills_in_between_succeed(robot):
    class Greasy(SymbolicEmbodiment):
        def execute_skill(self, skill):
            self.imperfection = Imperfection(failure=float(skill.name == "bring"))
            return super().execute_skill(skill)

    arm = Greasy(robot.state)
    result = run("plan4mc", arm, *FETCH)
    assert not result.success and "'bring it to you' failed 3 times" in result.reason and len(arm.executed) < 12


def test_a_skill_whose_effect_is_there_already_is_left_out():
    start = {"robot_at": "table", "objects": {"apple": "table"}, "open": ["top drawer"]}
    robot = SymbolicEmbodiment(start_state(WORLD, start))
    steps = ("go to the table", "pick up the apple", "open the top drawer", "place the apple in the top drawer")
    result = run("plan4mc", robot, *steps, "done")
    assert result.success and [s.phrase for s in robot.executed] == [steps[1], steps[3]]


def test_leaves_out_what_the_symbolic_table_does_not_know():
    world = load_world("tabletop")
    state = SymbolicState.of(world, dict.fromkeys(world.names_of_kind("block"), TABLE))

    class Able(SymbolicEmbodiment):
        def list_skills(self):
            return [s for s in world.options if s.name != "done"]

    def run(*phrases):
        planner = make_planner("plan4mc", PlannerModel(Preferring(*phrases), ""), world)
        return planner.run("put the red block in the red bowl", Able(state))

    result = run("pick up the red block", "pick up the blue block", "place it in the red bowl", "done")
    assert len({step.chosen.name for step in result.steps}) > 1
    result = run("place it in the red bowl", "done")
    assert not result.success and not result.steps and "nothing makes 'place it in the red bowl'" in result.reason


def test_brings_what_the_plan_brings_though_it_fell(robot):
    class Slippery(SymbolicEmbodiment):
        def execute_skill(self, skill):
            first = skill.name == "bring" and skill not in self.executed
            self.imperfection = Imperfection(failure=float(first))
            return super().execute_skill(skill)

    arm = Slippery(start_state(WORLD, {"robot_at": "user", "objects": {"coke can": "table", "apple": "table"}}))
    result = run("plan4mc", arm, *FETCH)
    assert result.success and arm.state.locations == {"coke can": "table", "apple": "user"}


def test_plans_anew_where_what_it_planned_is_of_no_use_any_more():
    class Dropping(SymbolicEmbodiment):
        def execute_skill(self, skill):
            self.imperfection = Imperfection(failure=float(not self.executed))
            return super().execute_skill(skill)

    arm = Dropping(start_state(WORLD, {"robot_at": "user", "holding": "tea", "objects": {"apple": "table"}}))

    class Seeing(Explaining):
        """Puts down first what the hand holds."""

        def score(self, prompt, options):
            full = "Explanation: hand: tea" in prompt
            self.phrases = ("go to the table", "put down the tea", *FETCH) if full else FETCH
            return super().score(prompt, options)

    model = PlannerModel(Seeing("apple to user", "done"), "", explains=True)
    result = make_planner("plan4mc", model, arm.state.world).run("please do", arm)
    assert result.success and arm.state.locations["apple"] == "user", result.reason


def test_puts_down_what_the_plan_names():
    start = start_state(WORLD, {"robot_at": "table", "objects": {"apple": "table", "tea": "table"}})
    picks = [start.world.skill(f"pick up the {thing}") for thing in ("apple", "tea")]
    ends = [start.world.skill(phrase) for phrase in ("put down the apple", "bring it to you")]
    assert [each.holding for each in planned_skills(Draft((*picks, *ends), 0.0, (), (start,)))] == [None] * 3 + ["tea"]
    assert [each.holding for each in planned_skills(Draft((*picks, ends[1]), 0.0, (), (start,)))] == [None, None, "tea"]


def test_gives_nothing_away_to_free_a_hand():
    start = start_state(WORLD, {"robot_at": "user", "holding": "tea", "objects": {"apple": "table"}})
    arm = SymbolicEmbodiment(start)
    result = run("plan4mc", arm, *FETCH)
    assert result.success and arm.state.locations["apple"] == "user" != arm.state.locations["tea"]


def test_what_nothing_makes_possible_is_not_searched_for_ever(robot):
    skill = robot.state.world.skill("pick up the sponge")
    assert enabling_skills(robot.state, PlannedSkill(skill), robot.list_skills(), Plan4MCConfig(states=200)) is None


def test_the_fewest_skills_that_make_one_possible_are_found(robot):
    pick = PlannedSkill(robot.state.world.skill("pick up the apple"))
    found = enabling_skills(robot.state, pick, robot.list_skills(), Plan4MCConfig())
    assert [skill.phrase for skill in found] == ["find the apple"]
    assert enabling_skills(robot.state.after(found[0]), pick, robot.list_skills(), Plan4MCConfig()) == []


def test_what_a_plan_takes_and_puts_down_follows_from_what_its_skills_achieve_not_from_their_names():
    mine = replace(WORLD, grammar=tuple(replace(entry, name=f"my_{entry.name}") for entry in WORLD.grammar))
    start = start_state(mine, {"robot_at": "table", "objects": {"tea": "table"}})
    steps = tuple(mine.skill(phrase) for phrase in ("pick up the tea", "bring it to you"))
    assert [each.holding for each in planned_skills(Draft(steps, 0.0, (), (start,)))] == [None, "tea"]
