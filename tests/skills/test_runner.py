"""What a skill does between two states: it waits, paces its commands, holds the arm, gives way and says why it ended.

The robot here goes where it is commanded to, ten times as fast as a real one.
"""

import threading
import time

import numpy as np
import pytest

from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.state import RobotState
from fmrl_ros.skills.control import CONTROL_PERIOD
from fmrl_ros.skills.freshness import Freshness
from fmrl_ros.skills.library import SkillLibrary
from fmrl_ros.skills.observation import SIZE
from fmrl_ros.skills.policy import Layer, Policy
from fmrl_ros.skills.result import PREEMPTED
from fmrl_ros.skills.runner import SkillInterruptedError, SkillRunner
from fmrl_ros.worlds.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.world import Skill, load_world

PROFILE = load_profile("franka_sim")
HOME = PROFILE.home

WORLD = load_world("tabletop")
STILL = (Layer(np.zeros((4, SIZE), np.float32), np.array([0, 0, 0, -5], np.float32)),)
CRITIC = (Layer(np.zeros((1, SIZE + 4), np.float32), np.zeros(1, np.float32)),)
LIBRARY = SkillLibrary(WORLD, {"pick": Policy(STILL, (CRITIC, CRITIC))}, PROFILE)
PICK, OTHER = WORLD.skill("pick up the red block"), WORLD.skill("pick up the green block")
BLOCKS = tuple(
    SceneObject(name, "block", (0.5, y, 0.02), 0.0, (0.04, 0.04, 0.04), 0.9)
    for name, y in (("red block", 0.0), ("green block", 0.1))
)
SPEED = 10


class Robot:
    """A robot with perfect motors, and cameras that see the same at every time."""

    def __init__(self, library=LIBRARY, relations=(), patience=0.5):
        self.stamp, self.q = 5.0, HOME.copy()
        self.relations, self.obstacle, self.errors = relations, "", []
        self.commands, self.held = [], []
        self.drives, self.sees, self.ticks = True, True, True
        self.runner = SkillRunner(
            library, self, lambda: self.stamp, Freshness(0.5, 0.2, patience), lambda: self.obstacle, self.errors.append
        )
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._live)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()

    def send(self, command):
        self.commands.append(command)
        self.q = np.array(command.q)

    def hold(self, q):
        self.held.append(q)

    def show(self):
        if self.sees:
            self.runner.take_scene(Scene(self.stamp, BLOCKS, tuple(self.relations)))
        if self.drives:
            self.runner.take_state(RobotState(self.stamp, self.q.copy(), np.zeros(7), 0.04))

    def _live(self):
        while not self._ends.wait(CONTROL_PERIOD / 5 / SPEED):
            self.stamp += CONTROL_PERIOD / 5 if self.ticks else 0.0
            self.show()


def nothing():
    return ""


def run(robot, skill=PICK, withdrawn=nothing, feedback=lambda execution: None):
    return robot.runner.run(skill, withdrawn, feedback)


def in_background(robot, **arguments):
    """Start a skill and return once it has sent a command: its thread, and where its result will be."""
    results = []
    thread = threading.Thread(target=lambda: results.append(run(robot, **arguments)))
    thread.start()
    deadline = time.monotonic() + 10
    while not robot.commands and thread.is_alive():
        assert time.monotonic() < deadline, "no command was sent"
        time.sleep(0.005)
    return thread, results


def test_a_skill_whose_condition_is_met_has_finished():
    with Robot(relations=[Relation("red block", "held")]) as robot:
        result = run(robot)
    assert result.finished and result.reason == "done"
    assert result.steps == len(robot.commands) >= 1
    assert result.value == pytest.approx(0.5)


def test_a_skill_sends_one_command_and_one_report_a_step():
    reports = []
    with Robot() as robot:
        result = run(robot, feedback=lambda execution: reports.append(execution.steps))
    assert not result.finished and "timed out after 80 steps" in result.reason
    assert len(robot.commands) == result.steps == len(reports) > 80
    assert not robot.held


def test_a_skill_gives_way_to_a_newer_one():
    with Robot() as robot:
        thread, results = in_background(robot)
        robot.relations = [Relation("green block", "held")]
        second = run(robot, OTHER)
        thread.join()
    assert second.finished
    assert not results[0].finished and results[0].reason == PREEMPTED
    assert robot.runner.executed == 2 and robot.runner.running == ""


