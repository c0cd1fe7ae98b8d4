import math
from collections import Counter
from dataclasses import replace

import pytest

from fmrl_ros.bench.chaos.fault import Ending, Fault, draw, shortcoming

FAULT = Fault("camera", "depth in millimetres", (r"millimetres",), limit=10.0)
NAMED = Ending(3.0, False, None, "front: depth is in millimetres?")
DONE = Ending(8.0, True, True, "")


def test_an_error_that_names_its_cause_in_time_is_right():
    assert shortcoming(FAULT, NAMED) == ""


@pytest.mark.parametrize(
    ("fault", "ending", "words"),
    [
        (FAULT, replace(NAMED, reason="it failed"), "the cause is not named: it failed"),
        (FAULT, replace(NAMED, reason=""), "nothing was said"),
        (FAULT, replace(NAMED, seconds=10.5), "it took 10.5 s, 10 s at most"),
        (FAULT, replace(NAMED, seconds=math.nan), "it did not end"),
        (FAULT, replace(NAMED, went_on=0.1), "the arm went on by 0.10 rad"),
        (FAULT, replace(NAMED, excess="fr3_joint2 ..."), "beyond a limit: fr3_joint2"),
        (FAULT, replace(NAMED, recovery="the planner is gone"), "the planner is gone"),
        (replace(FAULT, still=True), replace(NAMED, moved=0.3), "the arm moved by 0.30 rad"),
        (FAULT, replace(DONE, true=False, reason="done"), "a success that is not true: done"),
        (FAULT, replace(DONE, true=None), "a success that is not true"),
        (FAULT, replace(DONE, recovery="no scene"), "no scene"),
        (replace(FAULT, harmless=False), DONE, "it succeeded, though this had to end it"),
        (replace(FAULT, causes=()), NAMED, "it had to succeed"),
    ],
)
def test_what_was_not_right_is_said(fault, ending, words):
    assert words in shortcoming(fault, ending)


def test_a_success_that_is_true_is_right():
    assert shortcoming(FAULT, DONE) == ""
    assert shortcoming(replace(FAULT, causes=()), DONE) == ""


def test_an_answer_to_what_must_move_nothing_is_right():
    assert shortcoming(replace(FAULT, still=True), replace(DONE, true=None)) == ""


def test_each_fault_is_drawn_as_often_as_the_others_or_once_more():
    faults = [Fault("camera", str(i), ("x",)) for i in range(7)]
    trials = draw(faults, 24, seed=3)
    counts = Counter(trial.fault.name for trial in trials)
    assert set(counts.values()) == {3, 4} and len(counts) == 7
    assert [trial.seed for trial in trials] == list(range(3, 27))
    assert all(0 <= trial.delay <= 5 for trial in trials)
    assert trials == draw(faults, 24, seed=3) != draw(faults, 24, seed=4)
