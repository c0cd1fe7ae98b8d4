import pytest

from fmrl_ros.meaning.goal_grammar import GoalGrammar
from fmrl_ros.meaning.regression import Regression
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
TABLE = dict.fromkeys(WORLD.names_of_kind("block"), "table")


def towards(text, opened=(), **locations):
    state = SymbolicState.of(WORLD, TABLE | {k.replace("_", " "): v for k, v in locations.items()}, opened=opened)
    literals = [*GoalGrammar(WORLD).parse(text).literals]
    return {skill.phrase for skill in Regression(WORLD, state.known).towards(literals)}


@pytest.mark.parametrize(
    "text, locations, first",
    [
        ("red block in blue bowl", {}, {"pick up the red block"}),
        ("red block in blue bowl", {"red_block": "hand"}, {"place it in the blue bowl"}),
        ("red block in blue bowl", {"red_block": "blue bowl"}, set()),
        ("red block in drawer", {}, {"open the drawer"}),
        ("red block in hand", {"red_block": "drawer"}, {"open the drawer"}),
        ("red block in hand", {"green_block": "red block"}, {"pick up the green block"}),
        ("red block not in blue bowl", {"red_block": "blue bowl"}, {"pick up the red block"}),
        ("blue bowl empty", {"red_block": "blue bowl"}, {"pick up the red block"}),
        ("drawer closed", {}, set()),
        ("button lit", {}, {"press the button"}),
        ("red block pushed away", {}, {"push the red block away"}),
        ("green block behind blue bowl", {"green_block": "hand"}, {"place it behind the blue bowl"}),
    ],
)
def test_the_skills_on_the_way_to_what_shall_hold(text, locations, first):
    assert towards(text, **locations) == first


def test_a_full_hand_is_emptied_first_wherever_that_is_possible():
    found = towards("button lit", red_block="hand")
    assert "place it at the middle" in found and "place it in the drawer" not in found
    assert all(phrase.startswith("place it") for phrase in found)


def test_what_is_at_the_place_goes_first():
    found = towards("red block at middle", green_block="middle")
    assert "pick up the green block" in found and "pick up the red block" not in found


def test_what_a_skill_requires_and_has_is_told():
    state = SymbolicState.of(WORLD, TABLE, opened=["drawer"])
    literals = [*GoalGrammar(WORLD).parse("red block in drawer").literals]
    assert Regression(WORLD, state.known).needed(literals) >= {(("closed", "drawer"), False)}
