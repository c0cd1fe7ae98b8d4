from scripted_model import Scripted

from fmrl_ros.planning.strategies.saycan import SayCan
from fmrl_ros.planning.strategies.saycan_no_affordance import SayCanNoAffordance


def test_the_language_models_choice_is_taken_though_it_is_impossible(robot):
    script = ("pick up the apple | find the apple", "done")
    blind = SayCanNoAffordance(Scripted(*script), robot.state.world)
    assert [step.chosen.phrase for step in blind.run("take the apple", robot).steps] == ["pick up the apple", "done"]
    seeing = SayCan(Scripted(*script), robot.state.world)
    assert seeing.run("take the apple", robot).steps[0].chosen.phrase == "find the apple"


def test_every_option_is_reported_as_possible(robot):
    result = SayCanNoAffordance(Scripted("done"), robot.state.world).run("take the apple", robot)
    assert {candidate.affordance for candidate in result.steps[0].candidates} == {1.0}
