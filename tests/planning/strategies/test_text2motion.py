from kitchen_models import FETCH, run

from fmrl_ros.planning.symbolic_embodiment import SymbolicEmbodiment
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")


def test_falls_back_to_one_step_after_the_other(robot):
    result = run("text2motion", robot, "pick up the apple", *FETCH[1:], instead="find the apple")
    assert robot.executed[0].phrase == "find the apple"
    assert any("step by step" in line.text for line in result.monologue)


def test_moves_nothing_without_a_plan_to_the_end():
    robot = SymbolicEmbodiment(start_state(WORLD, {"robot_at": "table", "objects": {"apple": "table"}}))
    steps = ("pick up the apple", "place the apple in the top drawer")
    result = run("text2motion", robot, *steps, "done", instead=steps[1])
    assert not result.success and "after pick up the apple nothing more is possible" in result.reason
    assert not robot.executed


def test_one_impossible_skill_spoils_a_long_plan(robot):
    way = [phrase for _ in range(12) for phrase in ("go to the table", "go to the user")]
    result = run("text2motion", robot, *way, "pick up the apple", "done", instead="go to the far counter")
    assert not any(skill.name == "pick" for skill in robot.executed), result.reason
