"""With a scripted planner over DDS."""

import time

import pytest

pytest.importorskip("rclpy")

import rclpy
from std_msgs.msg import String

from fmrl_ros.cli.instruction_client import InstructionClient, NoPlannerError, Status, wait_until
from fmrl_ros.cli.ros_session import RosSession
from fmrl_ros.nodes.support.conversions import line_message, step_message
from fmrl_ros.nodes.support.liveness import offer_liveness
from fmrl_ros.planning import monologue
from fmrl_ros.recording.run import TimedLine, TimedStep
from fmrl_ros.worlds.world import load_world

pytestmark = pytest.mark.graph
PICK = load_world("tabletop").skill("pick up the red block")
STEP = monologue.PlannerStep(0, (monologue.ScoredSkill(PICK, -0.1, 0.9, 0.81),), PICK)
LINE = monologue.MonologueLine("Robot", "pick up the red block")


@pytest.fixture
def session(robot):
    with RosSession("tell") as session:
        yield session


@pytest.fixture
def client(session, planner):
    client = InstructionClient(session.node)
    assert client.wait_for_planner(10.0)
    return client


def collected(client, condition, seconds=10.0):
    """Return the news until a condition on them holds."""
    news, deadline = [], time.monotonic() + seconds
    while not condition(news):
        assert time.monotonic() < deadline, news
        news += client.news(0.05)
    return news


def test_where_no_planner_is_it_is_not_waited_for_longer_than_asked(session):
    assert not InstructionClient(session.node).wait_for_planner(0.2)


def test_the_planner_is_told_the_sentence_and_which_strategy(client, planner):
    client.send("wave", "saycan")
    assert wait_until(lambda: client.outcome is not None, 10.0)
    assert [(goal.instruction, goal.planner) for goal in planner.goals] == [("wave", "saycan")]


def test_decisions_lines_and_status_arrive_while_it_works(client, planner):
    planner.go.clear()
    planner.steps = [step_message(STEP, "wave", 1.0)]
    planner.lines = [line_message(LINE, 1.5)]
    client.send("wave")
    news = collected(client, lambda news: len(news) >= 3)
    assert client.outcome is None
    assert {type(piece) for piece in news} == {Status, TimedStep, TimedLine}
    assert TimedStep(1.0, STEP) in news and TimedLine(1.5, LINE) in news and Status("thinking hard") in news


@pytest.mark.parametrize("success", [True, False])
def test_the_outcome_has_every_decision_and_line(client, planner, success):
    planner.success, planner.reason = success, "seen"
    planner.steps, planner.lines = [step_message(STEP, "wave", 1.0)], [line_message(LINE, 1.5)]
    client.send("wave")
    assert wait_until(lambda: client.outcome is not None, 10.0)
    outcome = client.outcome
    assert (outcome.success, outcome.reason) == (success, "seen")
    assert outcome.steps == (TimedStep(1.0, STEP),) and outcome.lines == (TimedLine(1.5, LINE),)


def test_a_planner_that_fails_without_a_word_is_said_to(client, planner):
    planner.success, planner.reason = False, ""
    client.send("wave")
    assert wait_until(lambda: client.outcome is not None, 10.0)
    assert client.outcome.reason == "the planner ended the instruction without a word; see its log"


def test_a_planner_that_refuses_is_an_error_with_the_next_step(client, planner):
    planner.accepts = False
    with pytest.raises(NoPlannerError, match=r"refuses the instruction.*activate it"):
        client.send("wave")


def test_a_second_instruction_forgets_the_first_one_s_outcome(client, planner):
    client.send("wave")
    assert wait_until(lambda: client.outcome is not None, 10.0)
    planner.go.clear()
    client.send("wave again")
    assert client.outcome is None
    planner.go.set()
    assert wait_until(lambda: client.outcome is not None, 10.0)
    assert [goal.instruction for goal in planner.goals] == ["wave", "wave again"]


def test_an_instruction_can_be_cancelled(client, planner):
    assert client.cancel(), "there is nothing to cancel yet"
    planner.go.clear()
    client.send("wave")
    assert client.cancel(10.0)
    assert planner.cancelled.wait(10.0)
    assert wait_until(lambda: client.outcome is not None, 10.0) and client.outcome.reason == "cancelled"


def test_somebody_who_is_there_answers_and_nobody_does_not(robot, session):
    heard = []
    robot.create_subscription(String, "answer", lambda message: heard.append(message.data), 10)
    silent, there = InstructionClient(session.node), InstructionClient(session.node, answers=True)
    assert wait_until(lambda: robot.count_publishers("answer") == 1, 10.0)
    silent.answer("no")

    def answered():
        there.answer("yes")
        return bool(heard)

    assert wait_until(answered, 10.0) and set(heard) == {"yes"}


def test_a_planner_that_was_alive_and_has_ended_is_gone(session, domain):
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain)
    node = rclpy.create_node("planner", context=context)
    offer_liveness(node)
    client = InstructionClient(session.node)
    assert wait_until(lambda: client._watch.age("planner") > 0, 10.0)
    assert not client.planner_gone()
    node.destroy_node()
    context.try_shutdown()
    assert wait_until(client.planner_gone, 15.0)


def test_waiting_ends_when_it_is_so_or_in_time():
    answers = iter([False, False, True])
    assert wait_until(lambda: next(answers), 10.0, beat=0.001)
    assert not wait_until(lambda: False, 0.02, beat=0.001)
