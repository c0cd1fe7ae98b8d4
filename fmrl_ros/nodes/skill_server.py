"""Node ``skill_server``: runs a world's skills on the robot, and says how probable their success is."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from fmrl_interfaces.action import ExecuteSkill
from fmrl_interfaces.msg import Scene as SceneMessage
from fmrl_interfaces.msg import SkillLibrary as SkillLibraryMessage
from fmrl_interfaces.srv import ListSkills, ScoreAffordances
from numpy.typing import NDArray
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Bool, Float64MultiArray

from fmrl_ros.nodes.support import conversions
from fmrl_ros.nodes.support.joint_state_feed import JointStateFeed
from fmrl_ros.nodes.support.liveness import Watch
from fmrl_ros.nodes.support.managed import ManagedNode, run
from fmrl_ros.nodes.support.resets import Resets
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.state import JointCommand
from fmrl_ros.skills.execution import Execution
from fmrl_ros.skills.freshness import JOINTS_TIMEOUT, Freshness
from fmrl_ros.skills.library import SkillLibrary
from fmrl_ros.skills.runner import SkillInterruptedError, SkillRunner
from fmrl_ros.worlds.world import load_world

_SCENE_TIMEOUT = 2.0
"""No scene for so many wall seconds is worth a warning."""


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
        self._stopped = False

    def load(self) -> None:
        """Read the policies, and offer action, services and topics."""
        self._profile = load_profile(self.parameter("robot", "franka_sim"))
        folder = self.parameter("policies", "")
        world = load_world(self.parameter("world", "tabletop"))
        library = SkillLibrary.load(
            world, self._profile, Path(folder) if folder else None, self.parameter("device", "auto")
        )
        freshness = Freshness(
            scene_age=self.parameter("scene_age", Freshness.scene_age),
            joints_age=self.parameter("joints_age", Freshness.joints_age),
            patience=self.parameter("patience", Freshness.patience),
        )
        self._watch = Watch(self, [name for name in self.parameter("needs", ["planner"]) if name])
        topics = self._profile.topics
        self._arm = self.create_publisher(Float64MultiArray, topics.arm_commands, 1)
        self._gripper = self.create_publisher(Float64MultiArray, topics.gripper_commands, 1)
        self._runner = SkillRunner(
            library,
            self,
            lambda: self.now,
            freshness,
            self._blocked,
            self.get_logger().error,
            lambda: self._joints.absence(),
        )
        self._resets = Resets(self, self._runner.begin_epoch)  # before the joint states that show it
        self._joints = JointStateFeed(self, self._profile, self._runner.take_state, self._runner.refuse_state)
        retained = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._announcement = self.create_publisher(SkillLibraryMessage, "skill_library", retained)
        self.create_subscription(
            SceneMessage,
            "scene",
            lambda message: self._runner.take_scene(conversions.scene_from(message)),
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
            skills=[conversions.skill_message(skill) for skill in library.skills],
            execute_action=self.resolve_service_name("execute_skill"),
            score_service=score.service_name,
            list_service=listing.service_name,
        )

    def serve(self) -> None:
        """Announce the skills."""
        self._announcement.publish(self._offer)

    def halt(self) -> None:
        """Stop the running skill and withdraw the skills."""
        if hasattr(self, "_offer"):
            self._runner.wait_until_idle(timeout=2.0)
            self._announcement.publish(SkillLibraryMessage(server_name=self._offer.server_name))

    def unload(self) -> None:
        """Take the action away."""
        if hasattr(self, "_action"):
            self._resets.close()
            self._action.destroy()
            del self._action

    def status(self) -> tuple[int, str, Mapping[str, Any]]:
        """Report the running skill and how fresh its inputs are."""
        if not self.active:
            return DiagnosticStatus.OK, "inactive", {}
        runner = self._runner
        message = runner.refusal or (f"executing: {runner.running}" if runner.running else "waiting")
        missing = (
            bool(runner.refusal) or runner.joints_silence > JOINTS_TIMEOUT or runner.scene_silence > _SCENE_TIMEOUT
        )
        values = {
            "scene_silence_s": f"{runner.scene_silence:.2f}",
            "joints_silence_s": f"{runner.joints_silence:.2f}",
            "skills_executed": runner.executed,
        }
        return DiagnosticStatus.WARN if missing else DiagnosticStatus.OK, message, values

    def send(self, command: JointCommand) -> None:
        """Publish a command of arm and gripper."""
        self._arm.publish(Float64MultiArray(data=[float(value) for value in command.q]))
        self._gripper.publish(Float64MultiArray(data=[float(command.finger)]))

    def hold(self, q: NDArray[np.float64]) -> None:
        """Publish a command that holds the arm at joint positions, shape [n], rad."""
        self._arm.publish(Float64MultiArray(data=q.tolist()))

    def _blocked(self) -> str:
        """Return why the robot may not move now; empty if it may."""
        if self._stopped:
            return "the robot is stopped; fmrl resume frees it"
        gone = self._watch.gone()
        return f"{gone} is gone" if gone else ""

    def _take_stop(self, message: Bool) -> None:
        self._stopped = message.data

    def _list(self, _: ListSkills.Request, response: ListSkills.Response) -> ListSkills.Response:
        response.skills = self._offer.skills
        return response

    def _score(self, request: ScoreAffordances.Request, response: ScoreAffordances.Response) -> Any:
        try:
            if not self.active:
                raise SkillInterruptedError("skill_server is not active")
            skills = [conversions.skill_from(message) for message in request.skills]
            response.affordances = self._runner.affordances(skills).tolist()
            response.success = True
        except (SkillInterruptedError, ValueError) as error:
            response.success, response.message = False, str(error)
        except Exception as error:
            self.get_logger().error(traceback.format_exc())
            response.success, response.message = False, f"scoring broke: {error!r}"
        return response

    def _execute(self, goal: ServerGoalHandle) -> ExecuteSkill.Result:
        """Run the skill that a goal names, and say how it ended."""

        def withdrawn() -> str:
            if goal.is_cancel_requested:
                return "cancelled"
            return "" if self.active else "skill_server was deactivated"

        def feed_back(execution: Execution) -> None:
            goal.publish_feedback(
                ExecuteSkill.Feedback(
                    value=float(execution.value), progress=float(execution.progress), step=int(execution.steps)
                )
            )

        result = self._runner.run(conversions.skill_from(goal.request.skill), withdrawn, feed_back)
        if goal.is_cancel_requested:
            goal.canceled()
        elif result.finished:
            goal.succeed()
        else:
            goal.abort()
        return ExecuteSkill.Result(
            finished=result.finished, reason=result.reason, value=result.value, steps=result.steps
        )


def main(args: list[str] | None = None) -> None:
    """Run the node."""
    run(SkillServerNode, args=args)


if __name__ == "__main__":
    main()
