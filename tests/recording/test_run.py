def said(lines):
    return [timed.line.text for timed in lines]


def test_lines_belong_to_the_decision_before_them(run):
    assert said(run.lines_after(-1)) == said(run.lines[:2])
    assert said(run.lines_after(0))[:2] == ["pick up the red block", "yes (the red block is in the hand)"]
    parts = [run.lines_after(index) for index in range(-1, len(run.steps))]
    assert [line for part in parts for line in part] == run.lines


def test_without_decisions_every_line_comes_before_the_first(run):
    run.steps.clear()
    assert run.lines_after(-1) == run.lines


def test_the_verdict_of_a_decision_is_the_last_one_before_the_next(run):
    assert run.verdict(0) == "yes (the red block is in the hand)"
    assert run.verdict(1) == "unknown (the bowl is hidden by the hand)"
    assert run.verdict(2) == ""


def test_a_run_has_begun_once_the_planner_has_said_something(run):
    assert run.begun and not type(run)("wave").begun


def test_a_reason_is_said_if_the_monologue_ends_with_it(run):
    run.reason = "2 skills executed, each seen to have succeeded"
    assert run.reason_said
    run.reason = "interrupted by the person"
    assert not run.reason_said and not type(run)("wave", reason="why").reason_said
