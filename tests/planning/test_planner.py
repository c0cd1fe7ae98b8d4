import pytest

from fmrl_ros.planning.monologue import DETAILS, MonologueLine, PlannerStep
from fmrl_ros.planning.planner import Journal
from fmrl_ros.refusal import RefusalError, refusal

STEP = PlannerStep(0, (), None)
LOST = refusal("lost", "look")


def test_steps_and_lines_are_handed_on_as_they_happen_and_stand_in_the_result():
    heard: list[object] = []
    journal = Journal(heard.append, heard.append)
    journal.say("Human", "bring me the apple")
    journal.step(STEP)
    assert heard == [MonologueLine("Human", "bring me the apple"), STEP]
    result = journal.succeed("1 skills executed")
    assert result.steps == (STEP,) and result.monologue[-1].text == "Done: 1 skills executed"
    assert heard[-1] == result.monologue[-1]


def test_a_journal_that_nobody_listens_to_keeps_everything():
    journal = Journal(None, None)
    journal.step(STEP)
    assert journal.give_up(refusal("lost", "look")).steps == (STEP,)


@pytest.mark.parametrize(
    "end, success, refused, broken, said",
    [
        (lambda journal: journal.give_up(LOST), False, False, False, "I stop: lost; look"),
        (lambda journal: journal.refuse(LOST), False, True, False, "I stop: lost; look"),
        (lambda journal: journal.break_off(RefusalError("lost", "look")), False, False, True, "I stop: lost; look"),
        (lambda journal: journal.reply(LOST), True, False, False, "lost; look"),
    ],
)
def test_a_result_says_how_the_run_ended(end, success, refused, broken, said):
    result = end(Journal(None, None))
    assert (result.success, result.refused, result.broken) == (success, refused, broken)
    assert result.reason == LOST and result.monologue[-1] == MonologueLine("Planner", said)


def test_what_is_long_about_a_refusal_is_a_line_of_its_own_and_no_part_of_the_reason():
    result = Journal(None, None).refuse(LOST, "I know this, and that, and more")
    assert result.monologue[0] == MonologueLine(DETAILS, "I know this, and that, and more")
    assert result.reason == LOST
