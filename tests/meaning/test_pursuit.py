import numpy as np
import pytest

from fmrl_ros.meaning.goal_grammar import GoalGrammar
from fmrl_ros.meaning.pursuit import Pursuit
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
TABLE = dict.fromkeys(WORLD.names_of_kind("block"), "table")


def state(opened=(), **locations):
    return SymbolicState.of(WORLD, TABLE | {k.replace("_", " "): v for k, v in locations.items()}, opened=opened)


def pursue(text, now, rng=None, limit=30):
    """Take steps that serve a goal, in random order, until it is fulfilled."""
    pursuit, steps = Pursuit(GoalGrammar(WORLD).parse(text), WORLD), []
    pursuit.observe(now)
    while not pursuit.fulfilled and len(steps) < limit:
        serving = [skill for skill in WORLD.options[:-1] if pursuit.serves(skill)]
        skill = serving[0 if rng is None else int(rng.integers(len(serving)))]
        now = now.after(skill)
        pursuit.note(skill)
        pursuit.observe(now)
        steps.append(skill.phrase)
    return steps, pursuit.fulfilled


@pytest.mark.parametrize(
    "text, start, steps",
    [
        ("drawer open; drawer closed", state(), ["open the drawer", "close the drawer"]),
        ("red block pushed away", state(), ["push the red block away"]),
        ("red block in drawer; drawer closed", state(["drawer"], red_block="drawer"), ["close the drawer"]),
        (
            "green block on red block; blue block on green block",
            state(),
            [
                "pick up the green block",
                "place it on the red block",
                "pick up the blue block",
                "place it on the green block",
            ],
        ),
        ("blue bowl empty; hand empty", state(), []),
        ("hand empty; red block in hand", state(), ["pick up the red block"]),
        ("red block in hand; red block in blue bowl", state(), ["pick up the red block", "place it in the blue bowl"]),
    ],
)
def test_parts_are_reached_one_after_the_other(text, start, steps):
    assert pursue(text, start) == (steps, True)


def test_what_was_reached_and_is_no_more_is_reached_again():
    goal = GoalGrammar(WORLD).parse("red block in blue bowl; green block in blue bowl")
    pursuit = Pursuit(goal, WORLD)
    pursuit.observe(state(red_block="blue bowl", green_block="blue bowl"))
    assert pursuit.fulfilled
    pursuit.observe(state(green_block="blue bowl"))
    assert not pursuit.fulfilled and pursuit.serves(WORLD.skill("pick up the red block"))


def test_what_is_held_is_not_put_where_something_else_belongs():
    pursuit = Pursuit(GoalGrammar(WORLD).parse("red block at middle"), WORLD)
    pursuit.observe(state(green_block="hand"))
    assert not pursuit.serves(WORLD.skill("place it at the middle"))
    assert pursuit.serves(WORLD.skill("place it at the top left corner"))


def test_what_no_scene_shows_has_come_about_when_its_skill_has_succeeded():
    pursuit = Pursuit(GoalGrammar(WORLD).parse("red block pushed away"), WORLD)
    pursuit.observe(state())
    assert not pursuit.fulfilled
    pursuit.note(WORLD.skill("push the red block closer"))
    pursuit.observe(state())
    assert not pursuit.fulfilled
    pursuit.note(WORLD.skill("push the red block away"))
    pursuit.observe(state())
    assert pursuit.fulfilled


@pytest.mark.parametrize(
    "text",
    [
        "all block: red block, green block, blue block, yellow block in green bowl",
        "red block at middle; green block left of red block; button lit",
        "red block in drawer; blue block on yellow block; drawer closed",
        "middle clear; hand empty; red block at middle; blue bowl empty",
    ],
)
def test_whatever_serves_leads_to_the_goal_from_anywhere(text):
    rng = np.random.default_rng(0)
    starts = [
        state(green_block="hand", red_block="blue bowl", blue_block="drawer"),
        state(["drawer"], yellow_block="red block", blue_block="middle", green_block="drawer"),
        state(red_block="yellow block", yellow_block="green block", blue_block="green bowl"),
    ]
    for start in starts:
        assert pursue(text, start, rng)[1]
