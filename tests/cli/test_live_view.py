import io
import math

from rich.console import Console

from fmrl_ros.cli.live_view import LiveView
from fmrl_ros.planning.monologue import DETAILS, MonologueLine, PlannerStep, ScoredSkill
from fmrl_ros.recording.run import TimedLine, TimedStep
from fmrl_ros.worlds.world import load_world


def shown(act, verbose=False) -> str:
    screen = io.StringIO()
    with LiveView(Console(file=screen, width=120), verbose) as view:
        act(view)
    return screen.getvalue()


def test_a_decision_shows_the_best_five_and_the_choice():
    options = load_world("tabletop").options
    candidates = tuple(ScoredSkill(s, -float(i), 0.9, 0.9 * math.exp(-i)) for i, s in enumerate(options))
    text = shown(lambda view: view.step(TimedStep(1.0, PlannerStep(0, candidates, options[1]))))
    rows = [line for line in text.splitlines() if any(line.strip().startswith(s.phrase) for s in options)]
    assert len(rows) == 5
    assert [row.split()[-1] for row in rows].count("chosen") == 1
    assert "chosen" in rows[1] and "0.368" in rows[1] and "0.90" in rows[1] and "0.331" in rows[1]


def test_a_choice_that_is_not_among_the_best_is_shown_too():
    options = load_world("tabletop").options
    candidates = tuple(ScoredSkill(s, -float(i), 0.9, 0.9 * math.exp(-i)) for i, s in enumerate(options))
    assert "done" in shown(lambda view: view.step(TimedStep(1.0, PlannerStep(0, candidates, options[-1]))))


def test_a_decision_without_a_choice_says_so():
    options = load_world("tabletop").options
    candidates = (ScoredSkill(options[0], -1.0, 0.01, 0.004),)
    assert "nothing is good enough" in shown(lambda view: view.step(TimedStep(0.0, PlannerStep(0, candidates, None))))


def test_a_line_is_shown_with_its_time_and_speaker_and_without_markup():
    text = shown(lambda view: view.line(TimedLine(12.34, MonologueLine("Success", "yes [seen]"))))
    assert "12.3 s" in text and "Success: yes [seen]" in text


def test_long_lines_are_shown_on_request_only():
    known = TimedLine(1.0, MonologueLine(DETAILS, "I know this, and that, and more"))
    assert shown(lambda view: view.line(known)) == ""
    assert "and more" in shown(lambda view: view.line(known), verbose=True)
