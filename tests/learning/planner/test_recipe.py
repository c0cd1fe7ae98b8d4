from dataclasses import replace

import pytest

from fmrl_ros.learning.planner.recipe import RECIPES, PlannerTraining


def test_each_leg_has_a_learning_rate():
    with pytest.raises(ValueError, match="2 legs and learning_rate 1"):
        PlannerTraining(episodes=(10, 20))


@pytest.mark.parametrize("averaged", [0, 2])
def test_only_legs_that_there_are_can_be_averaged(averaged):
    with pytest.raises(ValueError, match=f"averaged, {averaged}"):
        replace(PlannerTraining(), averaged=averaged)


def test_every_recipe_is_for_the_world_that_it_is_listed_under():
    assert all(recipe.world == world for world, recipe in RECIPES.items())
