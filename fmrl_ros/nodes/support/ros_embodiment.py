"""The robot as a planner sees it, over ROS. Every wait is bounded, and a node that dies is named.

Where somebody else takes the robot, by ``stop`` or by a skill of their own, the instruction ends: the planner does not
try again against them.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np
from action_msgs.msg import GoalStatus
from fmrl_interfaces.action import ExecuteSkill
from fmrl_interfaces.msg import SkillLibrary as SkillLibraryMessage
from fmrl_interfaces.srv import DescribeScene, DetectSuccess, ScoreAffordances
from numpy.typing import NDArray
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Bool

from fmrl_ros.nodes.support import conversions
from fmrl_ros.nodes.support.action_client import LiveActionClient
from fmrl_ros.nodes.support.liveness import Watch
from fmrl_ros.nodes.support.resets import Resets
from fmrl_ros.planning.embodiment import EmbodimentError, SkillOutcome
from fmrl_ros.robot.epoch import Epoch
from fmrl_ros.skills.result import PREEMPTED
from fmrl_ros.worlds.scene import Scene, Verdict
from fmrl_ros.worlds.world import Skill

_POLL_PERIOD = 0.1
"""While it waits, it looks so often whether a node that is needed has died, s."""
_DISCOVERY_TIMEOUT = 10.0
"""Longest wait for a service or action to be there at all, s: after a start, discovery takes its time."""
_ANSWER_TIMEOUT = 10.0
"""Longest wait for a service's answer, s."""
_RETRY_DELAY = 2.0
"""A node that has just started is asked again after so long, s, and after twice as long once more: the middleware says
that a node is there which was killed, and for some seconds loses what is sent to its successor."""
_NEW_NODE_AGE = 10.0
"""A node that is alive for less, s, has just started."""
_FEEDBACK_TIMEOUT = 4.5
"""A running skill from which no feedback has come for so long has hung, s."""
_CANCEL_TIMEOUT = 2.0
"""A skill that is cancelled ends sooner, s; while this node is shut down nobody hears that it has."""
_CANCEL_ATTEMPTS = 3
"""A skill whose server failed is cancelled so often at most ..."""
_CANCEL_RETRY_DELAY = 0.4
"""... and again after so long, s."""
_SETTLING = 0.5
"""What was put back lies still after so long, s of simulated time."""
_BLINDNESS = 1.5
"""A scene describer that sees nothing any more says so after less, s."""
_STOP_MESSAGE_DELAY = 0.3
"""The message that the robot was stopped may come so much later than the end of its skill, s."""


class _SkillServer:
    """One skill server's offer, empty while it offers nothing, with the clients to reach it."""

    def __init__(self, node: Node, group: ReentrantCallbackGroup, message: SkillLibraryMessage) -> None:
        self.name = message.server_name.rsplit("/", 1)[-1]
        self.full_name = message.server_name
        self.endpoints = (message.execute_action, message.score_service)
        self.skills: tuple[Skill, ...] = ()
        self.action: Any = LiveActionClient(node, ExecuteSkill, message.execute_action, callback_group=group)
        self.score: Any = node.create_client(ScoreAffordances, message.score_service, callback_group=group)


class _Progress:
    """When a running skill gave its last sign, and when it was cancelled; wall times, s."""

    def __init__(self) -> None:
        self.cancelled_at: float | None = None
        self._last_sign = time.monotonic()

    def take_feedback(self, _: Any) -> None:
        self._last_sign = time.monotonic()

    @property
    def silence(self) -> float:
        return time.monotonic() - self._last_sign


