"""Runs a library's skills on a robot, one at a time: fresh inputs, evenly paced commands, preemption.

It knows joint states, scenes and joint commands, and no middleware; a ROS node, or a test, connects it to a robot.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.epoch import Epoch
from fmrl_ros.robot.latest import Latest
from fmrl_ros.robot.metronome import Metronome
from fmrl_ros.robot.state import JointCommand, RobotState
from fmrl_ros.skills.control import CONTROL_PERIOD
from fmrl_ros.skills.execution import Execution
from fmrl_ros.skills.freshness import JOINTS_TIMEOUT, Freshness, no_joint_states
from fmrl_ros.skills.library import SkillLibrary
from fmrl_ros.skills.result import PREEMPTED, SkillResult
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import Skill

logger = logging.getLogger(__name__)

_POLL_PERIOD = 0.25
"""A running skill looks so often whether it may go on while it waits for the next joint state, wall s."""

_COMMAND_DELAY = 0.02
"""From a joint state to the command made from it, wall s: longer than the computation, so that commands come evenly."""

_TIME_JUMP = 1.0
"""Stamps that lie further behind the control period that is due have jumped back, s."""

_PAUSE_PATIENCE = 5.0
"""A skill goes on after a pause of the simulation that was shorter than this, wall s."""

_PREEMPTION_TIMEOUT = 5.0
"""The skill that is preempted must have ended after so long, wall s."""


class SkillInterruptedError(Exception):
    """A skill cannot start or go on; the message says why."""


class Robot(Protocol):
    """Where a runner's commands go."""

    def send(self, command: JointCommand) -> None:
        """Move arm and hand."""

    def hold(self, q: NDArray[np.float64]) -> None:
        """Hold the arm at joint positions, shape [n], rad, and leave the hand as it is."""


@dataclass
class _Run:
    """One skill that somebody asked for, and how far it has come."""

    skill: Skill
    withdrawn: Callable[[], str]
    feedback: Callable[[Execution], None]
    resets: int
    execution: Execution | None = None

    def report(self) -> None:
        if self.execution is not None:
            self.feedback(self.execution)

    def result(self, finished: bool, reason: str) -> SkillResult:
        if self.execution is None:
            return SkillResult(finished, reason)
        return SkillResult(finished, reason, float(self.execution.value), int(self.execution.steps))


class _Stagnation:
    """For how long the joint states that a skill waits for have been amiss, wall s.

    Counted in polls, not read off the clock: when this process was itself held up, the states are there once it runs
    again.

    Attributes:
      silent: None has come.
      still: They have come with the same stamp.
      late: The newest was too old.
    """

    def __init__(self, newest: RobotState | None) -> None:
        self.silent = self.still = self.late = 0.0
        self._newest = newest

    def count(self, newest: RobotState | None, oldest: float) -> None:
        """Take the newest state at a poll, and the oldest stamp that is not too old, s."""
        before, self._newest = self._newest, newest
        self.silent = self._longer(self.silent, newest is before)
        if newest is not None:
            self.still = self._longer(self.still, before is not None and newest.stamp == before.stamp)
            self.late = self._longer(self.late, newest.stamp < oldest)

    @staticmethod
    def _longer(seconds: float, goes_on: bool) -> float:
        return seconds + _POLL_PERIOD if goes_on else 0.0