def test_a_skill_that_is_withdrawn_holds_the_arm():
    with Robot() as robot:
        result = run(robot, withdrawn=lambda: "cancelled" if len(robot.commands) > 3 else "")
    assert not result.finished and result.reason == "cancelled" and result.steps == 4
    assert np.allclose(robot.held, HOME, atol=0.05)


def test_a_robot_that_may_not_move_starts_no_skill():
    with Robot() as robot:
        robot.obstacle = "the robot is stopped"
        result = run(robot)
    assert result.reason == "the robot is stopped" and result.steps == 0
    assert not robot.commands


def test_a_robot_that_may_not_move_any_longer_ends_a_skill():
    with Robot() as robot:
        thread, results = in_background(robot)
        robot.obstacle = "planner is gone"
        thread.join()
    assert results[0].reason == "planner is gone"
    assert len(robot.held) == 1


def test_without_fresh_scenes_the_arm_is_held_and_the_skill_ends():
    with Robot() as robot:
        thread, results = in_background(robot)
        robot.sees = False
        thread.join()
    assert "scene older than 0.5 s" in results[0].reason
    assert len(robot.held) == 1


def test_a_driver_that_falls_silent_ends_a_skill_and_is_sent_nothing_more():
    with Robot() as robot:
        thread, results = in_background(robot)
        robot.drives = robot.ticks = False
        thread.join()
    assert "no joint_states for 1.0 s" in results[0].reason
    assert not robot.held


def test_a_scene_of_the_time_before_the_driver_was_restarted_is_dropped():
    robot = Robot(patience=0.1)
    robot.stamp = 100.0
    robot.show()
    robot.sees, robot.stamp = False, 99.9
    robot.show()
    assert robot.runner.fresh_inputs()[0].stamp == 100.0, "messages that overtake each other are no restart"
    robot.stamp = 0.0
    robot.show()
    with pytest.raises(SkillInterruptedError, match="no scene received"):
        robot.runner.fresh_inputs()


def test_a_driver_that_is_restarted_ends_a_skill():
    with Robot() as robot:
        thread, results = in_background(robot)
        robot.stamp = 0.0
        thread.join()
    assert "time has jumped back" in results[0].reason


def wait_while_stamps_stand_still(clock, seconds):
    """Run a skill while the same joint state comes again and again; return its result, or None if it goes on."""
    with Robot() as robot:
        ended = threading.Event()
        thread, results = in_background(robot, withdrawn=lambda: "cancelled" if ended.is_set() else "")
        robot.ticks, stamp, began = False, robot.stamp, time.monotonic()
        robot.runner._now = lambda: stamp + clock(time.monotonic() - began)
        thread.join(timeout=seconds)
        goes_on = thread.is_alive()
        ended.set()
        thread.join()
    return None if goes_on else results[0]


def test_a_skill_ends_when_the_stamps_of_the_joints_stand_still():
    result = wait_while_stamps_stand_still(lambda elapsed: elapsed, seconds=5.0)
    assert result.reason == "joint_states older than 0.2 s; is the robot's driver running?"


@pytest.mark.parametrize(
    "clock", [lambda elapsed: 0.0, lambda elapsed: float(elapsed > 1.45)], ids=["paused", "held up"]
)
def test_a_skill_waits_while_the_time_stands_still_and_is_not_ended_by_one_jump(clock):
    assert wait_while_stamps_stand_still(clock, seconds=1.7) is None


def test_a_skill_ends_when_the_time_stands_still_for_long():
    result = wait_while_stamps_stand_still(lambda elapsed: 0.0, seconds=15.0)
    assert result.reason == "time has stood still for 5.0 s; is the simulation paused?"


def test_a_skill_that_the_library_lacks_is_refused_with_the_valid_ones():
    with Robot() as robot:
        result = run(robot, Skill("juggle", (), "juggle the blocks"))
    assert not result.finished and "juggle the blocks" in result.reason and "pick up the red block" in result.reason


class BrokenLibrary(SkillLibrary):
    def start(self, skill, scene, state):
        raise IndexError("no such argument")


def test_a_skill_that_breaks_is_a_result_and_frees_the_robot():
    with Robot(BrokenLibrary(WORLD, {}, PROFILE)) as robot:
        result = run(robot)
        assert robot.runner.wait_until_idle(timeout=1.0)
    assert not result.finished and "the skill broke" in result.reason and "no such argument" in result.reason
    assert "pick up the red block" in robot.errors[0]


