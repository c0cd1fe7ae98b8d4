import numpy as np
from kitchen_models import FETCH, Preferring, run

from fmrl_ros.planning.by_name import PlannerModel, make_planner
from fmrl_ros.planning.strategies.imagination import Draft, state_key
from fmrl_ros.planning.strategies.lgts import PlanGraph
from fmrl_ros.planning.symbolic_embodiment import Imperfection, SymbolicEmbodiment
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.world import DONE, load_world

WORLD = load_world("kitchen")


def test_takes_another_path_when_a_skill_fails():
    state = start_state(WORLD, {"robot_at": "user", "objects": {"apple": "table"}})
    robot = SymbolicEmbodiment(state, Imperfection(failure=0.4), seed=3)
    result = run("lgts", robot, *FETCH)
    assert len(robot.executed) > 3 and result.success == (robot.state.locations["apple"] == "user")


def test_does_not_take_a_plan_with_impossible_steps_for_one_without():
    start = start_state(WORLD, {"robot_at": "table", "objects": {"apple": "table"}})
    robot = SymbolicEmbodiment(start)
    result = run("lgts", robot, "pick up the apple", "place the apple in the top drawer", "done")
    assert not result.success and "none of the plans goes on" in result.reason


def test_claims_nothing_where_a_plan_leads_back_to_where_it_began(robot):
    result = run("lgts", robot, "go to the table", "go to the user", "done")
    assert not result.success and "nothing to do" in result.reason and not robot.executed


def test_remembers_what_has_failed(robot):
    class Stubborn(SymbolicEmbodiment):
        def execute_skill(self, skill):
            self.imperfection = Imperfection(failure=float(skill.arguments == ("apple",)))
            return super().execute_skill(skill)

    class Either(Preferring):
        """Would find the apple, or else the tea, then be done."""

        def score(self, prompt, options):
            worth = (
                {" done\n": -0.1} if "Robot:" in prompt[:-6] else {" find the apple\n": -0.5, " find the tea\n": -0.9}
            )
            return np.array([worth.get(option, -30.0) for option in options])

    arm = Stubborn(start_state(WORLD, {"robot_at": "user", "objects": {"apple": "table", "tea": "far counter"}}))
    planner = make_planner("lgts", PlannerModel(Either("done"), ""), arm.state.world)
    assert planner.run("find something", arm).success and len(arm.executed) < 10


def plan(state, *phrases: str, log_p: float = 0.0) -> Draft:
    """Return a plan that ends with ``done``."""
    found = Draft((), log_p, (), (state,))
    for phrase in phrases:
        found = found.followed_by(state.world.skill(phrase))
    return found.followed_by(DONE)


def test_a_graph_of_plans_has_a_path_that_no_single_plan_has(robot):
    start, graph = robot.state, PlanGraph()
    graph.add(plan(start, "find the apple", "go to the user"))
    after = start.after(start.world.skill("find the apple"))
    graph.add(plan(after, "pick up the apple", "bring it to you", log_p=1.0))
    path = graph.path(state_key(start))
    assert tuple(skill.phrase for skill in path) == FETCH[:-1]


def test_a_plan_that_does_not_do_what_was_asked_leads_to_no_end(robot):
    graph = PlanGraph()
    graph.add(plan(robot.state, "pick up the apple"))
    assert not graph.ends and graph.path(state_key(robot.state)) is None
