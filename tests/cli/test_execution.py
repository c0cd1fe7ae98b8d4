"""An instruction from its beginning to its end, with a scripted planner over DDS."""

import io
import threading

import pytest

pytest.importorskip("rclpy")

from rich.console import Console
from std_msgs.msg import String

from fmrl_ros.cli import execution
from fmrl_ros.cli.execution import carry_out, interrupt
from fmrl_ros.cli.exits import FAILED, SUCCEEDED
from fmrl_ros.cli.instruction_client import InstructionClient, NoPlannerError
from fmrl_ros.cli.interruption import INTERRUPTED
from fmrl_ros.cli.live_view import LiveView
from fmrl_ros.cli.ros_session import RosSession
from fmrl_ros.nodes.support.conversions import line_message, step_message
from fmrl_ros.planning.monologue import MonologueLine, PlannerStep, ScoredSkill
from fmrl_ros.recording.run import Run
from fmrl_ros.refusal import refusal
from fmrl_ros.worlds.world import load_world

pytestmark = pytest.mark.graph
PICK = load_world("tabletop").skill("pick up the red block")
STEP = PlannerStep(0, (ScoredSkill(PICK, -0.1, 0.9, 0.81),), PICK)
DEAD = refusal("skill_server has ended", "see its log")
LINES = [MonologueLine("Human", "pick it up"), MonologueLine("Robot", "pick up the red block")]


def nothing():
    """Nobody has died, nobody types."""
    return None


@pytest.fixture
def client(planner):
    planner.steps = [step_message(STEP, "pick it up", 2.0)]
    planner.lines = [line_message(line, 1.0 + k) for k, line in enumerate(LINES)]
    with RosSession("tell") as session:
        client = InstructionClient(session.node, answers=True)
        assert client.wait_for_planner(10.0)
        yield client


@pytest.fixture
def view():
    screen = io.StringIO()
    with LiveView(Console(file=screen, width=120)) as view:
        view.screen = screen
        yield view


def test_a_run_has_everything_that_was_thought_and_said(client, view):
    run = Run("pick it up")
    carry_out(run, client, view, nothing)
    assert (run.success, run.reason, run.exit_code) == (True, "done", SUCCEEDED)
    assert [timed.line for timed in run.lines] == LINES and [timed.step for timed in run.steps] == [STEP]
    assert run.times["robot"] == pytest.approx(1.0), "from the first stamp to the last"
    assert run.times["execution"] > 0
    assert "Human: pick it up" in view.screen.getvalue() and "decision 1" in view.screen.getvalue()


def test_what_the_topics_lost_is_taken_from_the_result(client, planner, view, monkeypatch):
    monkeypatch.setattr(execution, "TOPIC_LAG", 0.2)
    planner.silent = True
    run = Run("pick it up")
    carry_out(run, client, view, nothing)
    assert [timed.line for timed in run.lines] == LINES and len(run.steps) == 1
    assert "Robot: pick up the red block" in view.screen.getvalue()


def test_an_instruction_that_fails_says_why(client, planner, view, monkeypatch):
    monkeypatch.setattr(execution, "TOPIC_LAG", 0.2)
    planner.success, planner.reason = False, "the red block is out of reach"
    run = Run("pick it up")
    carry_out(run, client, view, nothing)
    assert (run.success, run.reason, run.exit_code) == (False, "the red block is out of reach", FAILED)


def test_nothing_of_another_instruction_s_lines_is_in_one_that_is_refused(client, planner, view):
    """The topics are shared: what another instruction says while this one is refused is not this one's."""
    other = [line_message(MonologueLine("Robot", "pick up the green block"), 0.5)]
    planner.others, planner.silent, planner.steps, planner.lines = other, True, [], []
    planner.begins, planner.success, planner.reason = False, False, "busy with 'wave'; end it: fmrl stop"
    run = Run("pick it up")
    carry_out(run, client, view, nothing)
    assert (run.success, run.reason, run.lines, run.begun) == (False, planner.reason, [], False)
    assert "green" not in view.screen.getvalue()


def test_what_another_instruction_said_before_this_one_began_is_not_in_its_files(client, planner, view):
    planner.others = [line_message(MonologueLine("Robot", "pick up the green block"), 0.5)]
    run = Run("pick it up")
    carry_out(run, client, view, nothing)
    assert [timed.line for timed in run.lines] == LINES and run.begun


def test_the_planner_is_the_one_that_was_asked_for(client, planner, view):
    carry_out(Run("pick it up"), client, view, nothing, planner="saycan")
    assert [goal.planner for goal in planner.goals] == ["saycan"]


def test_a_planner_that_takes_no_instruction_is_an_error(client, planner, view):
    planner.accepts = False
    with pytest.raises(NoPlannerError):
        carry_out(Run("pick it up"), client, view, nothing)


def test_a_part_that_dies_ends_a_run_whose_planner_does_not_notice(client, planner, view, monkeypatch):
    monkeypatch.setattr(execution, "PLANNER_GRACE", 0.3)
    planner.go.clear()
    run = Run("pick it up")
    carry_out(run, client, view, lambda: DEAD)
    assert (run.success, run.reason, run.exit_code) == (False, DEAD, FAILED)
    assert [timed.line for timed in run.lines] == LINES, "what was said so far is kept"


def test_a_planner_that_ends_the_instruction_after_a_death_is_heard_out(client, planner, view):
    planner.go.clear()
    planner.success, planner.reason = False, "skill_server does not answer"

    def trouble():
        planner.go.set()
        return DEAD

    run = Run("pick it up")
    carry_out(run, client, view, trouble)
    assert run.reason == DEAD


def test_a_death_that_is_known_a_moment_after_the_failure_is_named(client, planner, view):
    planner.success, planner.reason = False, "no answer"
    seen = []

    def trouble():
        if client.outcome is not None:
            seen.append(1)
        return DEAD if len(seen) > 3 else None

    run = Run("pick it up")
    carry_out(run, client, view, trouble)
    assert run.reason == DEAD


def test_what_somebody_types_answers_the_planner(client, planner, robot, view):
    heard, beats = threading.Event(), iter(range(100))
    robot.create_subscription(String, "answer", lambda _: heard.set(), 10)
    planner.go.clear()

    def typed():
        if heard.is_set() or next(beats, None) is None:
            planner.go.set()
        return "yes"

    carry_out(Run("pick it up"), client, view, nothing, typed=typed)
    assert heard.is_set()


def test_an_interrupted_run_keeps_what_was_said_and_the_planner_is_told(client, planner, view):
    planner.go.clear()
    run = Run("pick it up")

    def interrupted():
        if len(run.lines) == len(LINES) and run.steps:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        carry_out(run, client, view, interrupted)
    interrupt(run, client, view)
    assert planner.cancelled.wait(10.0)
    assert (run.success, run.reason, run.exit_code) == (None, "interrupted by the person", INTERRUPTED)
    assert [timed.line for timed in run.lines] == LINES
