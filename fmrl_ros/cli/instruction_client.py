"""Sends one instruction to the planner and hands on what comes back, from the ROS thread to the command's."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from action_msgs.msg import GoalStatus
from fmrl_interfaces.action import ExecuteInstruction
from fmrl_interfaces.msg import MonologueLine as LineMessage
from fmrl_interfaces.msg import PlannerStep as StepMessage
from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import String

from fmrl_ros.nodes.support.action_client import LiveActionClient
from fmrl_ros.nodes.support.conversions import line_from, seconds, step_from
from fmrl_ros.nodes.support.heartbeat import PERIOD, goal_name
from fmrl_ros.nodes.support.heartbeat import TOPIC as HEARTBEAT
from fmrl_ros.nodes.support.liveness import Watch
from fmrl_ros.nodes.support.person import TOPIC
from fmrl_ros.recording.run import TimedLine, TimedStep
from fmrl_ros.refusal import RefusalError, refusal

ACTION, PLANNER = "execute_instruction", "planner"
ALL = QoSProfile(depth=100)
PLANNER_ENDED = refusal("planner has ended", "start the robot again")


class NoPlannerError(RefusalError):
    """No planner takes the instruction; the message says why."""


@dataclass(frozen=True)
class Status:
    """What the planner is at, in one line."""

    text: str


@dataclass(frozen=True)
class Outcome:
    """How an instruction ended, with every decision and line."""

    success: bool
    reason: str
    steps: tuple[TimedStep, ...]
    lines: tuple[TimedLine, ...]


News = TimedStep | TimedLine | Status


class InstructionClient:
    """One instruction at a time. The node must be served by another thread.

    The planner's topics are everybody's: they are heard from the goal's own first feedback on, which an instruction
    that is refused because of another one never gets.

    Args:
      node: Talks to the planner.
      answers: True if somebody is there to `answer` the planner's questions; without, it asks none.
      attached: True if the instruction shall end when this process does, however it ends.
    """

    def __init__(self, node: Node, answers: bool = False, attached: bool = True) -> None:
        self._node = node
        self._answers = node.create_publisher(String, TOPIC, 10) if answers else None
        self._news: queue.SimpleQueue[News] = queue.SimpleQueue()
        self._early: list[News] = []
        self._begun = False
        self._action: Any = LiveActionClient(node, ExecuteInstruction, ACTION)
        self._watch = Watch(node, [PLANNER])
        self._goal: Any = None
        self._connected = False
        self._answered = threading.Event()
        self.outcome: Outcome | None = None
        if attached:
            self._heartbeat = node.create_publisher(String, HEARTBEAT, 10)
            node.create_timer(PERIOD, self._beat)
        self._topics = [
            node.create_subscription(StepMessage, "planner_step", lambda m: self._take(_step(m)), ALL),
            node.create_subscription(LineMessage, "monologue", lambda m: self._take(_line(m)), ALL),
        ]

    def wait_for_planner(self, timeout: float) -> bool:
        """Wait until the planner lives and its action and topics are connected; False if that is not so in time."""

        def connected() -> bool:
            topics = (topic.topic_name for topic in self._topics)
            there = self._action.server_is_ready() and self._watch.gone() is None
            return there and all(self._node.count_publishers(topic) for topic in topics)

        self._connected = wait_until(connected, timeout)
        return self._connected

    def send(self, instruction: str, planner: str = "", timeout: float = 10.0) -> None:
        """Send the instruction and wait until the planner takes it.

        Raises:
          NoPlannerError: If it does not answer in time or refuses.
        """
        self.outcome, self._begun = None, False
        self._early.clear()
        self._answered.clear()
        goal = ExecuteInstruction.Goal(instruction=instruction, planner=planner)
        self._action.send_goal_async(goal, feedback_callback=self._on_feedback).add_done_callback(self._on_answer)
        if not self._answered.wait(timeout):
            raise NoPlannerError(f"the planner did not answer within {timeout:.0f} s", "see its log")
        if not self._goal.accepted:
            raise NoPlannerError("the planner refuses the instruction: it is not active", "activate it")
        self._goal.get_result_async().add_done_callback(self._on_result)

    def news(self, timeout: float) -> Iterator[News]:
        """Yield what has arrived; wait up to `timeout` seconds for the first piece."""
        try:
            yield self._news.get(timeout=timeout)
            while True:
                yield self._news.get_nowait()
        except queue.Empty:
            return

    def answer(self, text: str) -> None:
        """Answer the planner's question."""
        if self._answers is not None:
            self._answers.publish(String(data=text))

    def planner_gone(self) -> bool:
        """True if the planner's process was there and is no longer.

        One that was killed is missed within seconds; if it had only just been met, once DDS forgets it, 20 s later.
        """
        return self._watch.gone() is not None or (self._connected and not self._action.server_is_ready())

    def cancel(self, timeout: float = 2.0) -> bool:
        """Ask the planner to end the instruction; True if it answers in time."""
        if self._goal is None or self.outcome is not None:
            return True
        answered = threading.Event()
        self._goal.cancel_goal_async().add_done_callback(lambda _: answered.set())
        return answered.wait(timeout)

    def _beat(self) -> None:
        if self._goal is not None and self._goal.accepted and self.outcome is None:
            self._heartbeat.publish(String(data=goal_name(self._goal.goal_id)))

    def _take(self, news: News) -> None:
        """Hand on what came over a topic, once it is known to be of this instruction."""
        if self._begun:
            self._news.put(news)
        else:
            self._early.append(news)

    def _on_feedback(self, message: Any) -> None:
        if not self._begun:
            self._begun = True
            for news in self._early:
                self._news.put(news)
        self._news.put(Status(message.feedback.status))

    def _on_answer(self, future: Any) -> None:
        self._goal = future.result()
        self._answered.set()

    def _on_result(self, future: Any) -> None:
        answer = future.result()
        result = answer.result
        reason = result.reason
        if not reason and answer.status != GoalStatus.STATUS_SUCCEEDED:
            reason = refusal("the planner ended the instruction without a word", "see its log")
        self.outcome = Outcome(
            bool(result.success),
            reason,
            tuple(_step(step) for step in result.steps),
            tuple(_line(line) for line in result.monologue),
        )


def wait_until(condition: Callable[[], bool], timeout: float, beat: float = 0.05) -> bool:
    """Wait until a condition holds; False if it does not within `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(beat)
    return True


def _step(message: StepMessage) -> TimedStep:
    return TimedStep(seconds(message.stamp), step_from(message))


def _line(message: LineMessage) -> TimedLine:
    return TimedLine(seconds(message.stamp), line_from(message))
