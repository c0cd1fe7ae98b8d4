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
from fmrl_ros.planning.embodiment import EmbodimentError, SkillOutcome
from fmrl_ros.skills.result import PREEMPTED
from fmrl_ros.worlds.scene import Scene, Verdict
from fmrl_ros.worlds.world import Skill

_POLL = 0.1
_APPEARANCE = 10.0
"""Longest wait for a service or action to be there at all, s: after a start, discovery takes its time."""
_ANSWER = 10.0
"""Longest wait for a service's answer, s."""
_YOUNG, _FORGOTTEN = 10.0, 2.0
"""A node that is alive for less than the first, s, is asked again after the second, and after twice as long once more:
the middleware says that a node is there which was killed, and for some seconds loses what is sent to its successor."""
_SILENCE = 4.5
"""A running skill from which no feedback has come for so long has hung, s."""
_GIVING_WAY = 2.0
"""A skill that is cancelled ends sooner, s; while this node is shut down nobody hears that it has."""
_TRIES, _AGAIN = 3, 0.4
"""A skill is told to cancel so often at most, and again after so long, s."""
_TIDINGS = 0.3
"""The news that the robot was stopped may come so much later than the end of its skill, s."""


class _SkillServer:
    """One skill server's offer, empty while it offers nothing, with the clients to reach it."""

    def __init__(self, node: Node, group: ReentrantCallbackGroup, message: SkillLibraryMessage) -> None:
        self.name = message.server_name.rsplit("/", 1)[-1]
        self.full_name = message.server_name
        self.endpoints = (message.execute_action, message.score_service)
        self.skills: tuple[Skill, ...] = ()
        self.action: Any = LiveActionClient(node, ExecuteSkill, message.execute_action, callback_group=group)
        self.score: Any = node.create_client(ScoreAffordances, message.score_service, callback_group=group)


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
        self._changed = threading.Condition()
        self._describe: Any = node.create_client(DescribeScene, "describe_scene", callback_group=self._group)
        self._detect: Any = node.create_client(DetectSuccess, "detect_success", callback_group=self._group)
        retained = QoSProfile(depth=20, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        node.create_subscription(
            SkillLibraryMessage, "skill_library", self._learn, retained, callback_group=self._group
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
            for action in self._actions:
                action.destroy()
            self._actions.clear()
            self._servers.clear()

    def list_skills(self) -> Sequence[Skill]:
        """Return what the living skill servers offer, merged, each skill once."""
        return tuple(dict.fromkeys(skill for server in self._living() for skill in server.skills))

    def score_affordances(self, skills: Sequence[Skill]) -> NDArray[np.float64]:
        """Ask every server for the skills that it offers; of several answers for a skill the best counts."""
        servers = self._living()
        result = np.full(len(skills), -1.0)
        for server in servers:
            rows = [i for i, skill in enumerate(skills) if skill in server.skills]
            if not rows:
                continue
            request = ScoreAffordances.Request(skills=[conversions.skill_message(skills[i]) for i in rows])
            answer = self._call(server.score, request, server.full_name)
            if not answer.success:
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
        server = next((s for s in self._living() if skill in s.skills), None)
        if server is None:
            raise EmbodimentError(f"no skill server offers '{skill.phrase}'")
        self._until(server.action.server_is_ready, server.full_name, _APPEARANCE, "offers no action execute_skill")
        heard = [time.monotonic()]

        def listen(_: Any) -> None:
            heard[0] = time.monotonic()

        goal = ExecuteSkill.Goal(skill=conversions.skill_message(skill))
        sent = server.action.send_goal_async(goal, listen)
        try:
            handle = self._accepted(sent, server.full_name)
        except EmbodimentError:
            sent.add_done_callback(_cancel)  # it may be accepted yet
            raise
        if not handle.accepted:
            raise EmbodimentError(f"{server.name} rejected '{skill.phrase}'")
        ended = handle.get_result_async()
        cancelled = 0.0
        try:
            while not self._done(ended, _POLL):
                self._check(server.full_name)
                if time.monotonic() - heard[0] > _SILENCE:
                    raise EmbodimentError(f"{server.name} has given no sign for {_SILENCE} s during a skill")
                if cancelled and time.monotonic() - cancelled > _GIVING_WAY:
                    raise EmbodimentError(
                        f"{server.name} was told to cancel '{skill.phrase}' and does not say that it has"
                    )
                if not cancelled and self.should_stop():
                    cancelled = time.monotonic()
                    handle.cancel_goal_async()
        except EmbodimentError:
            self._give_up(handle, ended)
            raise
        answer = ended.result()
        result = answer.result
        finished = answer.status == GoalStatus.STATUS_SUCCEEDED and result.finished
        self._check(server.full_name)
        if not finished and not cancelled:
            if result.reason == PREEMPTED:
                raise EmbodimentError(f"somebody else has the robot: '{skill.phrase}' was {PREEMPTED}")
            if self._stopped.wait(_TIDINGS):
                raise EmbodimentError(f"the robot was stopped while it should {skill.phrase}; fmrl resume frees it")
        return SkillOutcome(bool(finished), result.reason, float(result.value), int(result.steps))

    def _give_up(self, handle: Any, ended: Any) -> None:
        """Cancel a skill, again if it goes on: the middleware may lose a request while a node dies."""
        for _ in range(_TRIES):
            handle.cancel_goal_async()
            if self._done(ended, _AGAIN):
                return

    def detect_success(self, skill: Skill, before: Scene) -> Verdict:
        """Ask the success detector."""
        request = DetectSuccess.Request(
            skill=conversions.skill_message(skill), before=conversions.scene_message(before)
        )
        return conversions.verdict_from(self._call(self._detect, request, "success_detector").verdict)

    def describe_scene(self) -> Scene:
        """Ask the scene describer."""
        answer = self._call(self._describe, DescribeScene.Request(), "scene_describer")
        scene = conversions.scene_from(answer.scene)
        if scene.stamp == 0.0 and not scene.objects:
            raise EmbodimentError("scene_describer sees nothing: no camera picture has arrived; is the driver running?")
        return scene

    def _learn(self, message: SkillLibraryMessage) -> None:
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

    def _living(self) -> list[_SkillServer]:
        """Return the servers that offer skills and have not died, waiting for the first if there is none yet."""
        deadline = time.monotonic() + _APPEARANCE
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
                raise EmbodimentError("no skill_server has announced itself on skill_library; is one running?")
            time.sleep(_POLL)

    def _call(self, client: Any, request: Any, part: str) -> Any:
        """Return a service's answer; a node that has just started may be asked more than once."""
        self._until(client.service_is_ready, part, _APPEARANCE, f"offers no service {client.srv_name}")
        asked: list[Any] = []
        answers: SimpleQueue[Any] = SimpleQueue()
        started = time.monotonic()
        try:
            while (waited := time.monotonic() - started) < _ANSWER:
                again = waited >= _FORGOTTEN * (2 ** len(asked) - 1) and self._watch.age(part) < waited + _YOUNG
                if asked and again:
                    self._node.get_logger().warning(f"{_silent(part, client.srv_name, waited)}; it is asked again")
                if again or not asked:
                    asked.append(client.call_async(request))
                    asked[-1].add_done_callback(answers.put)
                with contextlib.suppress(Empty):
                    return _result(answers.get(timeout=_POLL), part)
                self._check(part)
        finally:
            for future in asked:
                client.remove_pending_request(future)
        raise EmbodimentError(_silent(part, client.srv_name, _ANSWER))

    def _until(self, ready: Callable[[], bool], part: str, timeout: float, complaint: str) -> None:
        deadline = time.monotonic() + timeout
        while not ready():
            self._check(part)
            if time.monotonic() > deadline:
                raise EmbodimentError(f"{_short(part)} {complaint}; is it running?")
            time.sleep(_POLL)

    def _accepted(self, sent: Any, part: str) -> Any:
        """Return the handle of a goal; what moves the robot is sent once only."""
        deadline = time.monotonic() + _ANSWER
        while not self._done(sent, _POLL):
            self._check(part)
            if time.monotonic() > deadline:
                raise EmbodimentError(_silent(part, "execute_skill", _ANSWER))
        return _result(sent, part)

    def _done(self, future: Any, timeout: float) -> bool:
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        return future.done() or done.wait(timeout)

    def _check(self, part: str = "") -> None:
        """Raise if a node that is needed has died, or the skill server that is asked."""
        gone = self._watch.gone() or (self._watch.gone(part) if part else None)
        if gone:
            raise EmbodimentError(f"{gone} is gone: its process ended or was killed")


def _short(name: str) -> str:
    """Return a node's name without its namespace."""
    return name.rsplit("/", 1)[-1]


def _silent(part: str, question: str, seconds: float) -> str:
    return f"{_short(part)} has not answered {_short(question)} for {seconds:.0f} s"


def _result(future: Any, part: str) -> Any:
    """Return what a future that is done holds."""
    if future.exception() is not None:
        raise EmbodimentError(f"{_short(part)}: {future.exception()}")
    return future.result()


def _cancel(sent: Any) -> None:
    """Cancel a goal whose acceptance nobody waits for any more."""
    if sent.exception() is None and sent.result().accepted:
        sent.result().cancel_goal_async()
