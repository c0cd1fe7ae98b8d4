import numpy as np
import pytest

from fmrl_ros.meaning.explanation import CLOSE, GO, PICK, PUT_DOWN, Act
from fmrl_ros.meaning.kitchen_expert import KitchenExpert
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")


def expert(rng: np.random.Generator | None = None, **start: object) -> KitchenExpert:
    objects = {"apple": "table", "tea": "top drawer", "sponge": "far counter"}
    return KitchenExpert(start_state(WORLD, {"robot_at": "table", "objects": objects} | start), rng)


def phrases(of: KitchenExpert) -> list[str]:
    return [skill.phrase for skill in of.skills]


def test_a_thing_in_a_drawer_is_delivered_after_the_drawer_was_opened():
    robot = expert()
    robot.deliver("tea", "user")
    assert phrases(robot) == ["open the top drawer", "find the tea", "pick up the tea", "bring it to you"]
    assert robot.state.locations["tea"] == "user" and robot.delivered == {"tea"}


def test_the_hand_is_emptied_before_it_opens_a_drawer_or_takes_another_thing():
    robot = expert(holding="sponge")
    robot.take("apple")
    assert phrases(robot) == ["put down the sponge", "find the apple", "pick up the apple"]


def test_nothing_is_put_down_in_the_trash_to_free_the_hand():
    robot = expert(holding="sponge", robot_at="trash can")
    robot.act(Act(PUT_DOWN))
    assert robot.state.locations["sponge"] == "table"


@pytest.mark.parametrize("verb, argument", [(GO, "table"), (CLOSE, "top drawer"), (PUT_DOWN, "")])
def test_an_action_whose_effect_is_there_already_needs_no_skill(verb, argument):
    robot = expert()
    robot.act(Act(verb, argument))
    assert not robot.skills


def test_what_the_hand_holds_is_taken_first_and_what_is_in_a_closed_drawer_last():
    assert expert(holding="sponge").ordered(["tea", "apple", "sponge"]) == ["sponge", "apple", "tea"]
    drawn = {tuple(expert(np.random.default_rng(seed)).ordered(["apple", "sponge"])) for seed in range(20)}
    assert drawn == {("apple", "sponge"), ("sponge", "apple")}


def test_an_unknown_thing_is_an_error():
    with pytest.raises(KeyError, match="whisk"):
        expert().act(Act(PICK, "whisk"))
