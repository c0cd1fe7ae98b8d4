from kitchen_models import Preferring

from fmrl_ros.planning.by_name import PlannerModel, make_planner
from fmrl_ros.planning.strategies.generative import MAX_CANDIDATES, nearest


def test_free_text_is_matched_to_the_nearest_option(robot):
    assert nearest(" Pick the apple up", robot.list_skills())[0][0].phrase == "pick up the apple"


def test_a_model_that_writes_nothing_moves_nothing(robot):
    class Silent(Preferring):
        def generate(self, prompt, stop, max_tokens, grammar=None):
            return ""

    planner = make_planner("generative", PlannerModel(Silent("done"), ""), robot.state.world)
    result = planner.run("bring me the apple", robot)
    assert not result.success and "like any of my skills" in result.reason and not robot.executed


def test_words_in_common_count_more_than_letters_and_only_the_best_are_shown(robot):
    found = nearest("bring the apple to the table", robot.list_skills())
    assert len(found) == MAX_CANDIDATES and all(0 <= similarity <= 1 for _, similarity in found)
    assert [s for _, s in found] == sorted((s for _, s in found), reverse=True)
