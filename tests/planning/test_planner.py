import pytest

from fmrl_ros.planning.monologue import MonologueLine, PlannerStep
from fmrl_ros.planning.planner import Journal

STEP = PlannerStep(0, (), None)


def test_steps_and_lines_are_handed_on_as_they_happen_and_stand_in_the_result():
    heard: list[object] = []
    journal = Journal(heard.append, heard.append)
    journal.say("Human", "bring me the apple")
    journal.step(STEP)
    assert heard == [MonologueLine("Human", "bring me the apple"), STEP]
    result = journal.end(True, "1 skills executed")
    assert result.steps == (STEP,) and result.monologue[-1].text == "Done: 1 skills executed"
    assert heard[-1] == result.monologue[-1]


def test_a_journal_that_nobody_listens_to_keeps_everything():
    journal = Journal(None, None)
    journal.step(STEP)
    assert journal.end(False, "stopped on request").steps == (STEP,)


@pytest.mark.parametrize(
    "end, success, refused, broken, said",
    [
        (lambda journal: journal.end(False, "lost"), False, False, False, "I stop: lost"),
        (lambda journal: journal.refuse("lost"), False, True, False, "I stop: lost"),
        (lambda journal: journal.break_off(RuntimeError("lost")), False, False, True, "I stop: lost"),
        (lambda journal: journal.reply("lost"), True, False, False, "lost"),
    ],
)
def test_a_result_says_how_the_run_ended(end, success, refused, broken, said):
    result = end(Journal(None, None))
    assert (result.success, result.refused, result.broken) == (success, refused, broken)
    assert result.reason == "lost" and result.monologue[-1] == MonologueLine("Planner", said)
