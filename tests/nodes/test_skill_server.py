"""What a skill works with, and when it gives up; without ROS's time and topics."""

import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from fmrl_interfaces.srv import ScoreAffordances

from fmrl_ros.nodes.skill_server import SkillServerNode, _Interrupted
from fmrl_ros.nodes.support import conversions
from fmrl_ros.nodes.support.latest import Latest
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.state import RobotState
from fmrl_ros.worlds.scene import Scene

PROFILE = load_profile("franka_sim")


class Server(SkillServerNode):
    """As it is once it is active, with a time that tests set."""

    now = 0.0
    errors = ()

    def __init__(self):
        self.active = True
        self._scene, self._state = Latest(), Latest()
        self._scene_age, self._joints_age, self._patience = 0.5, 0.2, 0.5
        self._profile, self._stopped, self._newest = PROFILE, False, None
        self._brain = threading.Lock()
        self._watch = SimpleNamespace(gone=lambda: "")

    def get_logger(self):
        return SimpleNamespace(error=lambda text: setattr(self, "errors", (*self.errors, text)))

    def _feed_back(self, goal, execution):
        pass


@pytest.fixture
def server():
    return Server()


def see(server, stamp):
    server._scene.set(Scene(stamp, ()))


def feel(server, stamp):
    joints = (*PROFILE.joints, *PROFILE.gripper_joints)
    server._take_joints(conversions.joint_state_message(joints, stamp, np.zeros(len(joints)), np.zeros(len(joints))))


@pytest.mark.parametrize(
    ("now", "joints", "scene", "words"),
    [
        (5.0, 5.1, 5.2, None),
        (5.0, 4.7, 5.0, "joint_states older than 0.2 s"),
        (5.0, 5.3, 5.0, "joint_states more than 0.2 s ahead of the time"),
        (5.0, 5.0, 4.4, "scene older than 0.5 s"),
        (5.0, 5.1, 4.55, "scene older than 0.5 s"),
        (5.0, 5.0, 5.6, "scene more than 0.5 s ahead of the time"),
        (5.0, 5.1, 5.55, None),
    ],
)
def test_what_is_too_old_or_ahead_of_the_time_is_not_worked_with(server, now, joints, scene, words):
    server.now = now
    feel(server, joints)
    see(server, scene)
    if words is None:
        assert server._inputs()[0].stamp == scene
    else:
        with pytest.raises(_Interrupted, match=words):
            server._inputs()


def test_the_scene_is_forgotten_when_the_driver_is_restarted(server):
    feel(server, 100.0)
    see(server, 99.9)
    feel(server, 99.9)
    assert server._scene.value is not None, "messages that overtake each other are no restart"
    feel(server, 0.0)
    server.now = 0.0
    with pytest.raises(_Interrupted, match="no scene received"):
        server._inputs()


def next_state(server, seconds, clock):
    """Wait for a later joint state while the same one comes again and again; return why the skill ended, if it did."""
    server._newest = goal = SimpleNamespace(is_cancel_requested=False)
    began, said = time.monotonic(), []

    def wait():
        try:
            server._next_state(goal, 5.05, None)
        except _Interrupted as reason:
            said.append(str(reason))

    thread = threading.Thread(target=wait)
    feel(server, 5.0)
    see(server, 5.0)
    thread.start()
    while thread.is_alive() and time.monotonic() - began < seconds:
        time.sleep(0.01)
        server.now = 5.0 + clock(time.monotonic() - began)
        server._state.set(RobotState(5.0, np.zeros(7), np.zeros(7), 0.08))
    if thread.is_alive():
        feel(server, 5.1)
    thread.join()
    return said


def test_a_skill_ends_when_the_stamps_of_the_joints_stand_still(server):
    assert next_state(server, 5.0, lambda elapsed: elapsed) == [
        "joint_states older than 0.2 s; is the robot's driver running?"
    ]


@pytest.mark.parametrize(
    "clock", [lambda elapsed: 0.0, lambda elapsed: float(elapsed > 1.45)], ids=["paused", "held up"]
)
def test_a_skill_waits_while_the_time_stands_still_and_is_not_ended_by_one_jump(server, clock):
    assert next_state(server, 1.7, clock) == []


def test_a_library_that_breaks_is_an_answer(server):
    def break_down(skills, scene, state):
        raise IndexError("no such argument")

    server._library = SimpleNamespace(affordances=break_down)
    feel(server, 0.0)
    see(server, 0.0)
    answer = server._score(ScoreAffordances.Request(), ScoreAffordances.Response())
    assert not answer.success and "no such argument" in answer.message
    assert "Traceback" in server.errors[0]