class RosEmbodiment:
    """Implements `fmrl_ros.planning.embodiment.Embodiment` with the nodes of the graph.

    Call it from a thread that is not the executor's.
    """

    def __init__(self, node: Node, watch: Watch) -> None:
        """Create the clients.

        Args:
          node: Whose executor serves the answers.
          watch: Says which of the nodes that are needed have died.
        """
        self._node, self._watch = node, watch
        self._group = ReentrantCallbackGroup()
        self._servers: dict[str, _SkillServer] = {}
        self._actions: list[Any] = []
        self._closed = False
        self._stopped = threading.Event()
        self._epoch = Epoch()
        self._resets = Resets(node, self._epoch.begin, self._group)
        self._changed = threading.Condition()
        self._describe: Any = node.create_client(DescribeScene, "describe_scene", callback_group=self._group)
        self._detect: Any = node.create_client(DetectSuccess, "detect_success", callback_group=self._group)
        retained = QoSProfile(depth=20, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        node.create_subscription(
            SkillLibraryMessage, "skill_library", self._take_skill_library, retained, callback_group=self._group
        )
        node.create_subscription(
            Bool,
            "stopped",
            self._take_stop,
            QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL),
            callback_group=self._group,
        )
        for name in ("scene_describer", "success_detector"):
            watch.add(name, needed=False)
        self.should_stop: Callable[[], bool] = lambda: False
        """Asked while a skill runs; True cancels it."""

    def close(self) -> None:
        """Take the clients of actions away; the node itself withdraws the rest."""
        with self._changed:
            self._closed = True
            self._resets.close()
            for action in self._actions:
                action.destroy()
            self._actions.clear()
            self._servers.clear()

    def check_free(self) -> None:
        """Raise if the driver says that the robot is stopped."""
        if self._stopped.is_set():
            raise EmbodimentError("the robot is stopped", "fmrl resume lets it move again")

    def world_resets(self) -> int:
        """Return how often the simulator has said that it puts the world back, or its clock has jumped back."""
        return self._epoch.count

    def list_skills(self) -> Sequence[Skill]:
        """Return what the living skill servers offer, merged, each skill once."""
        return tuple(dict.fromkeys(skill for server in self._live_servers() for skill in server.skills))

    def score_affordances(self, skills: Sequence[Skill]) -> NDArray[np.float64]:
        """Ask every server for the skills that it offers; of several answers for a skill the best counts."""
        servers = self._live_servers()
        result = np.full(len(skills), -1.0)
        for server in servers:
            rows = [i for i, skill in enumerate(skills) if skill in server.skills]
            if not rows:
                continue
            request = ScoreAffordances.Request(skills=[conversions.skill_message(skills[i]) for i in rows])
            answer = self._call(server.score, request, server.full_name)
            if not answer.success:
                self._look_for_the_cause()
                raise EmbodimentError(f"{server.name}: {answer.message}")
            if len(answer.affordances) != len(rows):
                raise EmbodimentError(f"{server.name}: {len(answer.affordances)} affordances for {len(rows)} skills")
            result[rows] = np.maximum(result[rows], np.asarray(answer.affordances))
        missing = [skill.phrase for skill, value in zip(skills, result, strict=True) if value < 0]
        if missing:
            raise EmbodimentError(f"no skill server offers '{missing[0]}'")
        return result

    def execute_skill(self, skill: Skill) -> SkillOutcome:
        """Run a skill on the first server that offers it; `should_stop` cancels it.

        Raises:
          EmbodimentError: If a node does not do its part, or somebody else stops the robot or has it do another skill.
        """
        if self.should_stop():
            return SkillOutcome(False, "cancelled", 0.0, 0)
        server = next((s for s in self._live_servers() if skill in s.skills), None)
        if server is None:
            raise EmbodimentError(f"no skill server offers '{skill.phrase}'")
        self._wait_until(
            server.action.server_is_ready, server.full_name, _DISCOVERY_TIMEOUT, "offers no action execute_skill"
        )
        progress = _Progress()
        handle = self._start_skill(server, skill, progress)
        ended = handle.get_result_async()
        try:
            while not self._done(ended, _POLL_PERIOD):
                self._supervise(server, skill, handle, progress)
        except EmbodimentError:
            self._cancel_and_wait(handle, ended)
            raise
        answer = ended.result()
        result = answer.result
        finished = answer.status == GoalStatus.STATUS_SUCCEEDED and result.finished
        self._check(server.full_name)
        if not finished and progress.cancelled_at is None:
            self._refuse_to_compete(skill, result.reason)
        return SkillOutcome(bool(finished), result.reason, float(result.value), int(result.steps))

    def _start_skill(self, server: _SkillServer, skill: Skill, progress: _Progress) -> Any:
        """Send a skill to its server and return the handle of the accepted goal."""
        goal = ExecuteSkill.Goal(skill=conversions.skill_message(skill))
        sent = server.action.send_goal_async(goal, progress.take_feedback)
        try:
            handle = self._accepted(sent, server.full_name)
        except EmbodimentError:
            sent.add_done_callback(_cancel_if_accepted)
            raise
        if not handle.accepted:
            raise EmbodimentError(f"{server.name} rejected '{skill.phrase}'")
        return handle

    def _supervise(self, server: _SkillServer, skill: Skill, handle: Any, progress: _Progress) -> None:
        """Cancel a running skill if `should_stop` says so; raise if its server no longer does its part."""
        self._check(server.full_name)
        if progress.silence > _FEEDBACK_TIMEOUT:
            raise EmbodimentError(f"{server.name} has given no sign for {_FEEDBACK_TIMEOUT} s during a skill")
        if progress.cancelled_at is None:
            if self.should_stop():
                progress.cancelled_at = time.monotonic()
                handle.cancel_goal_async()
        elif time.monotonic() - progress.cancelled_at > _CANCEL_TIMEOUT:
            raise EmbodimentError(f"{server.name} was told to cancel '{skill.phrase}' and does not say that it has")

    def _refuse_to_compete(self, skill: Skill, reason: str) -> None:
        """Raise if a skill ended because somebody else has taken or stopped the robot."""
        if reason == PREEMPTED:
            raise EmbodimentError(
                f"somebody else has the robot: '{skill.phrase}' was {PREEMPTED}", "say it again later"
            )
        if self._stopped.wait(_STOP_MESSAGE_DELAY):
            raise EmbodimentError(f"the robot was stopped while it should {skill.phrase}", "fmrl resume frees it")

    def _cancel_and_wait(self, handle: Any, ended: Any) -> None:
        """Cancel a skill, again if it goes on: the middleware may lose a request while a node dies."""
        for _ in range(_CANCEL_ATTEMPTS):
            handle.cancel_goal_async()
            if self._done(ended, _CANCEL_RETRY_DELAY):
                return

    def detect_success(self, skill: Skill, before: Scene) -> Verdict:
        """Ask the success detector."""
        request = DetectSuccess.Request(
            skill=conversions.skill_message(skill), before=conversions.scene_message(before)
        )
        return conversions.verdict_from(self._call(self._detect, request, "success_detector").verdict)

    def describe_scene(self) -> Scene:
        """Ask the scene describer, after a reset until it has seen what was put back."""
        deadline = time.monotonic() + _ANSWER_TIMEOUT
        while True:
            scene = self._newest_scene()
            now = 1e-9 * float(self._node.get_clock().now().nanoseconds)
            if self._epoch.includes(scene.stamp - _SETTLING, now):
                return scene
            if time.monotonic() > deadline:
                raise EmbodimentError(
                    "scene_describer has seen nothing since the world was reset", "see its diagnostics"
                )
            time.sleep(_POLL_PERIOD)

    def _look_for_the_cause(self) -> None:
        """Give the cameras time to say why they see nothing: what a skill server lacks is mostly a scene.

        Raises:
          EmbodimentError: If they see nothing; says why.
        """
        deadline = time.monotonic() + _BLINDNESS
        while time.monotonic() < deadline and self._describe.service_is_ready():
            self._newest_scene()
            time.sleep(_POLL_PERIOD)

    def _newest_scene(self) -> Scene:
        answer = self._call(self._describe, DescribeScene.Request(), "scene_describer")
        scene = conversions.scene_from(answer.scene)
        if scene.stamp == 0.0 and not scene.objects:
            cause = scene.text or "no camera picture has arrived"
            raise EmbodimentError(f"scene_describer: {cause}", "see its diagnostics")
        return scene

    def _take_skill_library(self, message: SkillLibraryMessage) -> None:
        """Note what a server offers; an empty offer withdraws it."""
        with self._changed:
            if self._closed:
                return
            server = self._servers.get(message.server_name)
            moved = server is not None and server.endpoints != (message.execute_action, message.score_service)
            if message.skills and (server is None or moved):
                server = self._servers[message.server_name] = _SkillServer(self._node, self._group, message)
                self._actions.append(server.action)
            if server is not None:
                server.skills = tuple(conversions.skill_from(skill) for skill in message.skills)
            self._changed.notify_all()
        self._watch.add(message.server_name, needed=False)

    def _take_stop(self, message: Bool) -> None:
        (self._stopped.set if message.data else self._stopped.clear)()

    def _live_servers(self) -> list[_SkillServer]:
        """Return the servers that offer skills and have not died, waiting for the first if there is none yet."""
        deadline = time.monotonic() + _DISCOVERY_TIMEOUT
        while True:
            self._check()
            with self._changed:
                offering = [server for server in self._servers.values() if server.skills]
            living = [server for server in offering if not self._watch.gone(server.full_name)]
            if living:
                return living
            for server in offering:
                self._check(server.full_name)
            if time.monotonic() > deadline:
                raise EmbodimentError("no skill_server has announced itself on skill_library", "is one running?")
            time.sleep(_POLL_PERIOD)

    def _call(self, client: Any, request: Any, part: str) -> Any:
        """Return a service's answer; a node that has just started may be asked more than once."""
        self._wait_until(client.service_is_ready, part, _DISCOVERY_TIMEOUT, f"offers no service {client.srv_name}")
        asked: list[Any] = []
        answers: SimpleQueue[Any] = SimpleQueue()
        started = time.monotonic()
        try:
            while (waited := time.monotonic() - started) < _ANSWER_TIMEOUT:
                due = waited >= _RETRY_DELAY * (2 ** len(asked) - 1)
                again = due and self._watch.age(part) < waited + _NEW_NODE_AGE
                if asked and again:
                    self._node.get_logger().warning(f"{_no_answer(part, client.srv_name, waited)}; it is asked again")
                if again or not asked:
                    asked.append(client.call_async(request))
                    asked[-1].add_done_callback(answers.put)
                with contextlib.suppress(Empty):
                    return _result(answers.get(timeout=_POLL_PERIOD), part)
                self._check(part)
        finally:
            for future in asked:
                client.remove_pending_request(future)
        raise EmbodimentError(_no_answer(part, client.srv_name, _ANSWER_TIMEOUT))

    def _wait_until(self, ready: Callable[[], bool], part: str, timeout: float, complaint: str) -> None:
        deadline = time.monotonic() + timeout
        while not ready():
            self._check(part)
            if time.monotonic() > deadline:
                raise EmbodimentError(f"{_base_name(part)} {complaint}", "is it running?")
            time.sleep(_POLL_PERIOD)

    def _accepted(self, sent: Any, part: str) -> Any:
        """Return the handle of a goal; what moves the robot is sent once only."""
        deadline = time.monotonic() + _ANSWER_TIMEOUT
        while not self._done(sent, _POLL_PERIOD):
            self._check(part)
            if time.monotonic() > deadline:
                raise EmbodimentError(_no_answer(part, "execute_skill", _ANSWER_TIMEOUT))
        return _result(sent, part)

    def _done(self, future: Any, timeout: float) -> bool:
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        return future.done() or done.wait(timeout)

    def _check(self, part: str = "") -> None:
        """Raise if a node that is needed has died, or the skill server that is asked."""
        gone = self._watch.gone() or (self._watch.gone(part) if part else None)
        if gone:
            raise EmbodimentError(f"{gone} is gone: its process ended or was killed", "start the robot again")


def _base_name(name: str) -> str:
    """Return a node's name without its namespace."""
    return name.rsplit("/", 1)[-1]


def _no_answer(part: str, question: str, seconds: float) -> str:
    return f"{_base_name(part)} has not answered {_base_name(question)} for {seconds:.0f} s"


def _result(future: Any, part: str) -> Any:
    """Return what a future that is done holds."""
    if future.exception() is not None:
        raise EmbodimentError(f"{_base_name(part)}: {future.exception()}")
    return future.result()


def _cancel_if_accepted(sent: Any) -> None:
    """Cancel a goal whose acceptance nobody waits for any more."""
    if sent.exception() is None and sent.result().accepted:
        sent.result().cancel_goal_async()
