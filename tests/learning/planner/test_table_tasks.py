import pytest

from fmrl_ros.learning.planner.speech_acts import Saying
from fmrl_ros.learning.planner.table_requests import Request
from fmrl_ros.learning.planner.table_tasks import SayingTask, TableTask
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
TABLE = dict.fromkeys(WORLD.names_of_kind("block"), "table")


def state(**locations):
    return SymbolicState.of(WORLD, TABLE | {k.replace("_", " "): v for k, v in locations.items()})


def task(explanation, start=None, **ranks):
    return TableTask(Request("any", "say it", start or state(), explanation, ranks))


def test_a_task_is_fulfilled_by_what_was_asked_and_nothing_else():
    asked = task("red block in blue bowl")
    assert asked.fulfilled(state(red_block="blue bowl"))
    assert not asked.fulfilled(state()) and not asked.fulfilled(state(red_block="red bowl"))
    assert not asked.fulfilled(state(red_block="blue bowl", green_block="red bowl"))


def test_what_was_in_the_way_or_in_the_hand_may_be_elsewhere():
    start = state(green_block="middle", blue_block="hand", yellow_block="red block")
    asked = task("red block at middle", start)
    assert asked.fulfilled(state(red_block="middle", green_block="red bowl", yellow_block="blue bowl"))


def test_what_a_later_part_ends_need_not_hold():
    assert task("drawer open; drawer closed").fulfilled(state())


def test_what_no_scene_shows_counts_in_a_symbolic_state():
    asked = task("red block pushed away")
    assert not asked.fulfilled(state())
    assert asked.fulfilled(asked.start.after(WORLD.skill("push the red block away")))


@pytest.mark.parametrize("text", ["orange block: none", "no skill", "nothing", "if drawer open: no; nothing"])
def test_some_sentences_ask_for_nothing_that_can_be_done(text):
    assert task(text).impossible


@pytest.mark.parametrize("extreme", ["leftmost", "rightmost", "nearest", "farthest", "highest"])
def test_what_is_singled_out_is_where_the_words_say(extreme):
    asked = task(f"block, {extreme}: blue block in hand", **{extreme: "blue block"})
    assert str(asked.goal) == f"block, {extreme}: blue block in hand"


def test_a_sentence_that_is_no_request_is_to_be_taken_for_what_it_is():
    said = SayingTask(Saying("talk", "nice weather", "talk"), state())
    assert said.impossible and said.reply == "talk" and said.fulfilled(state())
    assert not said.fulfilled(state(red_block="blue bowl"))
