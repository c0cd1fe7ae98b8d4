"""With a real service in another process, and a real action server whose skills end as a test wants."""

import os
import subprocess
import sys
import threading
import time

import pytest

pytest.importorskip("rclpy")

from builtin_interfaces.msg import Time
from fmrl_interfaces.action import ExecuteSkill
from fmrl_interfaces.msg import Skill, SkillLibrary
from fmrl_interfaces.srv import ScoreAffordances
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from std_msgs.msg import Bool

from fmrl_ros.nodes.support import conversions, resets, ros_embodiment
from fmrl_ros.nodes.support.liveness import Watch
from fmrl_ros.nodes.support.ros_embodiment import RosEmbodiment
from fmrl_ros.planning.embodiment import EmbodimentError
from fmrl_ros.skills.result import PREEMPTED

pytestmark = pytest.mark.graph

DESCRIBER = """
import sys
import time
import fmrl_ros.nodes
import rclpy
from fmrl_interfaces.srv import DescribeScene
from fmrl_ros.nodes.support.liveness import offer_liveness

asked = 0

def describe(request, response):
    global asked
    asked += 1
    response.scene.header.stamp.sec = asked if len(sys.argv) == 2 else 0
    response.scene.text = "".join(sys.argv[2:])
    time.sleep(float(sys.argv[1]))
    return response

rclpy.init()
node = rclpy.create_node("scene_describer")
offer_liveness(node)
node.create_service(DescribeScene, "describe_scene", describe)
print("up", flush=True)
rclpy.spin(node)
"""


@pytest.fixture
def start_describer(node):
    started = []

    def start(takes=0.0, *cause):
        environment = {**os.environ, "ROS_DOMAIN_ID": str(node.context.get_domain_id())}
        command = [sys.executable, "-c", DESCRIBER, str(takes), *cause]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment))
        assert started[-1].stdout.readline() == "up\n"
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def until(condition, what):
    deadline = time.monotonic() + 20.0
    while not condition():
        assert time.monotonic() < deadline, f"waited too long for {what}"
        time.sleep(0.05)


def test_a_node_that_was_killed_and_restarted_answers(node, start_describer):
    watch = Watch(node, [])
    robot = RosEmbodiment(node, watch)
    first = start_describer()
    assert robot.describe_scene().stamp >= 1.0
    until(lambda: watch.age("scene_describer") > 0.0, "it to be seen")
    first.kill()
    first.wait()
    until(lambda: watch.gone("scene_describer"), "its end to be noticed")
    start_describer()
    until(lambda: not watch.gone("scene_describer"), "the new one")
    assert robot.describe_scene().stamp >= 1.0


def test_where_there_is_no_scene_the_person_hears_the_cause(node, start_describer):
    start_describer(0.0, "I see nothing: camera 'front': the picture is {black}")
    with pytest.raises(EmbodimentError, match=r"^scene_describer: I see .* is \{black\}; see its diagnostics$"):
        RosEmbodiment(node, Watch(node, [])).describe_scene()


def test_after_a_reset_no_scene_of_before_is_taken(node, start_describer):
    robot = RosEmbodiment(node, Watch(node, []))
    start_describer()
    assert robot.world_resets() == 0
    assert robot.describe_scene().stamp == 1.0
    publisher = node.create_publisher(Time, resets.TOPIC, resets.QOS)
    until(lambda: (publisher.publish(Time(sec=5)), robot.world_resets())[1], "the reset to be heard of")
    assert robot.describe_scene().stamp == 6.0


def test_a_node_that_takes_its_time_is_asked_once(node, start_describer, monkeypatch):
    monkeypatch.setattr(ros_embodiment, "_RETRY_DELAY", 0.2)
    watch = Watch(node, [])
    robot = RosEmbodiment(node, watch)
    start_describer(takes=0.5)
    robot.describe_scene()
    until(lambda: watch.age("scene_describer") > 0.0, "it to be seen")
    monkeypatch.setattr(ros_embodiment, "_NEW_NODE_AGE", 0.0)
    asked = robot.describe_scene().stamp
    assert robot.describe_scene().stamp == asked + 1


def test_a_skill_server_that_announces_itself_again_is_reached_as_before(node):
    robot = RosEmbodiment(node, Watch(node, []))
    pick = Skill(name="pick", arguments=["red block"], phrase="pick up the red block")
    offer = SkillLibrary(
        server_name="/skill_server", skills=[pick], execute_action="/execute", score_service="/score", list_service="/l"
    )
    robot._take_skill_library(offer)
    clients, waitables = len(list(node.clients)), len(list(node.waitables))
    assert [skill.name for skill in robot.list_skills()] == ["pick"]
    robot._take_skill_library(SkillLibrary(server_name="/skill_server"))
    robot._take_skill_library(offer)
    assert (len(list(node.clients)), len(list(node.waitables))) == (clients, waitables)
    assert [skill.name for skill in robot.list_skills()] == ["pick"]
    robot.close()


PICK = Skill(name="pick", arguments=["red block"], phrase="pick up the red block")
SKILL = conversions.skill_from(PICK)


