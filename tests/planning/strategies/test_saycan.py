import pytest
from scripted_model import REFUSAL, Scripted

from fmrl_ros.planning.choice import ChoiceRule
from fmrl_ros.planning.strategies.saycan import SayCan, SayCanConfig
from fmrl_ros.planning.symbolic_embodiment import Imperfection, SymbolicEmbodiment
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD, KITCHEN = load_world("tabletop"), load_world("kitchen")
PICK, PLACE = "pick up the red block", "place it in the blue bowl"
TASK = "put the red block in the blue bowl"


def robot(imperfection: Imperfection | None = None, **where: str) -> SymbolicEmbodiment:
    locations = {b: where.get(b.split()[0], "table") for b in WORLD.names_of_kind("block")}
    return SymbolicEmbodiment(SymbolicState.of(WORLD, locations), imperfection)


def saycan(model, **rule) -> SayCan:
    return SayCan(model, WORLD, config=SayCanConfig(rule=ChoiceRule(**rule)))


def test_plans_and_believes_that_it_worked():
    arm = robot()
    result = saycan(Scripted(PICK, PLACE, "done")).run(TASK, arm)
    assert result.success and arm.state.locations["red block"] == "blue bowl"


def test_open_loop_believes_even_what_failed():
    arm = robot(Imperfection(failure=1.0))
    result = saycan(Scripted(PICK, PLACE, "done"), use_affordance=False).run(TASK, arm)
    assert result.success and arm.state.locations["red block"] == "table"


def test_prompt_holds_the_steps_and_no_feedback():
    model = Scripted(PICK, PLACE, "done")
    saycan(model).run(TASK, robot())
    assert model.prompts[-1] == f"Task: {TASK}\nRobot: {PICK}\nRobot: {PLACE}\nRobot:"


def test_without_affordances_the_language_model_alone_decides():
    script = (f"{PICK} | place it at the middle", "done")
    blind = saycan(Scripted(*script), use_affordance=False).run(TASK, robot(green="hand"))
    seeing = saycan(Scripted(*script)).run(TASK, robot(green="hand"))
    assert blind.steps[0].chosen.phrase == PICK
    assert seeing.steps[0].chosen.phrase == "place it at the middle"


def test_without_the_language_model_the_affordances_alone_decide():
    model = Scripted(PICK)
    result = saycan(model, use_llm=False).run(TASK, robot())
    assert not model.prompts
    assert result.steps[0].chosen.name in ("done", "refuse")  # always possible


def test_done_at_once_is_no_success_because_it_cannot_be_seen():
    assert not saycan(Scripted("done")).run(TASK, robot()).success


def explaining(model, apple_at: str) -> tuple[SayCan, SymbolicEmbodiment]:
    """Return a planner and its robot in a kitchen with an apple."""
    start = start_state(KITCHEN, {"robot_at": "user", "objects": {"apple": apple_at}})
    return SayCan(model, start.world, explains=True), SymbolicEmbodiment(start)


def test_done_at_once_is_a_success_where_the_scene_shows_what_was_asked_for():
    planner, arm = explaining(Scripted("done", said="apple to table"), apple_at="table")
    result = planner.run("put the apple on the table", arm)
    assert result.success and "so already" in result.reason


def test_done_is_impossible_while_the_scene_does_not_show_the_goal():
    planner, arm = explaining(Scripted("done | find the apple", "done", said="apple to table"), apple_at="far counter")
    result = planner.run("put the apple on the table", arm)
    assert [skill.phrase for skill in arm.executed] == ["find the apple"]
    assert not result.success and "is not so" in result.reason


def test_refusal_and_hopelessness_are_no_success():
    assert "none of my skills" in saycan(Scripted(REFUSAL)).run(TASK, robot()).reason
    stuck = robot(Imperfection(possible=0.01, impossible=0.01))
    assert "hardly possible" in saycan(Scripted(PICK)).run(TASK, stuck).reason


def test_empty_instruction_is_an_error():
    with pytest.raises(ValueError, match="empty"):
        saycan(Scripted("done")).run(" ", robot())


def test_run_is_bounded():
    places = WORLD.names_of_kind("place")
    swing = [phrase for place in places * 3 for phrase in (PICK, f"place it at the {place}")]
    assert "not done after 30 skills" in saycan(Scripted(*swing)).run(TASK, robot()).reason
