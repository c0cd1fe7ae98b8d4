"""Node ``skill_server``: runs a world's skills on the robot, and says how probable their success is."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from fmrl_interfaces.action import ExecuteSkill
from fmrl_interfaces.msg import Scene as SceneMessage
from fmrl_interfaces.msg import SkillLibrary as SkillLibraryMessage
from fmrl_interfaces.srv import ListSkills, ScoreAffordances
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64MultiArray

from fmrl_ros.nodes.support import conversions
from fmrl_ros.nodes.support.conversions import PREEMPTED
from fmrl_ros.nodes.support.latest import Latest
from fmrl_ros.nodes.support.liveness import Watch
from fmrl_ros.nodes.support.managed import ManagedNode, run
from fmrl_ros.robot.metronome import Metronome
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.state import JointCommand, RobotState
from fmrl_ros.skills.control import CONTROL_PERIOD
from fmrl_ros.skills.library import SkillLibrary
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import load_world

_SILENCE = 1.0
"""No joint_states for so many wall seconds means that the driver, or a simulation's clock, has stopped."""

_WAIT = 0.25
"""A running skill waits for the next joint state in pieces of this, wall s, and looks in between whether it may."""

_DELAY = 0.02
"""From a joint state to the command that is made from it, s: more than that takes, so that commands come evenly."""


class _Interrupted(Exception):
    """A skill cannot go on; the message says why."""