class SkillServer:
    """An action server. `run` is what a goal does: it returns the result, and whether the goal has succeeded."""

    def __init__(self, node):
        self.accepts, self.cancelled = True, threading.Event()
        self.run = lambda goal: (ExecuteSkill.Result(finished=True, reason="done", value=0.75, steps=9), True)
        self.score = node.create_service(ScoreAffordances, "score", self._score)
        self.action = ActionServer(
            node,
            ExecuteSkill,
            "execute",
            self._execute,
            callback_group=ReentrantCallbackGroup(),
            goal_callback=lambda goal: GoalResponse.ACCEPT if self.accepts else GoalResponse.REJECT,
            cancel_callback=self._cancel,
        )

    def _score(self, request, response):
        response.success, response.message = False, "scene older than 0.5 s"
        return response

    def _cancel(self, goal):
        self.cancelled.set()
        return CancelResponse.ACCEPT

    def _execute(self, goal):
        result, succeeded = self.run(goal)
        if goal.is_cancel_requested:
            goal.canceled()
        elif succeeded:
            goal.succeed()
        else:
            goal.abort()
        return result

    def ends(self, reason):
        """Let skills end unfinished."""
        self.run = lambda goal: (ExecuteSkill.Result(reason=reason), False)


@pytest.fixture
def server(node):
    server = SkillServer(node)
    yield server
    server.action.destroy()
    node.destroy_service(server.score)


@pytest.fixture
def robot(node, server):
    robot = RosEmbodiment(node, Watch(node, []))
    robot._take_skill_library(
        SkillLibrary(server_name="/skill_server", skills=[PICK], execute_action="/execute", score_service="/score")
    )
    yield robot
    robot.close()


def until_cancelled(server, signs):
    """A skill that goes on until it is cancelled; it gives signs of life or not."""

    def run(goal):
        deadline = time.monotonic() + 10
        while not server.cancelled.wait(0.05) and time.monotonic() < deadline:
            if signs:
                goal.publish_feedback(ExecuteSkill.Feedback(value=0.5))
        return ExecuteSkill.Result(reason="cancelled"), False

    return run


def test_where_skills_cannot_be_scored_for_want_of_a_scene_the_person_hears_the_cause(robot, start_describer):
    with pytest.raises(EmbodimentError, match=r"^skill_server: scene older"):
        robot.score_affordances([conversions.skill_from(PICK)])
    start_describer(0.0, "I see nothing: no picture")
    until(robot._describe.service_is_ready, "the describer")
    with pytest.raises(EmbodimentError, match=r"^scene_describer: I see nothing: no picture"):
        robot.score_affordances([conversions.skill_from(PICK)])


def test_a_skill_that_finishes_is_reported_with_its_value_and_steps(robot):
    outcome = robot.execute_skill(SKILL)
    assert (outcome.finished, outcome.reason, outcome.value, outcome.steps) == (True, "done", 0.75, 9)


def test_a_skill_that_does_not_finish_is_reported_with_its_reason(robot, server):
    server.ends("blocked: something is in the arm's way")
    outcome = robot.execute_skill(SKILL)
    assert not outcome.finished and "blocked" in outcome.reason


def test_a_goal_that_is_rejected_names_server_and_skill(robot, server):
    server.accepts = False
    with pytest.raises(EmbodimentError, match="skill_server rejected 'pick up the red block'"):
        robot.execute_skill(SKILL)


def test_a_skill_that_nobody_offers_is_named(robot):
    other = conversions.skill_from(Skill(name="juggle", phrase="juggle"))
    with pytest.raises(EmbodimentError, match="no skill server offers 'juggle'"):
        robot.execute_skill(other)


def test_a_skill_of_somebody_else_is_not_competed_with(robot, server):
    server.ends(PREEMPTED)
    with pytest.raises(EmbodimentError, match="somebody else has the robot"):
        robot.execute_skill(SKILL)


def test_a_robot_that_somebody_stopped_is_not_competed_with(robot, server):
    server.ends("the robot is stopped")
    robot._take_stop(Bool(data=True))
    with pytest.raises(EmbodimentError, match="the robot was stopped"):
        robot.execute_skill(SKILL)
    with pytest.raises(EmbodimentError, match="the robot is stopped; fmrl resume lets it move again"):
        robot.check_free()
    robot._take_stop(Bool(data=False))
    robot.check_free()
    assert robot.execute_skill(SKILL).reason == "the robot is stopped"


def test_a_skill_is_cancelled_when_it_should_stop(robot, server):
    server.run = until_cancelled(server, signs=True)
    began = time.monotonic()
    robot.should_stop = lambda: time.monotonic() - began > 0.3
    outcome = robot.execute_skill(SKILL)
    assert server.cancelled.is_set() and not outcome.finished and outcome.reason == "cancelled"


def test_a_skill_that_should_stop_before_it_starts_is_not_sent(robot, server):
    server.accepts = False
    robot.should_stop = lambda: True
    assert robot.execute_skill(SKILL).reason == "cancelled"


def test_a_server_that_gives_no_sign_is_named_and_its_skill_cancelled(robot, server, monkeypatch):
    monkeypatch.setattr(ros_embodiment, "_FEEDBACK_TIMEOUT", 0.3)
    server.run = until_cancelled(server, signs=False)
    with pytest.raises(EmbodimentError, match="skill_server has given no sign"):
        robot.execute_skill(SKILL)
    assert server.cancelled.is_set()


def test_a_server_that_does_not_obey_a_cancellation_is_named(robot, server, monkeypatch):
    monkeypatch.setattr(ros_embodiment, "_CANCEL_TIMEOUT", 0.3)
    monkeypatch.setattr(ros_embodiment, "_CANCEL_RETRY_DELAY", 0.05)
    ends = threading.Event()

    def run(goal):
        while not ends.wait(0.05):
            goal.publish_feedback(ExecuteSkill.Feedback())
        return ExecuteSkill.Result(), False

    server.run = run
    began = time.monotonic()
    robot.should_stop = lambda: time.monotonic() - began > 0.2
    with pytest.raises(EmbodimentError, match="was told to cancel 'pick up the red block'"):
        robot.execute_skill(SKILL)
    ends.set()