REFUSAL = "joint_states of /driver: fr3_joint2 is nan, not a finite number"


def test_joint_states_that_are_refused_end_a_skill_with_the_reason_and_no_further_command():
    with Robot() as robot:
        thread, results = in_background(robot)
        robot.runner.take_state = lambda state: robot.runner.refuse_state(REFUSAL)
        sent = len(robot.commands) + 1
        thread.join()
    assert results[0].reason == REFUSAL
    assert len(robot.commands) <= sent
    assert not robot.held, "where the arm is, is not known"


def test_a_skill_does_not_go_on_with_an_arm_that_was_reset_meanwhile():
    with Robot() as robot:
        thread, results = in_background(robot)
        take = robot.runner.take_state
        robot.runner.take_state = lambda state: robot.runner.refuse_state(REFUSAL)
        thread.join(timeout=5.0)
        robot.runner.take_state = take
        assert not thread.is_alive() and results[0].reason == REFUSAL
        robot.relations = [Relation("red block", "held")]
        assert run(robot).finished, "the next one begins once joint states are trusted again"


def test_a_skill_does_not_begin_while_joint_states_are_refused():
    robot = Robot(patience=0.1)
    robot.runner.take_state = lambda state: robot.runner.refuse_state(REFUSAL)
    with robot:
        assert run(robot).reason == REFUSAL
        assert robot.runner.refusal == REFUSAL
        with pytest.raises(SkillInterruptedError, match="fr3_joint2 is nan"):
            robot.runner.affordances([PICK])
        assert not robot.commands


def test_a_joint_state_that_is_taken_ends_a_refusal():
    robot = Robot(patience=0.1)
    robot.runner.refuse_state(REFUSAL)
    robot.show()
    assert robot.runner.refusal == ""
    assert robot.runner.fresh_inputs()


def test_a_robot_that_sends_nothing_is_answered_with_the_cause_that_is_known():
    cause = "nobody publishes /joint_states"
    robot = Robot()
    runner = SkillRunner(LIBRARY, robot, lambda: 5.0, Freshness(0.5, 0.2, 0.1), absence=lambda: cause)
    assert runner.run(PICK, nothing, lambda execution: None).reason == f"no joint_states for 1.0 s; {cause}"


def test_affordances_are_those_of_the_library_now():
    with Robot() as robot:
        assert robot.runner.affordances([PICK, OTHER]) == pytest.approx([0.5, 0.5])


def test_affordances_need_a_scene():
    robot = Robot(patience=0.1)
    robot.sees = False
    robot.show()
    with pytest.raises(SkillInterruptedError, match="no scene received"):
        robot.runner.affordances([PICK])


def test_a_runner_with_a_running_skill_is_not_idle():
    with Robot() as robot:
        thread, _ = in_background(robot)
        assert robot.runner.running == "pick up the red block"
        assert not robot.runner.wait_until_idle(timeout=0.01)
        robot.obstacle = "the robot is stopped"
        assert robot.runner.wait_until_idle(timeout=5.0)
        thread.join()


def test_a_reset_ends_a_skill_with_the_cause_and_the_arm_is_not_sent_back():
    with Robot() as robot:
        thread, results = in_background(robot)
        robot.runner.begin_epoch(robot.stamp)
        thread.join(timeout=5.0)
        assert not thread.is_alive()
        assert results[0].reason == f"the world was reset while it should {PICK.phrase}" and not results[0].finished
        assert not robot.held
        robot.relations = [Relation("red block", "held")]
        assert run(robot).finished, "the next one begins in the new world"


def test_a_skill_that_ends_as_the_world_is_reset_has_not_finished():
    with Robot(relations=[Relation("red block", "held")]) as robot:
        result = run(robot, feedback=lambda execution: robot.runner.begin_epoch(robot.stamp))
    assert not result.finished and "the world was reset" in result.reason


def test_a_scene_of_before_a_reset_is_not_acted_on():
    robot = Robot(patience=0.1)
    robot.show()
    robot.runner.begin_epoch(robot.stamp + 0.1)
    robot.show()
    with pytest.raises(SkillInterruptedError, match="no scene received"):
        robot.runner.fresh_inputs()
    robot.stamp += 0.2
    robot.show()
    assert robot.runner.fresh_inputs()