class SkillRunner:
    """Runs one skill at a time; a newer one preempts the one that is running. All methods are thread-safe.

    Attributes:
      running: Phrase of the skill that is running; empty if none is.
      executed: How many have ended.
    """

    def __init__(
        self,
        library: SkillLibrary,
        robot: Robot,
        now: Callable[[], float],
        freshness: Freshness | None = None,
        blocked: Callable[[], str] = lambda: "",
        log_error: Callable[[str], object] = logger.error,
        absence: Callable[[], str] = str,
    ) -> None:
        """Create a runner that waits for its first joint state and scene.

        Args:
          library: The skills.
          robot: Where the commands go.
          now: Returns the time by the clock of the stamps, s.
          freshness: How old inputs may be.
          blocked: Returns in words why the robot may not move now, such as a stop; empty if it may.
          log_error: Takes a line on a skill that raised an unexpected error.
          absence: Returns in words why no joint states come; empty if that is not known. Asked only when none do.
        """
        self._library, self._robot, self._now = library, robot, now
        self._freshness, self._blocked, self._log_error = freshness or Freshness(), blocked, log_error
        self._absence = absence
        self._scene: Latest[Scene] = Latest()
        self._state: Latest[RobotState] = Latest()
        self._refusal: Latest[str] = Latest()
        self._epoch = Epoch()
        self._turn = threading.Lock()
        self._computing = threading.Lock()
        self._newest: _Run | None = None
        self._metronome = Metronome(CONTROL_PERIOD, _COMMAND_DELAY)
        self.running, self.executed = "", 0

    # Inputs.

    def take_scene(self, scene: Scene) -> None:
        """Take the newest scene, unless it is of before a reset."""
        if self._epoch.includes(scene.stamp, self._now()):
            self._scene.set(scene)

    def take_state(self, state: RobotState) -> None:
        """Take the newest joint state; after a driver's restart, which its stamp shows, the scene is dropped."""
        last = self._state.value
        if last is not None and state.stamp < last.stamp - self._freshness.joints_age:
            self._scene.clear()
        self._state.set(state)

    def begin_epoch(self, since: float) -> None:
        """Note that the world was put back: a running skill ends, and no scene stamped before `since`, s, counts."""
        self._epoch.begin(since)
        self._scene.clear()

    def refuse_state(self, reason: str) -> None:
        """Note in words why a joint state that came cannot be the arm's: a running skill ends, and none begins."""
        self._refusal.set(reason)

    @property
    def refusal(self) -> str:
        """Why the joint states that come now are refused; empty if the newest was taken, or none comes."""
        reason, silence = self._refusal.value, self._refusal.silence
        return reason if reason and silence < min(self._state.silence, JOINTS_TIMEOUT) else ""

    @property
    def scene_silence(self) -> float:
        """Wall seconds since a scene came."""
        return self._scene.silence

    @property
    def joints_silence(self) -> float:
        """Wall seconds since a joint state came."""
        return self._state.silence

    def fresh_inputs(self) -> tuple[Scene, RobotState]:
        """Return scene and joint state, waiting for fresh ones as long as `Freshness.patience` allows.

        Raises SkillInterruptedError, which says what is missing or too old.
        """
        deadline = time.monotonic() + self._freshness.patience
        while True:
            scene, state = self._scene.value, self._state.value
            defect = self._defect(scene, state)
            if scene is not None and state is not None and not defect:
                return scene, state
            if time.monotonic() > deadline:
                raise SkillInterruptedError(defect)
            time.sleep(0.02)

    def _defect(self, scene: Scene | None, state: RobotState | None) -> str:
        return self.refusal or self._freshness.defect(scene, state, self._now(), self._state.silence, self._absence)

    # Skills.

    def affordances(self, skills: Sequence[Skill]) -> NDArray[np.float64]:
        """Return the probability of success of each skill from here, shape [n].

        Raises:
          SkillInterruptedError: If there is no fresh scene or joint state.
          UnknownNameError: If a skill is not in the library; lists the valid phrases.
        """
        scene, state = self.fresh_inputs()
        with self._computing:
            return self._library.affordances(skills, scene, state)

    def run(self, skill: Skill, withdrawn: Callable[[], str], feedback: Callable[[Execution], None]) -> SkillResult:
        """Take the robot over from the skill that has it, and run this one to its end.

        Args:
          skill: What to do.
          withdrawn: Returns in words why whoever asked for it no longer wants it; empty if they do.
          feedback: Called with the execution after every control step, and now and then while it waits.

        Returns:
          How it ended. An error is no exception but the result's reason.
        """
        run = self._newest = _Run(skill, withdrawn, feedback, self._epoch.count)
        if not self._turn.acquire(timeout=_PREEMPTION_TIMEOUT):
            return SkillResult(False, "the running skill did not give way")
        self.running = skill.phrase
        try:
            self._check(run)
            return self._execute(run)
        except (SkillInterruptedError, ValueError) as error:
            return run.result(False, str(error))
        except Exception as error:
            self._log_error(f"{skill.phrase}: {error!r}")
            return run.result(False, f"the skill broke: {error!r}")
        finally:
            self.running = ""
            self.executed += 1
            self._turn.release()

    def wait_until_idle(self, timeout: float) -> bool:
        """Return True once no skill runs, False after `timeout` wall seconds."""
        if not self._turn.acquire(timeout=timeout):
            return False
        self._turn.release()
        return True

    def _execute(self, run: _Run) -> SkillResult:
        scene, state = self.fresh_inputs()
        with self._computing:
            execution = run.execution = self._library.start(run.skill, scene, state)
        try:
            self._control(run, execution, state.stamp)
            self._check_world(run)
        except SkillInterruptedError:
            self._hold(run)
            raise
        return run.result(bool(execution.finished), execution.reason)

    def _control(self, run: _Run, execution: Execution, due: float) -> None:
        """Step an execution in every control period, by the stamps of the joint states, until it is over."""
        stale_since: float | None = None
        while not execution.over:
            state = self._next_state(run, due)
            arrival = time.monotonic()
            due = max(due + CONTROL_PERIOD, state.stamp + CONTROL_PERIOD / 2)
            scene = self._scene.value
            defect = self._defect(scene, state)
            if defect or scene is None:
                stale_since = arrival if stale_since is None else stale_since
                if time.monotonic() - stale_since > self._freshness.patience:
                    raise SkillInterruptedError(defect)
                continue
            stale_since = None
            with self._computing:
                command = execution.step(scene, state)
            self._metronome.wait(arrival, state.stamp)
            self._robot.send(command)
            run.report()

    def _next_state(self, run: _Run, due: float) -> RobotState:
        """Wait for the first joint state that is stamped `due`, s, or later; raise if the skill shall not go on."""
        stagnation = _Stagnation(self._state.value)
        while True:
            self._check(run)
            if refusal := self.refusal:  # where the arm is now is not known, after a reset somewhere else
                raise SkillInterruptedError(refusal)
            state = self._state.wait(lambda s: s.stamp >= due - 1e-6, timeout=_POLL_PERIOD)
            if state is not None:
                return state
            newest = self._state.value
            stagnation.count(newest, self._now() - self._freshness.joints_age)
            if newest is None or stagnation.silent >= JOINTS_TIMEOUT:
                raise SkillInterruptedError(no_joint_states(self._absence()))
            if stagnation.still >= _PAUSE_PATIENCE:
                raise SkillInterruptedError(f"time has stood still for {_PAUSE_PATIENCE} s; is the simulation paused?")
            if newest.stamp < due - _TIME_JUMP:
                raise SkillInterruptedError("time has jumped back; was the robot's driver restarted?")
            if stagnation.late > self._freshness.patience:
                raise SkillInterruptedError(self._defect(self._scene.value, newest))
            run.report()

    def _check(self, run: _Run) -> None:
        """Raise if a skill may not move the robot, or no longer."""
        if reason := run.withdrawn():
            raise SkillInterruptedError(reason)
        if self._newest is not run:
            raise SkillInterruptedError(PREEMPTED)
        self._check_world(run)
        if reason := self._blocked():
            raise SkillInterruptedError(reason)

    def _check_world(self, run: _Run) -> None:
        """Raise if the world was put back since a skill was asked for."""
        if run.resets != self._epoch.count:
            raise SkillInterruptedError(f"the world was reset while it should {run.skill.phrase}")

    def _hold(self, run: _Run) -> None:
        """Hold the arm where it was measured last.

        A driver that is silent, or not to be believed, is sent nothing: its own watchdog holds the arm where it is. Nor
        is one that has just put the arm elsewhere.
        """
        state = self._state.value
        if run.resets != self._epoch.count:
            return
        if state is not None and self._state.silence < JOINTS_TIMEOUT and not self.refusal:
            self._robot.hold(state.q)