class SkillServerNode(ManagedNode):
    """Runs one skill at a time; a new goal preempts the one that is running.

    Parameters: ``world``, ``robot`` (profile name or file), ``policies`` (folder; empty for the package's),
    ``device`` (computes affordances: ``auto``, ``numpy``, ``torch`` or ``cuda``),
    ``scene_age`` and ``joints_age`` (oldest that a skill works with, and furthest ahead of the time, s), ``patience``
    (a skill holds the arm for so long when they are not so, then ends, wall s), ``needs`` (nodes whose death ends a
    running skill).
    """

    def __init__(self) -> None:
        super().__init__("skill_server")
        self._scene: Latest[Scene] = Latest()
        self._state: Latest[RobotState] = Latest()
        self._turn = threading.Lock()
        self._newest: ServerGoalHandle | None = None
        self._brain = threading.Lock()
        self._stopped = False
        self._metronome = Metronome(CONTROL_PERIOD, _DELAY)
        self._running = ""
        self._executed = 0

    def load(self) -> None:
        """Read the policies, and offer action, services and topics."""
        self._profile = load_profile(self.parameter("robot", "franka_sim"))
        folder = self.parameter("policies", "")
        world = load_world(self.parameter("world", "tabletop"))
        self._library = SkillLibrary.load(world, Path(folder) if folder else None, self.parameter("device", "auto"))
        self._scene_age = float(self.parameter("scene_age", 0.5))
        self._joints_age = float(self.parameter("joints_age", 0.2))
        self._patience = float(self.parameter("patience", 1.0))
        self._watch = Watch(self, [name for name in self.parameter("needs", ["planner"]) if name])
        topics = self._profile.topics
        self._arm = self.create_publisher(Float64MultiArray, topics.arm_commands, 1)
        self._gripper = self.create_publisher(Float64MultiArray, topics.gripper_commands, 1)
        retained = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._announcement = self.create_publisher(SkillLibraryMessage, "skill_library", retained)
        self.create_subscription(JointState, topics.joint_states, self._take_joints, 1)
        self.create_subscription(
            SceneMessage,
            "scene",
            lambda message: self._scene.set(conversions.scene_from(message)),
            1,
        )
        self.create_subscription(Bool, "stopped", self._take_stop, retained)
        patient = ReentrantCallbackGroup()
        score = self.create_service(ScoreAffordances, "score_affordances", self._score, callback_group=patient)
        listing = self.create_service(ListSkills, "list_skills", self._list)
        self._action = ActionServer(
            self,
            ExecuteSkill,
            "execute_skill",
            self._execute,
            callback_group=patient,
            goal_callback=lambda goal: GoalResponse.ACCEPT if self.active else GoalResponse.REJECT,
            cancel_callback=lambda goal: CancelResponse.ACCEPT,
        )
        self._offer = SkillLibraryMessage(
            server_name=self.get_fully_qualified_name(),
            skills=[conversions.skill_message(skill) for skill in self._library.skills],
            execute_action=self.resolve_service_name("execute_skill"),
            score_service=score.service_name,
            list_service=listing.service_name,
        )

    def serve(self) -> None:
        """Announce the skills."""
        self._announcement.publish(self._offer)

    def halt(self) -> None:
        """Stop the running skill and withdraw the skills."""
        if self._turn.acquire(timeout=2.0):
            self._turn.release()
        if hasattr(self, "_offer"):
            self._announcement.publish(SkillLibraryMessage(server_name=self._offer.server_name))

    def unload(self) -> None:
        """Take the action away."""
        if hasattr(self, "_action"):
            self._action.destroy()
            del self._action

    def status(self) -> tuple[int, str, Mapping[str, Any]]:
        """Report the running skill and how fresh its inputs are."""
        if not self.active:
            return DiagnosticStatus.OK, "inactive", {}
        message = f"executing: {self._running}" if self._running else "waiting"
        ages = {"scene_silence_s": f"{self._scene.silence:.2f}", "joints_silence_s": f"{self._state.silence:.2f}"}
        missing = self._state.silence > _SILENCE or self._scene.silence > 2.0
        level = DiagnosticStatus.WARN if missing else DiagnosticStatus.OK
        return level, message, {**ages, "skills_executed": self._executed}

    def _take_stop(self, message: Bool) -> None:
        self._stopped = message.data

    def _take_joints(self, message: JointState) -> None:
        state, last = conversions.robot_state_from(message, self._profile), self._state.value
        if state is None:
            return
        if last is not None and state.stamp < last.stamp - self._joints_age:
            self._scene.forget()  # of the time before the driver was restarted
        self._state.set(state)

    def _list(self, _: ListSkills.Request, response: ListSkills.Response) -> ListSkills.Response:
        response.skills = self._offer.skills
        return response

    def _score(self, request: ScoreAffordances.Request, response: ScoreAffordances.Response) -> Any:
        try:
            if not self.active:
                raise _Interrupted("skill_server is not active")
            scene, state = self._inputs()
            skills = [conversions.skill_from(message) for message in request.skills]
            with self._brain:
                response.affordances = self._library.affordances(skills, scene, state).tolist()
            response.success = True
        except (_Interrupted, ValueError) as error:
            response.success, response.message = False, str(error)
        except Exception as error:
            self.get_logger().error(traceback.format_exc())
            response.success, response.message = False, f"scoring broke: {error!r}"
        return response

    def _execute(self, goal: ServerGoalHandle) -> ExecuteSkill.Result:
        """Take the robot over from whatever skill has it, and run this one to its end."""
        self._newest = goal
        if not self._turn.acquire(timeout=5.0):
            goal.abort()
            return ExecuteSkill.Result(reason="the running skill did not give way")
        result = ExecuteSkill.Result()
        try:
            self._running = goal.request.skill.phrase
            self._check(goal)
            self._drive(goal, result)
        except (_Interrupted, ValueError) as error:
            result.finished, result.reason = False, str(error)
        except Exception as error:
            self.get_logger().error(f"{self._running}: {error!r}")
            result.finished, result.reason = False, f"the skill broke: {error!r}"
        finally:
            self._running = ""
            self._executed += 1
            self._turn.release()
        if goal.is_cancel_requested:
            goal.canceled()
        elif result.finished:
            goal.succeed()
        else:
            goal.abort()
        return result

    def _drive(self, goal: ServerGoalHandle, result: ExecuteSkill.Result) -> None:
        """Step the skill's execution on every control period of the joint states' own stamps."""
        scene, state = self._inputs()
        with self._brain:
            execution = self._library.start(conversions.skill_from(goal.request.skill), scene, state)
        due, held_since = state.stamp, 0.0
        try:
            while not execution.over:
                state = self._next_state(goal, due, execution)
                arrival = time.monotonic()
                due = max(due + CONTROL_PERIOD, state.stamp + CONTROL_PERIOD / 2)
                newest = self._scene.value
                stale = self._stale(newest, state)
                if stale or newest is None:
                    held_since = held_since or time.monotonic()
                    if time.monotonic() - held_since > self._patience:
                        raise _Interrupted(stale)
                    continue
                held_since = 0.0
                with self._brain:
                    command = execution.step(newest, state)
                self._metronome.wait(arrival, state.stamp)
                self._publish(command)
                self._feed_back(goal, execution)
        except _Interrupted:
            if self._state.silence < _SILENCE and self._state.value is not None:
                self._arm.publish(Float64MultiArray(data=self._state.value.q.tolist()))
            raise
        finally:
            result.value, result.steps = float(execution.value), int(execution.steps)
        result.finished, result.reason = bool(execution.finished), execution.reason

    def _next_state(self, goal: ServerGoalHandle, due: float, execution: Any) -> RobotState:
        """Wait for the first joint state of the next control period; raise if the skill shall not go on.

        Silence, and stamps that stand still while time goes on, are counted in waits, not read off the clock: when this
        process was itself held up, the states are there once it runs again.
        """
        heard, waits, late = self._state.value, 0, 0
        while True:
            self._check(goal)
            state = self._state.wait(lambda s: s.stamp >= due - 1e-6, timeout=_WAIT)
            if state is not None:
                return state
            newest = self._state.value
            heard, waits = newest, waits + 1 if newest is heard else 0
            if waits * _WAIT >= _SILENCE:
                raise _Interrupted(f"no joint_states for {_SILENCE} s; is the robot's driver running?")
            if newest is not None and newest.stamp < due - 1.0:
                raise _Interrupted("time has jumped back; was the robot's driver restarted?")
            late = late + 1 if newest is not None and self.now - newest.stamp > self._joints_age else 0
            if late * _WAIT > self._patience:
                raise _Interrupted(self._stale(self._scene.value, newest))
            self._feed_back(goal, execution)

    def _check(self, goal: ServerGoalHandle) -> None:
        """Raise if a skill may not move the robot, or no longer."""
        if goal.is_cancel_requested:
            raise _Interrupted("cancelled")
        if not self.active:
            raise _Interrupted("skill_server was deactivated")
        if self._newest is not goal:
            raise _Interrupted(PREEMPTED)
        if self._stopped:
            raise _Interrupted("the robot is stopped; fmrl resume frees it")
        gone = self._watch.gone()
        if gone:
            raise _Interrupted(f"{gone} is gone")

    def _inputs(self) -> tuple[Scene, RobotState]:
        """Return a fresh scene and robot state, waiting for them for a while."""
        deadline = time.monotonic() + self._patience
        while True:
            scene, state = self._scene.value, self._state.value
            stale = self._stale(scene, state)
            if scene is not None and state is not None and not stale:
                return scene, state
            if time.monotonic() > deadline:
                raise _Interrupted(stale)
            time.sleep(0.02)

    def _stale(self, scene: Scene | None, state: RobotState | None) -> str:
        """Return why the newest scene and robot state are not fit to act on, or nothing."""
        if state is None or self._state.silence > _SILENCE:
            return f"no joint_states for {_SILENCE} s; is the robot's driver running?"
        now, ahead = self.now, "ahead of the time; do clocks differ, or was the robot's driver restarted?"
        if now - state.stamp > self._joints_age:
            return f"joint_states older than {self._joints_age} s; is the robot's driver running?"
        if state.stamp - now > self._joints_age:
            return f"joint_states more than {self._joints_age} s {ahead}"
        if scene is None:
            return "no scene received; is scene_describer running?"
        age = max(now, state.stamp) - scene.stamp
        if age > self._scene_age:
            return f"scene older than {self._scene_age} s; is scene_describer running?"
        if -age > self._scene_age:
            return f"scene more than {self._scene_age} s {ahead}"
        return ""

    def _publish(self, command: JointCommand) -> None:
        self._arm.publish(Float64MultiArray(data=[float(value) for value in command.q]))
        self._gripper.publish(Float64MultiArray(data=[float(command.finger)]))

    def _feed_back(self, goal: ServerGoalHandle, execution: Any) -> None:
        goal.publish_feedback(
            ExecuteSkill.Feedback(
                value=float(execution.value), progress=float(execution.progress), step=int(execution.steps)
            )
        )


def main(args: list[str] | None = None) -> None:
    """Run the node."""
    run(SkillServerNode, args=args)


if __name__ == "__main__":
    main()
