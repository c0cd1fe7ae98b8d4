"""How the node turns goals, requests and joint states into a runner's arguments, and results into answers."""

from types import SimpleNamespace

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from fmrl_interfaces.srv import ScoreAffordances

from fmrl_ros.nodes.skill_server import SkillServerNode
from fmrl_ros.nodes.support import conversions
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.state import JointCommand
from fmrl_ros.skills.result import SkillResult
from fmrl_ros.skills.runner import SkillInterruptedError
from fmrl_ros.worlds.world import load_world

PROFILE = load_profile("franka_sim")
PICK = load_world("tabletop").skill("pick up the red block")


class Runner:
    """Ends every skill at once with `result`; `states` are what it was given."""

    result = SkillResult(True, "done", 0.75, 12)

    running, executed, scene_silence, joints_silence = "", 0, 0.0, 0.0

    def __init__(self):
        self.states, self.refusal = [], ""

    def refuse_state(self, reason):
        self.refusal = reason

    def take_state(self, state):
        self.states.append(state)

    def affordances(self, skills):
        return np.array([0.25] * len(skills))

    def run(self, skill, withdrawn, feedback):
        self.skill, self.withdrawn = skill, withdrawn
        feedback(SimpleNamespace(value=0.5, progress=0.25, steps=3))
        return self.result


class Publisher(list):
    def publish(self, message):
        self.append(list(message.data))


class Server(SkillServerNode):
    """As it is once it is active, without ROS."""

    errors = ()

    def __init__(self):
        self.active, self._stopped, self._profile = True, False, PROFILE
        self._runner, self._arm, self._gripper = Runner(), Publisher(), Publisher()
        self._watch = SimpleNamespace(gone=lambda: None)

    def get_logger(self):
        return SimpleNamespace(error=lambda text: setattr(self, "errors", (*self.errors, text)))


class Goal:
    def __init__(self):
        self.request = SimpleNamespace(skill=conversions.skill_message(PICK))
        self.is_cancel_requested, self.status, self.feedback = False, "", []

    def publish_feedback(self, message):
        self.feedback.append((message.value, message.progress, message.step))

    def succeed(self):
        self.status = "succeeded"

    def abort(self):
        self.status = "aborted"

    def canceled(self):
        self.status = "canceled"


@pytest.fixture
def server():
    return Server()


@pytest.fixture
def goal():
    return Goal()


def test_a_goal_runs_its_skill_and_answers_with_the_result(server, goal):
    answer = server._execute(goal)
    assert server._runner.skill == PICK
    assert (answer.finished, answer.reason, answer.value, answer.steps) == (True, "done", 0.75, 12)
    assert goal.status == "succeeded" and goal.feedback == [(0.5, 0.25, 3)]


def test_a_skill_that_has_not_finished_aborts_its_goal(server, goal):
    server._runner.result = SkillResult(False, "blocked")
    assert server._execute(goal).reason == "blocked"
    assert goal.status == "aborted"


def test_a_cancelled_goal_ends_cancelled(server, goal):
    server._execute(goal)
    goal.is_cancel_requested = True
    assert server._runner.withdrawn() == "cancelled"
    server._execute(goal)
    assert goal.status == "canceled"


def test_a_deactivated_node_withdraws_its_skill(server, goal):
    server._execute(goal)
    assert server._runner.withdrawn() == ""
    server.active = False
    assert server._runner.withdrawn() == "skill_server was deactivated"


def test_a_stop_and_a_node_that_has_died_keep_the_robot_from_moving(server):
    assert server._blocked() == ""
    server._watch = SimpleNamespace(gone=lambda: "planner")
    assert server._blocked() == "planner is gone"
    server._stopped = True
    assert "fmrl resume" in server._blocked()


def test_a_command_moves_arm_and_hand_and_holding_moves_the_arm_alone(server):
    server.send(JointCommand(np.arange(7.0), 0.04))
    server.hold(np.ones(7))
    assert server._arm == [[0, 1, 2, 3, 4, 5, 6], [1.0] * 7]
    assert server._gripper == [[0.04]]


def test_why_joint_states_are_refused_is_shown_in_the_diagnostics(server):
    server._runner.refusal = "joint_states of /driver: fr3_joint2 is nan, not a finite number"
    assert server.status()[:2] == (DiagnosticStatus.WARN, server._runner.refusal)


def score(server):
    request = ScoreAffordances.Request(skills=[conversions.skill_message(PICK)])
    return server._score(request, ScoreAffordances.Response())


def test_affordances_are_answered_in_one_batch(server):
    answer = score(server)
    assert answer.success and list(answer.affordances) == [0.25]


def test_an_inactive_node_scores_nothing(server):
    server.active = False
    answer = score(server)
    assert not answer.success and answer.message == "skill_server is not active"


def test_inputs_that_are_not_fresh_are_an_answer(server):
    def refuse(skills):
        raise SkillInterruptedError("no scene received; is scene_describer running?")

    server._runner.affordances = refuse
    answer = score(server)
    assert not answer.success and "no scene received" in answer.message
    assert not server.errors


def test_a_library_that_breaks_is_an_answer(server):
    def break_down(skills):
        raise IndexError("no such argument")

    server._runner.affordances = break_down
    answer = score(server)
    assert not answer.success and "no such argument" in answer.message
    assert "Traceback" in server.errors[0]
