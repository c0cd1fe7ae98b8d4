from fmrl_ros.meaning import goal
from fmrl_ros.meaning.form import forms
from fmrl_ros.meaning.goal import Condition, Description, Goal, Impossible, Slot, SpeechAct, Statement
from fmrl_ros.meaning.goal_grammar import QUANTITIES
from fmrl_ros.worlds import names
from fmrl_ros.worlds.conditions import Predicate
from fmrl_ros.worlds.names import GOAL_BEGINNINGS, GOAL_WORDS

IN, NOT_IN = forms(Predicate("in", {"block": "block", "container": "bowl"}))


def statement(form, *slots):
    return Statement(form, tuple(slot if isinstance(slot, Slot) else Slot((slot,)) for slot in slots))


def test_a_statement_says_which_facts_shall_hold_or_not():
    assert statement(IN, "a", "x").literals == ((("in", "a", "x"), True),)
    assert statement(NOT_IN, "a", "x").literals == ((("in", "a", "x"), False),)


def test_one_thing_goes_with_each_of_several_and_lists_go_pairwise():
    blocks = Slot(("a", "b"), Description("block", "all"))
    assert [fact for fact, _ in statement(IN, blocks, "x").literals] == [("in", "a", "x"), ("in", "b", "x")]
    bowls = Slot(("x", "y"), Description("bowl", relation="matching"))
    paired = statement(IN, blocks, bowls)
    assert [fact for fact, _ in paired.literals] == [("in", "a", "x"), ("in", "b", "y")]
    assert str(paired) == "all block: a, b in bowl, matching: x, y"


def test_a_description_says_what_is_asked_for_and_how_many():
    asked = Description("block", "2", True, "not", "red")
    assert str(asked) == "2 different block, not red" and asked.pairs
    assert asked.count(5) == 2 and asked.count(1) == 1
    assert Description("block", "all").count(4) == 4 and Description("block").count(4) == 1
    assert Description("bowl", relation="not matching").pairs and not Description("bowl", relation="leftmost").pairs


def test_a_goal_tells_requests_from_what_is_none():
    goal = Goal((Condition(statement(IN, "a", "x"), False), SpeechAct.NOTHING))
    assert str(goal) == "if a in x: no; nothing" and goal.act is SpeechAct.NOTHING and not goal.statements
    refused = Goal((statement(IN, "a", "x"), Impossible("orange block")))
    assert str(refused) == "a in x; orange block: none" and refused.refused == Impossible("orange block")
    assert str(Impossible()) == "no skill" and [*refused.literals] == [(("in", "a", "x"), True)]


def test_nothing_in_a_world_can_be_called_like_a_word_of_goals():
    own = {goal.ALL, goal.DIFFERENT, goal.MATCHING, goal.HELD, goal.NONE, goal.NO_SKILL, goal.YES, goal.NO}
    assert own | {str(act) for act in SpeechAct} == {*GOAL_WORDS}
    assert {goal.NOT, goal.ALSO, goal.IF.strip()} == {*GOAL_BEGINNINGS}
    assert {*QUANTITIES} == {*names.QUANTITIES} - {goal.DIFFERENT}
